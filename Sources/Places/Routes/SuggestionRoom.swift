import API
import Deliveries
import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// In which order a courier had better go.
package struct SuggestionRoom: Room {
    /// Knows the ways by road, where there is a router.
    private let roads: Roads?
    /// Where orders are tried: with many stops that takes longer than a loop has time for.
    private let thread: BlockingPool

    package init(roads: Roads?, thread: BlockingPool) { (self.roads, self.thread) = (roads, thread) }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/route/suggestion", for: .courier,
                """
                The order of what one carries that ends soonest, with windows kept as far as can be. What has no place comes last, as it \
                stands; PUT /v1/me/route takes the order. Of more than \(Bounds.stops) stops the first ones are ordered, and the others \
                left out
                """,
                room: "Deliveries", answers: [.ok(Self.shape)],
                throttledBy: { call in
                    [Throttle.Bucket("suggestions to", call.caller.account.description, burst: 20, step: .seconds(3))]
                }, handler: suggest)
        ]
    }

    private static let shape = Shape.object(
        "RouteSuggestion",
        [
            .init("delivery_ids", .array(.id, most: Bounds.stops)),
            // When the last stop that has a place is reached.
            .init("ends_at", Shape.time.orNull),
            // How much sooner that is than in the order as it stands; how late one is at all stops together, and how much less
            // than in that order, which comes first.
            .init("saves_seconds", .integer(Int(Int32.min)...Int(Int32.max))), .init("late_seconds", .count),
            .init("less_late_seconds", .count),
            .init("by", Arrival.sourceShape),
        ])

    private func suggest(_ call: Call) async throws -> Response {
        let stops = try await call.run(FindStops(courier: call.caller.account))
        let places = ([stops.first?.courier] + stops.map(\.place)).compactMap(\.self)
        let ways = await roads?.ways(among: places)
        let suggestion = try await thread.run(for: call.caller.account) {
            RouteSuggestion(stops, ways: ways, now: .now)
        }
        var json = JSONWriter()
        json.object(suggestion.write)
        return .json(json.bytes)
    }
}

/// A suggested order, and what it comes to.
struct RouteSuggestion: Sendable {
    private let order: [ID]
    private let endsAt: Timestamp?
    private let cost, present: RoutePlan.Cost
    private let isByRouter: Bool

    /// `ways` has those from where the courier is, if that is known, and from each place, to each of them.
    init(_ stops: [FindStops.Row], ways: [[Roads.Way?]]?, now: Timestamp) {
        let (placed, others) = (stops.filter { $0.place != nil }, stops.filter { $0.place == nil })
        let places = placed.compactMap(\.place)
        let start = stops.first?.courier
        isByRouter = ways != nil
        let before = start == nil ? 0 : 1
        let plan = RoutePlan(
            fromStart: places.enumerated().map { to, place in
                guard let start else { return 0 }
                return ways?[0][to + 1]?.seconds ?? StraightWay.seconds(from: start, to: place)
            },
            between: places.enumerated().map { from, origin in
                places.enumerated().map { to, place in
                    ways?[from + before][to + before]?.seconds ?? StraightWay.seconds(from: origin, to: place)
                }
            },
            windows: placed.map { stop in
                func seconds(_ time: Timestamp) -> Double { Double(time.microseconds - now.microseconds) / 1e6 }
                return RoutePlan.Window(from: stop.from.map(seconds), until: stop.until.map(seconds))
            })
        let best = plan.best(present: Array(placed.indices))
        (cost, present) = (plan.cost(of: best), plan.cost(of: Array(placed.indices)))
        order = best.map { placed[$0].delivery } + others.map(\.delivery)
        endsAt = placed.isEmpty ? nil : Timestamp(microseconds: now.microseconds + Int64(cost.end * 1e6))
    }

    func write(_ json: inout JSONWriter) {
        func whole(_ seconds: Double) -> Int { Int(min(max(seconds.rounded(), -2e9), 2e9)) }
        json.array("delivery_ids", order) { $0.item($1.description) }
        json.field("ends_at", endsAt)
        json.field("saves_seconds", whole(present.end - cost.end))
        json.field("late_seconds", whole(cost.late))
        json.field("less_late_seconds", max(0, whole(present.late - cost.late)))
        json.field("by", isByRouter ? "router" : "straight")
    }
}

/// What a courier carries, in the order of its list, as far as a route goes, and where it is itself.
struct FindStops: Statement {
    static let sql = """
        SELECT j.delivery_id, d.recipient_lat, d.recipient_lon, d.window_from, d.due_at, p.lat, p.lon
        FROM (
                SELECT place, delivery_id FROM jobs WHERE courier_id = $1 AND status = 'in_progress'
                ORDER BY place DESC, delivery_id DESC LIMIT \(Bounds.stops)) j
            JOIN LATERAL (
                SELECT recipient_lat, recipient_lon, window_from, due_at FROM deliveries d WHERE d.id = j.delivery_id OFFSET 0) d ON true
            LEFT JOIN LATERAL (
                SELECT lat, lon FROM positions
                WHERE courier_id = $1 AND at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) p ON true
        ORDER BY j.place DESC, j.delivery_id DESC
        """
    static let isReadOnly = true
    let courier: ID

    func bind(into parameters: inout Parameters) { parameters.add(courier) }

    static func decode(
        _ row: inout RowReader
    ) throws -> (delivery: ID, place: Location?, from: Timestamp?, until: Timestamp?, courier: Location?) {
        (
            try row.read(), try Location.read(&row), try row.read(), try row.read(), try Location.read(&row)
        )
    }
}
