import EventLoop
import Synchronization

/// Counts open connections, requests and bytes that wait to be read, in all and by address, and says whether there is
/// room for more. Addresses of version 6 are counted by network, since one subscriber has all of a network.
///
/// Addresses are spread over many locks, so that loops hardly ever meet at one.
final class Admission: Sendable {
    private let limits: Limits
    private let connections = Atomic(0)
    private let requests = Atomic(0)
    private let bytes = Atomic(0)
    private let networks = (0..<64).map { _ in Locked<[IPAddress: Counts]>([:]) }

    private struct Counts {
        var connections = 0
        var requests = 0
        var bytes = 0
        var isNothing: Bool { connections + requests + bytes == 0 }
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

    /// How many bytes wait for clients to read them.
    var bytesWaiting: Int { bytes.load(ordering: .relaxed) }

    /// Proxies are not held to the limit for one address, because many clients come through them.
    func enterConnection(_ address: IPAddress, isTrusted: Bool) -> Bool {
        guard Self.take(1, from: connections, limits.connections) else { return false }
        let bound = isTrusted ? Int.max : limits.connectionsPerAddress ?? .max
        let network = address.network
        let fits = counts(of: network).withLock {
            Self.take(1, from: &$0[network, default: Counts()].connections, bound)
        }
        if !fits { connections.subtract(1, ordering: .relaxed) }
        return fits
    }

    func leaveConnection(_ address: IPAddress) {
        connections.subtract(1, ordering: .relaxed)
        release(address) { $0.connections -= 1 }
    }

    /// A request counts for its client, even if it came through a proxy.
    func enterRequest(_ client: IPAddress) -> Verdict {
        guard Self.take(1, from: requests, limits.requests) else { return .tooMany }
        guard let bound = limits.requestsPerAddress else { return .admitted }
        let network = client.network
        let fits = counts(of: network).withLock { Self.take(1, from: &$0[network, default: Counts()].requests, bound) }
        if !fits { requests.subtract(1, ordering: .relaxed) }
        return fits ? .admitted : .tooManyOfThisAddress
    }

    func leaveRequest(_ client: IPAddress) {
        requests.subtract(1, ordering: .relaxed)
        guard limits.requestsPerAddress != nil else { return }
        release(client) { $0.requests -= 1 }
    }

    /// Counts bytes that wait for clients at that address. Proxies are exempt as above.
    func enterBytes(_ count: Int, _ address: IPAddress, isTrusted: Bool) -> Verdict {
        guard Self.take(count, from: bytes, limits.waiting) else { return .tooMany }
        let bound = isTrusted ? Int.max : limits.waitingPerAddress ?? .max
        let network = address.network
        let fits = counts(of: network).withLock { Self.take(count, from: &$0[network, default: Counts()].bytes, bound) }
        if !fits { bytes.subtract(count, ordering: .relaxed) }
        return fits ? .admitted : .tooManyOfThisAddress
    }

    func leaveBytes(_ count: Int, _ address: IPAddress) {
        bytes.subtract(count, ordering: .relaxed)
        release(address) { $0.bytes -= count }
    }

    private static func take(_ amount: Int, from total: borrowing Atomic<Int>, _ bound: Int) -> Bool {
        let fits = total.add(amount, ordering: .relaxed).newValue <= bound
        if !fits { total.subtract(amount, ordering: .relaxed) }
        return fits
    }

    private static func take(_ amount: Int, from count: inout Int, _ bound: Int) -> Bool {
        guard count <= bound - amount else { return false }
        count += amount
        return true
    }

    private func release(_ address: IPAddress, _ give: (inout Counts) -> Void) {
        let network = address.network
        counts(of: network).withLock { counts in
            guard var left = counts[network] else { return }
            give(&left)
            counts[network] = left.isNothing ? nil : left
        }
    }

    private func counts(of network: IPAddress) -> Locked<[IPAddress: Counts]> {
        networks[network.shard & 63]
    }
}
