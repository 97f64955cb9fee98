import EventLoop
import HTTP

/// Counts events, on each loop separately; the loops are asked when somebody wants to know.
public final class Metrics: Sendable {
    private let counters: LoopLocal<Counters>

    /// Counters for every loop of the group.
    public init(on group: EventLoopGroup) async throws {
        counters = try await LoopLocal(group) { _ in Counters() }
    }

    /// Counts the event, if it is one that is counted.
    public func observe(_ observation: Observation) {
        guard let counters = counters.current else { return }
        switch observation {
        case .http(.answered(let summary)): counters.counts.add(summary)
        case .http(.turnedAway): counters.counts.turnedAway += 1
        case .http(.cutOff): counters.counts.cutOff += 1
        case .http(.handshakeFailed): counters.counts.failedHandshakes += 1
        case .process(.jobFailed(let job, _)): counters.counts.failedJobs[job, default: 0] += 1
        case .process(.asked(let service, let outcome, _)):
            counters.counts.asked[ServiceKey(service: service, outcome: outcome), default: 0] += 1
        case .http(.failed), .http(.cannotAccept), .http(.certificateRenewed), .http(.certificateRefused), .postgres,
            .process:
            break
        }
    }

    /// The sum of all loops' counts.
    func sum() async -> Counts {
        await counters.onEach { $0.counts }.reduce(Counts()) { $0.adding($1) }
    }

    private final class Counters {
        var counts = Counts()
    }
}

/// The counts so far.
struct Counts: Sendable {
    var requests: [RouteKey: RouteCounts] = [:]
    var turnedAway = 0
    var cutOff = 0
    var failedHandshakes = 0
    var failedJobs: [String: Int] = [:]
    var asked: [ServiceKey: Int] = [:]

    mutating func add(_ summary: HTTPEvent.Summary) {
        requests[RouteKey(summary), default: RouteCounts()].add(summary)
    }

    func adding(_ other: Counts) -> Counts {
        var sum = self
        sum.requests.merge(other.requests) { $0.adding($1) }
        sum.turnedAway += other.turnedAway
        sum.cutOff += other.cutOff
        sum.failedHandshakes += other.failedHandshakes
        sum.failedJobs.merge(other.failedJobs) { $0 + $1 }
        sum.asked.merge(other.asked) { $0 + $1 }
        return sum
    }
}

/// A service far away, and what became of questions to it.
struct ServiceKey: Hashable, Sendable {
    let service, outcome: String
}

/// How requests are told apart, never by anything that a client can make up.
struct RouteKey: Hashable, Sendable {
    let method: String
    let route: String

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    init(_ summary: HTTPEvent.Summary) {
        method = summary.method.map { Self.methods.contains($0) ? $0 : "other" } ?? "other"
        route = summary.route ?? "none"
    }
}

/// How often a route was answered with which status, and how long that took.
struct RouteCounts: Sendable {
    static let bounds: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
    private static let boundsInNanoseconds = bounds.map { Int64($0 * 1e9) }

    private(set) var statuses: [(status: Int, count: Int)] = []
    private(set) var buckets = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var nanoseconds: Int64 = 0

    mutating func add(_ summary: HTTPEvent.Summary) {
        add(summary.status, 1)
        nanoseconds += summary.nanoseconds
        let place = Self.boundsInNanoseconds.firstIndex { summary.nanoseconds <= $0 } ?? Self.bounds.count
        buckets[place] += 1
    }

    func adding(_ other: RouteCounts) -> RouteCounts {
        var sum = self
        for (status, count) in other.statuses { sum.add(status, count) }
        for place in buckets.indices { sum.buckets[place] += other.buckets[place] }
        sum.nanoseconds += other.nanoseconds
        return sum
    }

    private mutating func add(_ status: Int, _ count: Int) {
        if let place = statuses.firstIndex(where: { $0.status == status }) {
            statuses[place].count += count
        } else {
            statuses.append((status, count))
        }
    }
}
