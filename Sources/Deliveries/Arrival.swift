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

    /// Joins them to a delivery `d`. The database looks for it in a function of its own (`arrival_of`), which is called only for what is
    /// under way: other reads would pay for the plan of a statement that they do not need.
    package static let join = """
        LEFT JOIN LATERAL (
            SELECT * FROM arrival_of(d.id, d.courier_id, interval '\(Fix.freshness) seconds', \(StraightWay.detour),
                \(StraightWay.metersPerSecond))
            WHERE d.status = 'in_progress' AND d.recipient_lat IS NOT NULL OFFSET 0) eta ON true
        """
}
