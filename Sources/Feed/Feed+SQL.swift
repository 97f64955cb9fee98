import Domain
import Postgres

/// The next events of an account's feed.
package struct ReadFeed<Subject: FeedSubject>: Statement {
    package static var sql: String {
        """
        SELECT e.number, e.numbered_at, e.type, e.at, e.data, e.seq, d.*
        FROM (
            SELECT * FROM events
            WHERE account_id = $1 AND numbered_at >= $2 AND (numbered_at, number) > ($2, $3)
            ORDER BY numbered_at, number LIMIT $4) e
        LEFT JOIN LATERAL (\(Subject.lookup) OFFSET 0) d ON true
        ORDER BY e.numbered_at, e.number
        """
    }
    package static var isReadOnly: Bool { true }
    let account: ID
    let after: FeedPlace
    let limit: Int32

    package func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after.numberedAt)
        parameters.add(after.number)
        parameters.add(limit)
    }

    package static func decode(_ row: inout RowReader) throws -> FeedItem<Subject> {
        let place = try FeedPlace(&row)
        let (type, at): (String, Timestamp) = (try row.read(), try row.read())
        let (data, seq): (JSONB?, Int32?) = (try row.read(), try row.read())
        return FeedItem(
            place: place, type: type, at: at, delivery: try seq.map { (try Subject(&row), $0) }, data: data)
    }
}

extension FeedPlace {
    /// Reads two columns.
    fileprivate init(_ row: inout RowReader) throws {
        self.init(number: try row.read(), numberedAt: try row.read())
    }
}

/// The end of an account's feed at the moment; no row when nothing has happened yet.
struct FindFeedEnd: Statement {
    static let sql = """
        SELECT number, numbered_at FROM (
            SELECT number, numbered_at FROM events WHERE account_id = $1 ORDER BY numbered_at DESC, number DESC LIMIT 1
        ) newest
        UNION ALL
        SELECT number, numbered_at FROM feed_ends WHERE account_id = $1
        ORDER BY number DESC LIMIT 1
        """
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> FeedPlace { try FeedPlace(&row) }
}

/// The place that a former cursor meant; nil when it lies before everything. There is no row when events may have been
/// dropped since, because those of that time are dropped first, beginning with number 1.
struct FindFormerPlace: Statement {
    static let sql = """
        SELECT place.number, place.numbered_at
        FROM events_kept kept LEFT JOIN LATERAL (
            SELECT number, numbered_at FROM event_cursors_before
            WHERE account_id = $1 AND (xact, id) <= ($2::bigint::text::xid8, $3)
            ORDER BY xact DESC, id DESC LIMIT 1) place ON true
        WHERE place.number IS NOT NULL OR kept.after <= $2::bigint::text::xid8 AND 1 = coalesce(
            (SELECT number FROM event_cursors_before WHERE account_id = $1 ORDER BY xact, id LIMIT 1), 1)
        """
    static let isReadOnly = true
    let account: ID
    let cursor: FormerCursor

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(cursor.transaction)
        parameters.add(cursor.event)
    }

    static func decode(_ row: inout RowReader) throws -> FeedPlace? {
        let (number, numberedAt): (Int64?, Timestamp?) = (try row.read(), try row.read())
        guard let number, let numberedAt else { return nil }
        return FeedPlace(number: number, numberedAt: numberedAt)
    }
}

/// Gives numbers to events in the journal: true when there are more, nil when another node is at it.
struct NumberEvents: Statement {
    static let sql = "SELECT number_events($1)"
    let most: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(most)
    }

    static func decode(_ row: inout RowReader) throws -> Bool? { try row.read() }
}

/// Makes the partitions that feeds will need, and drops one that is too old; true when there was one.
package struct RenewEventPartitions: Statement {
    package static let sql = "SELECT event_partitions($1)"
    let days: Int32

    package init(days: Int32) {
        self.days = days
    }

    package func bind(into parameters: inout Parameters) {
        parameters.add(days)
    }

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Forgets some cursors from before events had numbers, and says how many.
package struct ForgetFormerCursors: Statement {
    package static let sql = "SELECT forget_former_cursors($1)"
    let days: Int32

    package init(days: Int32) {
        self.days = days
    }

    package func bind(into parameters: inout Parameters) {
        parameters.add(days)
    }

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
