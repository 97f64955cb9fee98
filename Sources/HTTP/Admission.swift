import EventLoop
import Synchronization

/// Counts what all loops have open, in all and by address, and says whether there is room for more. Addresses of version
/// 6 are counted by their network, since whoever has one has them all.
///
/// Addresses are spread over many locks, so that loops hardly ever meet at one.
final class Admission: Sendable {
    private let limits: Limits
    private let connections = Atomic(0)
    private let requests = Atomic(0)
    private let networks = (0..<64).map { _ in Locked<[IPAddress: Counts]>([:]) }

    private struct Counts {
        var connections = 0
        var requests = 0
        var isNothing: Bool { connections + requests == 0 }
    }

    enum Verdict {
        case admitted
        case tooManyOfThisAddress
        case tooMany
    }

    init(limits: Limits) {
        self.limits = limits
    }

    /// How many connections are open.
    var openConnections: Int { connections.load(ordering: .relaxed) }

    /// Proxies are not held to the bound of a single address: many clients come through them.
    func enterConnection(_ address: IPAddress, isTrusted: Bool) -> Bool {
        guard Self.take(from: connections, limits.connections) else { return false }
        let bound = isTrusted ? Int.max : limits.connectionsPerAddress ?? .max
        let network = address.network
        let fits = counts(of: network).withLock { Self.take(from: &$0[network, default: Counts()].connections, bound) }
        if !fits { connections.subtract(1, ordering: .relaxed) }
        return fits
    }

    func leaveConnection(_ address: IPAddress) {
        connections.subtract(1, ordering: .relaxed)
        let network = address.network
        counts(of: network).withLock { counts in
            counts[network]?.connections -= 1
            if counts[network]?.isNothing == true { counts[network] = nil }
        }
    }

    /// A request is its client's, also when it came through a proxy.
    func enterRequest(_ client: IPAddress) -> Verdict {
        guard Self.take(from: requests, limits.requests) else { return .tooMany }
        guard let bound = limits.requestsPerAddress else { return .admitted }
        let network = client.network
        let fits = counts(of: network).withLock { Self.take(from: &$0[network, default: Counts()].requests, bound) }
        if !fits { requests.subtract(1, ordering: .relaxed) }
        return fits ? .admitted : .tooManyOfThisAddress
    }

    func leaveRequest(_ client: IPAddress) {
        requests.subtract(1, ordering: .relaxed)
        guard limits.requestsPerAddress != nil else { return }
        let network = client.network
        counts(of: network).withLock { counts in
            counts[network]?.requests -= 1
            if counts[network]?.isNothing == true { counts[network] = nil }
        }
    }

    private static func take(from total: borrowing Atomic<Int>, _ bound: Int) -> Bool {
        let fits = total.add(1, ordering: .relaxed).newValue <= bound
        if !fits { total.subtract(1, ordering: .relaxed) }
        return fits
    }

    private static func take(from count: inout Int, _ bound: Int) -> Bool {
        guard count < bound else { return false }
        count += 1
        return true
    }

    private func counts(of network: IPAddress) -> Locked<[IPAddress: Counts]> {
        networks[network.shard & 63]
    }
}
