import API
import Domain
import Postgres

/// Who sees where a courier is: stores that it works for, while it carries something of theirs, and, where it shares that always,
/// while it is on duty. Where it was before its duty is not seen, though it may still be there to be forgotten.
private enum Sight {
    /// A courier who may be seen at all, with where it is.
    static func courier(_ id: String) -> String {
        """
        LATERAL (SELECT * FROM positions p WHERE p.courier_id = \(id) OFFSET 0) p,
            LATERAL (
                SELECT id, first_name, last_name, share_position = '\(PositionSharing.always.rawValue)'
                    AND duty_now(on_duty, duty_until)
                    AND (p.at >= date_trunc('second', on_duty_since(on_duty, duty_until, duty_since))) IS NOT FALSE AS is_shared
                FROM couriers k WHERE k.id = \(id) AND NOT k.off OFFSET 0) k
        """
    }
}

/// A page of the couriers whom a store sees, by their ids. At most so many partners are looked at; a remark says where to go on.
struct ListPositions: Statement {
    static let sql = """
        WITH seen AS MATERIALIZED (
            SELECT \(SeenPosition.columns) FROM (\(staff("LIMIT \(Found<SeenPosition>.mostPlaces)"))) s, \(Sight.courier("s.courier_id"))
            WHERE k.is_shared OR EXISTS (
                SELECT FROM jobs j WHERE j.courier_id = s.courier_id AND j.status = 'in_progress' AND j.store_id = $1 OFFSET 0)
            ORDER BY s.courier_id LIMIT $3)
        SELECT edge.of, seen.* FROM (
            SELECT CASE WHEN (SELECT count(*) FROM seen) < $3 THEN (
                SELECT ARRAY[courier_id::text] FROM (\(staff("OFFSET \(Found<SeenPosition>.mostPlaces) - 1 LIMIT 1"))) s) END AS of) edge
        LEFT JOIN seen ON true ORDER BY seen.id
        """
    private static func staff(_ limit: String) -> String {
        """
        SELECT courier_id FROM partners
        WHERE store_id = $1 AND courier_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') AND NOT courier_off
        ORDER BY courier_id \(limit)
        """
    }
    static let isReadOnly = true
    let store: ID
    let after: ID?
    let limit: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<[String]?, SeenPosition> {
        try Remarked(try row.read(), &row) { try SeenPosition(&$0) }
    }
}

/// Where these couriers are, and which stores see them. Whom nobody sees has no row, or one without stores.
struct FindSeen: Statement {
    static let sql = """
        SELECT \(SeenPosition.columns), ARRAY(
            SELECT j.store_id FROM jobs j WHERE j.courier_id = k.id AND j.status = 'in_progress' AND EXISTS (
                SELECT FROM partners w WHERE w.store_id = j.store_id AND w.courier_id = k.id AND NOT w.courier_off OFFSET 0)
            UNION
            SELECT w.store_id FROM partners w WHERE k.is_shared AND w.courier_id = k.id AND NOT w.courier_off)
        FROM unnest($1::uuid[]) AS c(id), \(Sight.courier("c.id"))
        """
    static let isReadOnly = true
    let couriers: [ID]

    func bind(into parameters: inout Parameters) { parameters.add(couriers) }

    static func decode(_ row: inout RowReader) throws -> (position: SeenPosition, stores: [ID]) {
        (try SeenPosition(&row), try row.read())
    }
}

/// Makes the partitions that trails will need, and drops those that are too old.
package struct RenewTrailPartitions: Statement {
    package static let sql = "SELECT trail_partitions($1)::text"
    let days: Int32

    package init(days: Int32) { self.days = days }

    package func bind(into parameters: inout Parameters) { parameters.add(days) }
}

/// Forgets where couriers are whom nobody sees any more.
package struct ForgetPositions: Statement {
    package init() {}

    package static let sql = "SELECT forget_positions()::text"
}
