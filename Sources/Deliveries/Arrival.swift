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

    /// Reads ``column``, which is NULL where nobody can tell.
    package static func read(_ row: inout RowReader) throws -> Arrival? {
        guard let told: [Double] = try row.read() else { return nil }
        let (computedAt, seconds) = (Timestamp(microseconds: Int64(told[0])), told[2])
        let at = Timestamp(microseconds: computedAt.microseconds + Int64(seconds * 1_000_000))
        return Arrival(at: at, meters: told[1], isByRouter: told[3] == 1, computedAt: computedAt)
    }

    /// When the delivery `d` will arrive. A function of the database looks for it, which is called only for what is under way: a
    /// statement would set up its plan for every delivery that is read.
    package static let column = """
        CASE WHEN d.status = 'in_progress' AND d.recipient_lat IS NOT NULL THEN
            arrival_of(d.id, d.courier_id, interval '\(Fix.freshness) seconds', \(StraightWay.detour), \(StraightWay.metersPerSecond)) END
        """
}
