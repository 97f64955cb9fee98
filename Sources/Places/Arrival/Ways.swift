import API
import Domain
import EventLoop
import Postgres
import Services

/// Asks a router how long it takes couriers to their stops, and keeps what it says with where they are: whoever reads a delivery
/// finds it there, and waits for nobody.
package final class Ways: Sendable {
    /// For how many couriers a router is asked at once; the others are looked for when they say next where they are.
    private static let most = 1024

    private let roads: Roads
    private let database: Database
    private let sought = Locked<Set<ID>>([])

    package init(_ roads: Roads, _ database: Database) { (self.roads, self.database) = (roads, database) }

    /// Looks for a courier who has just said where it is, unless what the router said last still holds. Nobody waits for it.
    func look(for courier: ID) {
        guard let loop = EventLoop.current else { preconditionFailure("fixes come on the loops") }
        guard sought.withLock({ $0.count < Self.most && $0.insert(courier).inserted }) else { return }
        Task(executorPreference: loop) { [self] in
            await find(courier)
            sought.withLock { _ = $0.remove(courier) }
        }
    }

    /// Straight lines do where the router does not answer in time, or the database does not.
    private func find(_ courier: ID) async {
        guard let stops = try? await database.run(FindWay(courier: courier)), let first = stops.first,
            let route = await roads.route(over: [first.courier] + stops.map(\.place))
        else { return }
        var (seconds, meters): ([Double], [Double]) = ([], [])
        for leg in route.legs {
            seconds.append((seconds.last ?? 0) + leg.seconds)
            meters.append((meters.last ?? 0) + leg.meters)
        }
        let keep = KeepWay(
            courier: courier, at: first.at, stops: stops.map(\.delivery), seconds: seconds, meters: meters)
        _ = try? await database.run(keep)
    }
}

/// A courier's way, if there is need to ask: what the router said last is of other stops, or twenty seconds old.
struct FindWay: Statement {
    static let sql = """
        SELECT s.id, s.lat, s.lon, p.lat, p.lon, least(p.at, now())
        FROM (
            SELECT * FROM positions WHERE courier_id = $1 AND at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) p,
            LATERAL (
                SELECT d.id, d.recipient_lat AS lat, d.recipient_lon AS lon, j.place,
                    array_agg(d.id) OVER (ORDER BY j.place DESC, d.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
                        AS stops
                FROM (SELECT place, delivery_id FROM jobs WHERE courier_id = $1 AND status = 'in_progress' OFFSET 0) j,
                    LATERAL (SELECT * FROM deliveries d WHERE d.id = j.delivery_id AND d.recipient_lat IS NOT NULL OFFSET 0) d) s
        WHERE (p.way_stops = s.stops AND p.way_at > now() - interval '20 seconds') IS NOT TRUE
        ORDER BY s.place DESC, s.id DESC
        """
    static let isReadOnly = true
    let courier: ID

    func bind(into parameters: inout Parameters) { parameters.add(courier) }

    static func decode(
        _ row: inout RowReader
    ) throws -> (delivery: ID, place: Location, courier: Location, at: Timestamp) {
        let delivery: ID = try row.read()
        guard let place = try Location.read(&row), let courier = try Location.read(&row) else {
            throw PostgresError.unexpected("a place that is none")
        }
        return (delivery, place, courier, try row.read())
    }
}

/// Keeps what a router said of a courier's way.
struct KeepWay: Statement {
    static let sql = """
        UPDATE positions SET way_at = $2, way_stops = $3, way_seconds = $4, way_meters = $5 WHERE courier_id = $1
        """
    let courier: ID
    let at: Timestamp
    let stops: [ID]
    let seconds, meters: [Double]

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(at)
        parameters.add(stops)
        parameters.add(seconds)
        parameters.add(meters)
    }
}
