import Crypto
import Domain
import HTTP
import Postgres

/// A bundle with its signature, as it is kept.
package struct SignedProof: Sendable {
    /// The text that is signed: JSON by RFC 8785.
    package let bundle: [UInt8]
    package let signature: [UInt8]
    package let keyID: String
    package let disclosures: [UInt8]
    /// How many texts of earlier steps it tells, which may be erased until it is kept.
    let earlierTexts: Int

    package init(_ written: ProofBundle.Written, by key: SigningKey) {
        (bundle, disclosures) = (written.bundle, written.disclosures)
        signature = key.sign(bundle)
        keyID = key.name
        earlierTexts = written.earlierTexts
    }

    fileprivate init(_ row: inout RowReader) throws {
        bundle = Array((try row.read() as String).utf8)
        signature = (try row.read() as Bytes).bytes
        keyID = try row.read()
        disclosures = Array((try row.read() as String).utf8)
        earlierTexts = 0
    }

    private init(_ proof: SignedProof, disclosures: [UInt8]) {
        (bundle, signature, keyID, earlierTexts) = (proof.bundle, proof.signature, proof.keyID, proof.earlierTexts)
        self.disclosures = disclosures
    }

    /// As a courier reads it: of the steps of others without what they said and where they were, as in the history. The hashes of
    /// it stay, so it still verifies.
    func read(by courier: ID) -> SignedProof {
        guard case .object(let members)? = JSON(bundle), case .array(let steps)? = members["steps"],
            case .object(var told)? = JSON(disclosures)
        else { return self }
        for (number, step) in steps.enumerated() {
            guard case .object(let step) = step, case .object(let actor)? = step["actor"],
                actor["id"] != .string(courier.description)
            else { continue }
            told = told.filter { !$0.key.hasPrefix("/steps/\(number)/") }
        }
        return SignedProof(self, disclosures: JSON.object(told).canonical)
    }

    /// What is left when its recipient is forgotten, as `forget_recipients` leaves it, which may not have come to it yet.
    var withoutRecipient: SignedProof {
        guard case .object(let told)? = JSON(disclosures) else { return self }
        let left = told.filter { $0.key == "/store_name" || $0.key.hasPrefix("/courier/") }
        return SignedProof(self, disclosures: JSON.object(left).canonical)
    }

    /// What can be found out of it.
    package var check: ProofCheck { ProofCheck(json)! }

    /// The proof as it is shown, and as `kurir proof verify` reads it.
    var json: [UInt8] {
        var json = JSONWriter(capacity: bundle.count + disclosures.count + 512)
        json.object { json in
            json.raw("bundle", bundle)
            json.field("signature", Base64URL.encode(signature))
            json.field("key_id", keyID)
            json.raw("disclosures", disclosures)
        }
        return json.bytes
    }
}

/// Proofs are kept in the commit of the step that they are about.
enum KeepProof {
    /// A part of a statement whose part `steps` has `id` and `version`, and what is kept as `bundle`, `signature`, `key_id` and
    /// `disclosures`; a step without a bundle has no proof.
    static func part(of steps: String) -> String {
        """
        proven AS (
            INSERT INTO proofs (delivery_id, seq, bundle, signature, key_id, disclosures)
            SELECT id, version, bundle, signature, key_id, disclosures::jsonb FROM \(steps) WHERE bundle IS NOT NULL)
        """
    }
}

/// Finds the last proof of a delivery.
package struct FindProof: Statement {
    package static let sql = """
        SELECT bundle, signature, key_id, disclosures::text FROM proofs WHERE delivery_id = $1 ORDER BY seq DESC LIMIT 1
        """
    package static let isReadOnly = true
    let delivery: ID

    package func bind(into parameters: inout Parameters) { parameters.add(delivery) }

    package static func decode(_ row: inout RowReader) throws -> SignedProof { try SignedProof(&row) }
}
