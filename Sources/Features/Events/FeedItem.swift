import Domain
import HTTP
import Postgres

/// An event of an account's feed, with the delivery as it is now: what was true once is in the history. To whom it is
/// nothing any more, only what the event itself said is told.
struct FeedItem: Sendable {
    let place: FeedPlace
    let type: String
    let at: Timestamp
    let delivery: (stored: StoredDelivery, seq: Int32)?
    /// What an event tells that is not about a delivery: an object.
    let data: JSONB?

    static let shape = Shape.object(
        "Event",
        [
            .init("cursor", .string()), .init("number", .integer(1...Int.max)), .init("type", .string()),
            .init("at", .time),
            .init("delivery_id", Shape.id.orNull), .init("seq", Shape.integer(1...Int(Int32.max)).orNull),
            .init("delivery", Shape.anyOf([StoredDelivery.shape, trace], named: "EventDelivery").orNull),
            .init("data", Shape.anyObject.orNull),
        ])
    private static let trace = Shape.object(
        "DeliveryTrace",
        [
            .init("id", .id), .init("status", StoredDelivery.statusShape),
            .init("version", .integer(1...Int(Int32.max))),
        ])

    func write(_ json: inout JSONWriter, for account: ID) {
        json.field("cursor", place.cursor)
        json.field("number", Int(place.number))
        json.field("type", type)
        json.field("at", at)
        json.field("delivery_id", delivery?.stored.delivery.id)
        if let delivery {
            json.field("seq", Int(delivery.seq))
            json.object("delivery") { write(delivery.stored, &$0, for: account) }
        } else {
            json.field("seq", String?.none)
            json.field("delivery", String?.none)
        }
        writeData(&json)
    }

    private func write(_ stored: StoredDelivery, _ json: inout JSONWriter, for account: ID) {
        guard !stored.isVisible(to: account) else { return stored.write(&json, for: account) }
        json.field("id", stored.delivery.id)
        json.field("status", (EventType(rawValue: type)?.status ?? stored.delivery.status).rawValue)
        json.field("version", Int(delivery?.seq ?? 1))
    }

    private func writeData(_ json: inout JSONWriter) {
        if let data { json.raw("data", data.utf8) } else { json.field("data", String?.none) }
    }
}
