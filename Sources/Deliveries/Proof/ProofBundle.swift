import API
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

        fileprivate var texts: Int {
            [reason != nil, note != nil, receivedBy != nil, place != nil].count { $0 }
        }
    }

    /// What is signed, and what may be taken out of it later, both as JSON.
    package struct Written: Sendable {
        package let bundle: [UInt8]
        package let disclosures: [UInt8]
        /// How many texts steps before the last one tell, as `texts_of_steps` counts them.
        let earlierTexts: Int
    }

    /// What is personal stands in it as a salted hash. Its text and its salt stand beside it, under the place of the hash.
    ///
    /// It is written straight in the form of RFC 8785: members stand in the order of their names.
    package func written() -> Written {
        var personal = Personal()
        var json = JSONWriter(capacity: 2048)
        json.object { json in
            json.object("courier") { json in
                json.field("id", courier)
                personal.hash("name", .text(courierName), "/courier", &json)
            }
            json.field("delivery_id", delivery)
            personal.hash("description", .text(description), "", &json)
            personal.hash("recipient", recipient.disclosed, "", &json)
            if let reference {
                personal.hash("reference", .text(reference), "", &json)
            } else {
                json.field("reference", String?.none)
            }
            json.array("steps", steps.enumerated()) { json, step in
                json.object { step.element.write(&$0, "/steps/\(step.offset)", &personal) }
            }
            json.object("store") { $0.field("id", store) }
            personal.hash("store_name", .text(storeName), "", &json)
            json.field("version", 1)
        }
        return Written(
            bundle: json.bytes, disclosures: personal.disclosures,
            earlierTexts: steps.dropLast().reduce(0) { $0 + $1.texts })
    }
}

extension ProofBundle.Step {
    fileprivate func write(_ json: inout JSONWriter, _ place: String, _ personal: inout Personal) {
        json.field("action", action)
        json.object("actor") { json in
            json.field("id", actor)
            json.field("kind", actorKind)
        }
        json.field("at", at)
        if let collected { json.field("cash_collected", collected) }
        if let note { personal.hash("note", .text(note), place, &json) }
        let photos = pictures.filter { !$0.isSignature }
        if !photos.isEmpty { json.array("photos", photos) { json, photo in json.object(photo.writeProven) } }
        if let isPinRight { json.field("pin_matched", isPinRight) }
        if let location = self.place { personal.hash("place", location.disclosed, place, &json) }
        if let reason { personal.hash("reason", .text(reason), place, &json) }
        if let receivedBy { personal.hash("received_by", .text(receivedBy), place, &json) }
        json.field("seq", Int(seq))
        if let signature = pictures.first(where: \.isSignature) { json.object("signature", signature.writeProven) }
        json.field("status", status.rawValue)
    }
}

extension HungPicture {
    fileprivate func writeProven(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("sha256", sha256)
    }
}

extension Location {
    fileprivate func write(_ json: inout JSONWriter) {
        json.raw("lat", Array(JSON.canonical(lat).utf8))
        json.raw("lon", Array(JSON.canonical(lon).utf8))
    }

    fileprivate var disclosed: Personal.Value { .object(write) }
}

extension Recipient {
    fileprivate var disclosed: Personal.Value {
        .object { json in
            json.field("address", address)
            json.field("first_name", firstName)
            json.field("last_name", lastName)
            if let location { json.object("location", location.write) } else { json.field("location", String?.none) }
            json.field("phone", phone?.e164)
        }
    }
}
