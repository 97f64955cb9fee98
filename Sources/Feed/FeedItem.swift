import API
import Domain
import HTTP
import Postgres

/// What an event may be about. It is read with the event and shown as it is now; how it was is in a history.
package protocol FeedSubject: Sendable {
    /// The query that finds it for an event `e` of the account `$1`.
    static var lookup: String { get }
    /// As the feed shows it.
    static var shape: Shape { get }

    /// Reads the columns of ``lookup``.
    init(_ row: inout RowReader) throws

    var id: ID { get }
    /// Writes its members as that account may see them. `type` is the type of the account's event, and `seq` its number
    /// in the history.
    func write(_ json: inout JSONWriter, for account: ID, type: String, seq: Int32)
}

/// Tells what some events with data of their own are about, as it is now: of its kind as ``FeedSubject``, for events
/// that are not about deliveries.
package protocol FeedNews: Sendable {
    /// The types of the events that it tells of.
    var types: Set<String> { get }
    /// What each of these data is about, as that account may see it now; nil where that is gone.
    func tell(_ data: [JSON], to account: ID) async throws -> [JSONB?]
}

/// An event of an account's feed.
package struct FeedItem<Subject: FeedSubject>: Sendable {
    let place: FeedPlace
    let type: String
    let at: Timestamp
    let delivery: (subject: Subject, seq: Int32)?
    /// The data of an event that is not about a delivery: an object.
    var data: JSONB?

    static var shape: Shape {
        .object(
            "Event",
            [
                .init("cursor", .string()), .init("number", .integer(1...Int.max)), .init("type", .string()),
                .init("at", .time),
                .init("delivery_id", Shape.id.orNull), .init("seq", Shape.integer(1...Int(Int32.max)).orNull),
                .init("delivery", Subject.shape.orNull), .init("data", Shape.anyObject.orNull),
            ])
    }

    func write(_ json: inout JSONWriter, for account: ID) {
        json.field("cursor", place.cursor)
        json.field("number", Int(place.number))
        json.field("type", type)
        json.field("at", at)
        json.field("delivery_id", delivery?.subject.id)
        if let (subject, seq) = delivery {
            json.field("seq", Int(seq))
            json.object("delivery") { subject.write(&$0, for: account, type: type, seq: seq) }
        } else {
            json.field("seq", String?.none)
            json.field("delivery", String?.none)
        }
        if let data { json.raw("data", data.utf8) } else { json.field("data", String?.none) }
    }
}
