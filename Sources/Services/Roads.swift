import Curl
import Domain
import EventLoop
import HTTP

/// How far it is along roads, as a router that speaks OSRM's protocol knows it.
///
/// Nobody waits for it longer than a second. Answers are kept for a day: roads stay, and what is in their way it does not know.
public final class Roads: Sendable {
    /// How far it is from one place to another.
    public struct Way: Equatable, Sendable {
        public let meters, seconds: Double
    }

    /// A way over several places.
    public struct Route: Equatable, Sendable {
        /// From each place to the next.
        public let legs: [Way]
        /// What to draw on a map.
        public let line: [Location]
    }

    /// What a router says of places that no road joins.
    private enum Answer<Found: Sendable>: Sendable {
        case found(Found)
        case none
    }

    /// How many places one question has at most, as OSRM has it unless its operator says otherwise.
    public static let mostPlaces = 100

    private let service: RemoteService
    private let tables = Kept<Answer<[[Way?]]>>(for: .seconds(86_400), most: 2048)
    private let routes = Kept<Answer<Route>>(for: .seconds(86_400), most: 2048)

    static let bounds = RemoteService.Bounds(atOnce: 8, waiting: 64, bytes: 1 << 20, seconds: 1, statuses: [200, 400])

    init(_ service: RemoteService) { self.service = service }

    /// The way from each of these places to each of them: a row for each place, in which nil means that there is none. It is nil
    /// if the router does not answer.
    public func ways(among places: [Location]) async -> [[Way?]]? {
        guard (1...Self.mostPlaces).contains(places.count) else { return nil }
        let path = "/table/v1/driving/\(Self.text(places))?annotations=duration,distance"
        let count = places.count
        let answer = await ask(path, tables) { try Self.table($0, of: count) }
        guard case .found(let table)? = answer else { return nil }
        return table
    }

    /// The way over these places, in this order. It is nil if the router knows none, or does not answer.
    public func route(over places: [Location]) async -> Route? {
        guard (2...Self.mostPlaces).contains(places.count) else { return nil }
        let path = "/route/v1/driving/\(Self.text(places))?overview=simplified&geometries=geojson&steps=false"
        let count = places.count
        guard case .found(let route)? = await ask(path, routes, { try Self.route($0, of: count) }) else { return nil }
        return route
    }

    private func ask<Found>(
        _ path: String, _ kept: Kept<Answer<Found>>, _ read: @escaping @Sendable (JSON) throws -> Found
    ) async -> Answer<Found>? {
        if let known = kept.answer(to: path) { return known }
        let answer = await service.ask(path) { json throws -> Answer<Found> in
            switch json["code"]?.text {
            case "Ok": Answer.found(try read(json))
            case "NoRoute", "NoTable", "NoSegment": Answer.none
            default: throw NotUnderstood()
            }
        }
        if let answer { kept.keep(answer, to: path) }
        return answer
    }

    /// Places to the ten-thousandth degree, which is about ten meters: who moves less asks for the same.
    private static func text(_ places: [Location]) -> String {
        places.map { "\(degrees($0.lon)),\(degrees($0.lat))" }.joined(separator: ";")
    }

    private static func degrees(_ angle: Double) -> String {
        let parts = Int((angle * 10_000).rounded()).quotientAndRemainder(dividingBy: 10_000)
        let fraction = String(abs(parts.remainder))
        let sign = angle < 0 && (parts.quotient != 0 || parts.remainder != 0) ? "-" : ""
        return "\(sign)\(abs(parts.quotient)).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)"
    }

    private static func table(_ json: JSON, of count: Int) throws -> [[Way?]] {
        guard let distances = json["distances"]?.list, let durations = json["durations"]?.list,
            distances.count == count, durations.count == count
        else { throw NotUnderstood() }
        return try zip(distances, durations).map { distances, durations in
            guard let distances = distances.list, let durations = durations.list, distances.count == count,
                durations.count == count
            else { throw NotUnderstood() }
            return try zip(distances, durations).map(way)
        }
    }

    private static func way(_ distance: JSON, _ duration: JSON) throws -> Way? {
        guard distance != .null, duration != .null else { return nil }
        guard let meters = distance.amount, let seconds = duration.amount else { throw NotUnderstood() }
        return Way(meters: meters, seconds: seconds)
    }

    private static func route(_ json: JSON, of count: Int) throws -> Route {
        guard let first = json["routes"]?.list?.first, let legs = first["legs"]?.list, legs.count == count - 1,
            let line = first["geometry"]?["coordinates"]?.list
        else { throw NotUnderstood() }
        return Route(
            legs: try legs.map { leg in
                guard let way = try way(leg["distance"] ?? .null, leg["duration"] ?? .null) else {
                    throw NotUnderstood()
                }
                return way
            },
            line: try line.map { point in
                guard let point = point.list, point.count == 2, let lon = point[0].double, let lat = point[1].double,
                    let place = Location(lat: lat, lon: lon)
                else { throw NotUnderstood() }
                return place
            })
    }
}
