import API
import Crypto
import Domain
import HTTP
import Postgres

/// What is signed when a delivery is handed over: who, what, and each step.
///
/// It follows from the delivery and its history alone, but for the salts.
package struct ProofBundle: Sendable {
    package let delivery, store, courier: ID
    package let storeName, courierName: String
    package let recipient: Recipient
    package let description: String
    package let reference: String?
    package let steps: [Step]

    /// A step with what it showed.
    package struct Step: Sendable {
        package let seq: Int32
        package let action: String
        package let status: DeliveryStatus
        package let actorKind: String
        package let actor: ID
        package let at: Timestamp
        package var reason: String?
        package var note: String?
        /// Where whoever took it was.
        package var place: Location?
        /// Whether the recipient's PIN was right; nil where none was asked for.
        package var isPinRight: Bool?
        package var receivedBy: String?
        package var collected: Money?
        package var pictures: [HungPicture] = []
    }

    /// What is signed, and what may be taken out of it later.
    package struct Written: Sendable {
        package let bundle: JSON
        package let disclosures: JSON
    }

    /// What is personal stands in it as a salted hash. Its text and its salt stand beside it, under the place of the hash.
    package func written(salt: @escaping () -> String = { Base64URL.encode(SecureRandom.bytes(16)) }) -> Written {
        var personal = Personal(salt: salt)
        let bundle: [String: JSON] = [
            "version": .integer(1), "delivery_id": .string(delivery.description),
            "store": .object([
                "id": .string(store.description),
                "name": personal.hashed(JSON.string(storeName), at: "/store/name"),
            ]),
            "courier": .object([
                "id": .string(courier.description),
                "name": personal.hashed(JSON.string(courierName), at: "/courier/name"),
            ]),
            "recipient": personal.hashed(recipient.disclosed, at: "/recipient"),
            "description": personal.hashed(JSON.string(description), at: "/description"),
            "reference": reference.map { personal.hashed(JSON.string($0), at: "/reference") } ?? .null,
            "steps": .array(steps.enumerated().map { $1.written("/steps/\($0)", &personal) }),
        ]
        return Written(bundle: .object(bundle), disclosures: .object(personal.disclosures))
    }
}

/// What is told of people, apart from what is signed.
struct Personal {
    let salt: () -> String
    private(set) var disclosures: [String: JSON] = [:]

    init(salt: @escaping () -> String) { self.salt = salt }

    /// The hash that stands for a value.
    mutating func hashed(_ value: JSON, at place: String) -> JSON {
        let disclosure = JSON.array([.string(salt()), value])
        disclosures[place] = disclosure
        return Self.hash(of: disclosure)
    }

    /// The hash of a salt and a value.
    static func hash(of disclosure: JSON) -> JSON {
        .object(["sha256": .string(hexadecimal(SHA256.hash(disclosure.canonical)))])
    }
}

extension ProofBundle.Step {
    fileprivate func written(_ place: String, _ personal: inout Personal) -> JSON {
        var step: [String: JSON] = [
            "seq": .integer(Int(seq)), "action": .string(action), "status": .string(status.rawValue),
            "actor": .object(["kind": .string(actorKind), "id": .string(actor.description)]), "at": .string(at.text),
        ]
        func hash(_ name: String, _ value: JSON?) {
            if let value { step[name] = personal.hashed(value, at: "\(place)/\(name)") }
        }
        hash("reason", reason.map(JSON.string))
        hash("note", note.map(JSON.string))
        hash("place", self.place?.disclosed)
        hash("received_by", receivedBy.map(JSON.string))
        step["pin_matched"] = isPinRight.map(JSON.bool)
        step["cash_collected"] = collected.map {
            .object(["amount": .integer(Int($0.amount)), "currency": .string($0.currency)])
        }
        let photos = pictures.filter { !$0.isSignature }
        if !photos.isEmpty { step["photos"] = .array(photos.map(\.written)) }
        step["signature"] = pictures.first { $0.isSignature }?.written
        return .object(step)
    }
}

extension HungPicture {
    fileprivate var written: JSON {
        .object(["id": .string(id.description), "sha256": .string(sha256)])
    }
}

extension Location {
    fileprivate var disclosed: JSON { .object(["lat": .number(lat), "lon": .number(lon)]) }
}

extension Recipient {
    fileprivate var disclosed: JSON {
        .object([
            "first_name": .string(firstName), "last_name": .string(lastName), "address": .string(address),
            "phone": phone.map { .string($0.e164) } ?? .null, "location": location?.disclosed ?? .null,
        ])
    }
}
