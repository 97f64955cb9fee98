import API
import Domain
import HTTP
import Postgres

/// When a delivery that is under way will arrive, by where its courier is and what it brings before.
package struct Arrival: Sendable {
    package let at: Timestamp
    /// Along the streets.
    package let meters: Double
    /// Whether a router says so.
    package let isByRouter: Bool
    package let computedAt: Timestamp

    static let shape = Shape.object(
        "Arrival",
        [
            .init("at", .time), .init("distance_m", .count), .init("by", sourceShape), .init("computed_at", .time),
        ])
    /// Who says how long it takes.
    package static let sourceShape = Shape.oneOf(["straight", "router"], named: "ArrivalBy")

    package func write(_ json: inout JSONWriter) {
        json.field("at", at)
        json.field("distance_m", Int(meters.rounded()))
        json.field("by", isByRouter ? "router" : "straight")
        json.field("computed_at", computedAt)
    }

    /// Reads the columns of ``sql``, which are NULL where nobody can tell.
    package static func read(_ row: inout RowReader) throws -> Arrival? {
        let (computedAt, meters, seconds): (Timestamp?, Double?, Double?) = (
            try row.read(), try row.read(), try row.read()
        )
        let isByRouter: Bool? = try row.read()
        guard let computedAt, let meters, let seconds, let isByRouter else { return nil }
        let at = Timestamp(microseconds: computedAt.microseconds + Int64(seconds * 1_000_000))
        return Arrival(at: at, meters: meters, isByRouter: isByRouter, computedAt: computedAt)
    }

    package static let columns = "eta.computed_at, eta.meters, eta.seconds, eta.by_router"

    /// Joins them to a delivery `d`. Where nobody is under way this ends at the first look; where its courier has not said where it is,
    /// at the second.
    package static let join = """
        LEFT JOIN LATERAL (
            SELECT by_router, CASE WHEN by_router THEN p.way_at ELSE least(p.at, now()) END AS computed_at,
                CASE WHEN by_router THEN p.way_meters[cardinality(way.stops)] ELSE way.meters * \(StraightWay.detour) END AS meters,
                CASE WHEN by_router THEN p.way_seconds[cardinality(way.stops)]
                    ELSE way.meters * \(StraightWay.detour / StraightWay.metersPerSecond) END AS seconds
            FROM (
                SELECT * FROM positions p
                WHERE d.status = 'in_progress' AND d.recipient_lat IS NOT NULL AND p.courier_id = d.courier_id
                    AND p.at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) p,
                LATERAL (
                    SELECT array_agg(id ORDER BY nth) AS stops, sum(meters) AS meters FROM (\(legs)) leg) way,
                LATERAL (
                    SELECT coalesce(p.way_at >= now() - interval '\(Fix.freshness) seconds'
                        AND p.way_stops[1:cardinality(way.stops)] = way.stops, false) AS by_router) known) eta ON true
        """

    /// What its courier brings up to it, in the order of that courier's list, each with the way from the place before.
    private static let legs = """
        SELECT s.id, row_number() OVER way AS nth,
            distance_m(lag(s.lat, 1, p.lat) OVER way, lag(s.lon, 1, p.lon) OVER way, s.lat, s.lon) AS meters
        FROM (
            SELECT place, delivery_id FROM jobs
            WHERE courier_id = d.courier_id AND status = 'in_progress' AND delivery_id = d.id OFFSET 0) own,
            LATERAL (
                SELECT place, delivery_id FROM jobs j
                WHERE j.courier_id = d.courier_id AND j.status = 'in_progress'
                    AND (j.place, j.delivery_id) >= (own.place, own.delivery_id) OFFSET 0) j,
            LATERAL (
                SELECT id, recipient_lat AS lat, recipient_lon AS lon FROM deliveries s
                WHERE s.id = j.delivery_id AND s.recipient_lat IS NOT NULL OFFSET 0) s
        WINDOW way AS (ORDER BY j.place DESC, j.delivery_id DESC)
        """
}
