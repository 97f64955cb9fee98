import API
import Domain
import Feed
import HTTP
import Postgres

/// The order in which a courier means to go.
package struct RouteRoom: Room {
    package init() {}

    package let eventTypes = [EventType.routed.rawValue]

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/route", for: .courier,
                "Says in which order one means to deliver what one carries; an empty one is none",
                room: DeliveryRoom.name,
                takes: RouteForm.self, answers: [.noContent]
            ) { call, form in
                let set = SetRoute(courier: call.caller.account, deliveries: form.deliveries)
                guard try await call.run(set).first == true else {
                    throw Problem(
                        .unprocessable, "validation_failed",
                        fields: [Problem.WrongField("delivery_ids", "not_carried")])
                }
                return Response(.noContent)
            }
        ]
    }
}

/// What one carries, in the order in which one means to go.
struct RouteForm: Form {
    let deliveries: [ID]

    init(_ fields: inout Fields) { deliveries = fields.ids("delivery_ids", 0...Bounds.stops) }
}

/// Sets a courier's route, unless something in it is not its own in progress; says whether it did. Stores concerned are told.
struct SetRoute: Statement {
    static let sql = """
        WITH route AS MATERIALIZED (
            SELECT id, ARRAY[no::integer, cardinality($2)] AS stop FROM unnest($2::uuid[]) WITH ORDINALITY AS r(id, no)),
        -- Whoever takes a step with one of these comes before or after.
        carried AS MATERIALIZED (
            SELECT d.* FROM (
                SELECT delivery_id FROM jobs WHERE courier_id = $1 AND status = 'in_progress' ORDER BY delivery_id) j,
                LATERAL (
                    SELECT id, store_id, version, due_at FROM deliveries d
                    WHERE d.id = j.delivery_id AND d.status = 'in_progress' AND d.courier_id = $1
                    FOR NO KEY UPDATE) d),
        checked AS MATERIALIZED (SELECT NOT EXISTS (SELECT FROM route WHERE id NOT IN (SELECT id FROM carried)) AS is_right),
        moved AS (
            UPDATE jobs j SET stop = c.stop,
                place = coalesce(\(Self.first) - c.stop[1], place_in_list('in_progress', c.due_at, NULL, NULL))
            FROM (
                SELECT carried.*, route.stop FROM checked, carried LEFT JOIN route USING (id) WHERE is_right OFFSET 0) c
            WHERE j.courier_id = $1 AND j.status = 'in_progress' AND j.delivery_id = c.id
                AND j.stop IS DISTINCT FROM c.stop
            RETURNING c.id, c.store_id, c.version),
        published AS (
            \(Publish.ofDeliveries("""
                SELECT ARRAY[$1, store_id], array_fill('\(EventType.routed.rawValue)'::text, '{2}'), id, version, clock_timestamp()
                FROM moved
                """)))
        SELECT is_right FROM checked
        """
    /// The place of what comes first is before any time.
    private static let first = Int64.max / 2
    let courier: ID
    let deliveries: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(deliveries)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
