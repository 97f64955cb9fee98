import API
import Domain
import Feed
import HTTP
import Postgres

/// The delivery that an event is about. An account that it no longer concerns learns only what the event itself said.
///
/// It is a class because the feed, which knows nothing of deliveries, passes it around: what it holds would be copied each time.
package final class FeedDelivery: FeedSubject {
    private let stored: StoredDelivery
    /// How the event left it, where its type does not tell.
    private let status: DeliveryStatus?

    package static let lookup = """
        SELECT \(StoredDelivery.columns()), CASE WHEN e.type = '\(EventType.updated.rawValue)' THEN status_at(e.delivery_id, e.seq) END FROM deliveries d \(StoredDelivery.tables) \(StoredDelivery.reader())
        WHERE d.id = e.delivery_id
        """

    package static let shape = Shape.anyOf([StoredDelivery.shape, trace], named: "EventDelivery")
    private static let trace = Shape.object(
        "DeliveryTrace",
        [
            .init("id", .id), .init("status", StoredDelivery.statusShape),
            .init("version", .integer(1...Int(Int32.max))),
        ])

    package init(_ row: inout RowReader) throws {
        stored = try StoredDelivery(&row)
        status = try row.read()
    }

    package var id: ID { stored.delivery.id }

    package func write(_ json: inout JSONWriter, for account: ID, type: String, seq: Int32) {
        guard !stored.isVisible(to: account) else { return stored.write(&json, for: account) }
        json.field("id", id)
        json.field("status", (status ?? EventType(rawValue: type)?.status ?? stored.delivery.status).rawValue)
        json.field("version", Int(seq))
    }
}
