import Crypto
import HTTP
import Postgres

/// The keys that proofs are signed with. Former ones are kept, since what they signed is still to be verified.
package struct ProofKeys: Sendable {
    private let sealing: SealingKey
    private let database: Database

    package init(_ database: Database, secret: ServerSecret) {
        self.database = database
        sealing = SealingKey(secret.key(for: FindProofKeys.purpose))
    }

    /// The newest key; a first one is made where there is none. If two nodes do that at once, both keys are good.
    package func current() async throws -> SigningKey {
        if let newest = try await all().first { return newest }
        let key = SigningKey.new()
        let purpose = "\(FindProofKeys.purpose) \(key.name)"
        let sealed = sealing.seal(key.seed, for: Array(purpose.utf8))
        try await database.run(AddProofKey(purpose: purpose, sealed: sealed))
        return key
    }

    /// All keys, the newest first.
    func all() async throws -> [SigningKey] {
        try await database.run(FindProofKeys()).map { purpose, sealed in
            guard let seed = sealing.open(sealed, for: Array(purpose.utf8)), let key = SigningKey(seed: seed) else {
                throw PostgresError.unexpected("a key for proofs that another secret has sealed")
            }
            return key
        }
    }

    /// The public keys as RFC 7517 has them.
    static func published(_ keys: [SigningKey]) -> [UInt8] {
        let keys = keys.map { key in
            JSON.object([
                "kty": .string("OKP"), "crv": .string("Ed25519"), "x": .string(Base64URL.encode(key.publicKey)),
                "kid": .string(key.name), "use": .string("sig"), "alg": .string("EdDSA"),
            ])
        }
        return JSON.object(["keys": .array(keys)]).bytes
    }
}

/// Finds the keys for proofs, the newest first.
struct FindProofKeys: Statement {
    static let purpose = "proof"
    static let sql = """
        SELECT purpose, sealed FROM server_keys WHERE purpose LIKE '\(purpose) %' ORDER BY made_at DESC, purpose
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (purpose: String, sealed: [UInt8]) {
        (try row.read(), (try row.read() as Bytes).bytes)
    }
}

/// Adds a key for proofs.
struct AddProofKey: Statement {
    static let sql = "INSERT INTO server_keys (purpose, sealed) VALUES ($1, $2)"
    let purpose: String
    let sealed: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(purpose)
        parameters.add(Bytes(sealed))
    }
}
