import People
import Domain
import Postgres

/// Takes up an ending that nobody works on. It gives no row when there is none.
struct TakeEnding: Statement {
    static let sql = """
        UPDATE partnership_endings SET worked_until = now() + interval '15 seconds'
        WHERE (store_id, courier_id) = (
            SELECT store_id, courier_id FROM partnership_endings WHERE worked_until < now()
            LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING store_id, courier_id, ended_at
        """

    static func decode(_ row: inout RowReader) throws -> PartnershipEnding { try PartnershipEnding(&row) }
}

/// Says that somebody is at it still. No row when the two have become partners again, whatever came of that.
struct KeepEnding: Statement {
    static let sql = """
        UPDATE partnership_endings e SET worked_until = now() + interval '15 seconds'
        WHERE store_id = $1 AND courier_id = $2 AND ended_at = $3 AND NOT EXISTS (
            SELECT FROM partners p WHERE p.store_id = e.store_id AND p.courier_id = e.courier_id)
        RETURNING true
        """
    let ending: PartnershipEnding

    func bind(into parameters: inout Parameters) { ending.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Removes the ending, because leave is taken, unless there has been another end since.
struct EndLeaving: Statement {
    static let sql = "DELETE FROM partnership_endings WHERE store_id = $1 AND courier_id = $2 AND ended_at = $3"
    let ending: PartnershipEnding

    func bind(into parameters: inout Parameters) { ending.bind(into: &parameters) }
}

/// Where a courier stands among a store's open deliveries, of which it looks at so many. The last row says where to go
/// on, unless that was the end.
///
/// A delivery that becomes pending again meanwhile is not missed: it is offered to partners alone.
struct FindStandings: Statement {
    static let sql = """
        WITH looked AS MATERIALIZED (
            SELECT id, status, candidates @> ARRAY[$2] OR courier_id = $2 AS concerns FROM deliveries
            WHERE store_id = $1 AND (status, id) < ($3::delivery_status, $4) AND status >= '\(DeliveryStatus.lastOpen.rawValue)'
            ORDER BY status DESC, id DESC LIMIT 1000)
        SELECT id, NULL::delivery_status AS status, NULL::uuid AS place FROM looked WHERE concerns
        UNION ALL
        SELECT NULL, status, id FROM (
            SELECT status, id, count(*) OVER () AS number FROM looked ORDER BY status, id LIMIT 1) edge WHERE number = 1000
        """
    static let isReadOnly = true
    let pair: Pair
    let after: Place

    struct Place: Sendable {
        let status: DeliveryStatus
        let id: ID

        static let beginning = Place(status: .pending, id: ID(high: .max, low: .max))
    }

    func bind(into parameters: inout Parameters) {
        pair.bind(into: &parameters)
        parameters.add(after.status)
        parameters.add(after.id)
    }

    static func decode(_ row: inout RowReader) throws -> (delivery: ID?, edge: Place?) {
        let (delivery, status, id): (ID?, DeliveryStatus?, ID?) = (try row.read(), try row.read(), try row.read())
        guard let status, let id else { return (delivery, nil) }
        return (delivery, Place(status: status, id: id))
    }
}
