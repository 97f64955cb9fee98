import Domain
import HTTP
import Postgres

/// A place in a feed: between two events, wherever they were written.
struct FeedPosition: Equatable, Sendable {
    /// The transaction, as PostgreSQL counts them for ever.
    let xact: Int64
    /// The event within it.
    let id: Int64

    static let beginning = FeedPosition(xact: 0, id: 0)

    init(xact: Int64, id: Int64) {
        (self.xact, self.id) = (xact, id)
    }

    /// Reads what ``cursor`` wrote.
    init?(_ cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let xact = Int64(parts[0], radix: 36), let id = Int64(parts[1], radix: 36),
            xact >= 0, id >= 0
        else { return nil }
        self.init(xact: xact, id: id)
    }

    var cursor: String { "\(String(xact, radix: 36))-\(String(id, radix: 36))" }
}

/// An event of an account's feed, with the delivery as it is now: what was true once is in the history. To whom it is
/// nothing any more, only what the event itself said is told.
struct FeedItem: Sendable {
    let position: FeedPosition
    let type: String
    let at: Timestamp
    let delivery: (stored: StoredDelivery, seq: Int32)?
    /// What an event tells that is not about a delivery: an object.
    let data: JSONB?

    static let shape = Shape.object(
        "Event",
        [
            .init("cursor", .string()), .init("type", .string()), .init("at", .time),
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
        json.field("cursor", position.cursor)
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

/// The next events of an account's feed. Nothing can appear before them any more, since every transaction that began
/// before theirs has ended.
struct ReadFeed: Statement {
    static let sql = """
        SELECT e.xact::text::bigint, e.id, e.type, e.at, e.data, e.seq, \(StoredDelivery.columns)
        FROM (
            SELECT * FROM events
            WHERE account_id = $1 AND (xact, id) > ($2::bigint::text::xid8, $3)
                AND xact < pg_snapshot_xmin(pg_current_snapshot())
            ORDER BY xact, id LIMIT $4) e
        LEFT JOIN (deliveries d \(StoredDelivery.tables)) ON d.id = e.delivery_id
        ORDER BY e.xact, e.id
        """
    static let isReadOnly = true
    let account: ID
    let after: FeedPosition
    let limit: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after.xact)
        parameters.add(after.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> FeedItem {
        let position = FeedPosition(xact: try row.read(), id: try row.read())
        let (type, at): (String, Timestamp) = (try row.read(), try row.read())
        let (data, seq): (JSONB?, Int32?) = (try row.read(), try row.read())
        return FeedItem(
            position: position, type: type, at: at, delivery: try seq.map { (try StoredDelivery(&row), $0) },
            data: data)
    }
}

/// Where feeds end at the moment, and up to which transaction old events may be gone.
struct FindFeedEnds: Statement {
    static let sql = """
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, after::text::bigint FROM events_kept
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (end: Int64, gone: Int64) {
        (try row.read(), try row.read())
    }
}

/// Who of these accounts has new events since a place, and where feeds end now.
struct FindNewEvents: Statement {
    static let sql = """
        WITH feed AS (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS end)
        SELECT feed.end::text::bigint, ARRAY(
            SELECT account FROM unnest($2::uuid[]) AS account WHERE EXISTS (
                SELECT FROM events e
                WHERE e.account_id = account AND e.xact >= $1::bigint::text::xid8 AND e.xact < feed.end))
        FROM feed
        """
    static let isReadOnly = true
    let since: Int64
    let accounts: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(since)
        parameters.add(accounts)
    }

    static func decode(_ row: inout RowReader) throws -> (end: Int64, accounts: [ID]) {
        (try row.read(), try row.read())
    }
}

/// Removes some of the events that are older than they are kept, and gives how many.
struct RemoveOldEvents: Statement {
    static let sql = """
        WITH old AS (
            DELETE FROM events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM events WHERE at < now() - make_interval(secs => $1) LIMIT 1000))
            RETURNING xact),
        noted AS (
            UPDATE events_kept SET after = xact FROM (SELECT xact FROM old ORDER BY xact DESC LIMIT 1) newest
            WHERE after < xact)
        SELECT count(*) FROM old
        """
    let seconds: Double

    func bind(into parameters: inout Parameters) {
        parameters.add(seconds)
    }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
