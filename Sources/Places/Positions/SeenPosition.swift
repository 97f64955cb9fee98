import API
import Domain
import HTTP
import Postgres

/// Where a courier is or was, as a store sees it.
struct SeenPosition: Sendable {
    let courier: ID
    let firstName, lastName: String
    let at: Timestamp
    let lat, lon, accuracy: Double
    let speed, heading: Double?

    static let shape = Shape.object(
        "CourierPosition",
        [
            .init("courier_id", .id), .init("first_name", .string()), .init("last_name", .string()),
            // Where it is; or where it was last seen, if that is longer ago than a minute.
            .init("position", fix.orNull), .init("last_seen", fix.orNull),
        ])
    private static let fix = Shape.object(
        "Fix",
        ["lat", "lon", "accuracy_m"].map { .init($0, .number) } + [
            .init("at", .time), .init("speed_mps", Shape.number.orNull), .init("heading", Shape.number.orNull),
        ])

    /// Whether it is still where the courier is.
    func isFresh(at clock: Timestamp) -> Bool {
        clock.microseconds - at.microseconds <= Int64(Fix.freshness) * 1_000_000
    }

    func write(_ json: inout JSONWriter, at clock: Timestamp = .now) {
        let isFresh = isFresh(at: clock)
        json.field("courier_id", courier)
        json.field("first_name", firstName)
        json.field("last_name", lastName)
        if isFresh { json.object("position", writeFix) } else { json.field("position", String?.none) }
        if isFresh { json.field("last_seen", String?.none) } else { json.object("last_seen", writeFix) }
    }

    private func writeFix(_ json: inout JSONWriter) {
        json.field("lat", lat)
        json.field("lon", lon)
        json.field("accuracy_m", accuracy)
        json.field("at", at)
        json.field("speed_mps", speed)
        json.field("heading", heading)
    }

    /// The columns of a courier `k` and its position `p`.
    static let columns = """
        k.id, k.first_name, k.last_name, p.at, p.lat, p.lon, p.accuracy_m, p.speed_mps, p.heading
        """
}

extension SeenPosition {
    init(_ row: inout RowReader) throws {
        (courier, firstName, lastName) = (try row.read(), try row.read(), try row.read())
        at = try row.read()
        (lat, lon, accuracy) = (try row.read(), try row.read(), try row.read())
        (speed, heading) = (try row.read(), try row.read())
    }
}
