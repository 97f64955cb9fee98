import EventLoop
import Synchronization

/// Counts what all loops have open, in all and by address, and says whether there is room for more.
///
/// Addresses are spread over many locks, so that loops hardly ever meet at one.
final class Admission: Sendable {
    private let limits: Limits
    private let connections = Atomic(0)
    private let requests = Atomic(0)
    private let addresses = (0..<64).map { _ in Locked<[IPAddress: Counts]>([:]) }

    private struct Counts {
        var connections = 0
        var requests = 0
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
        let bound = isTrusted ? nil : limits.connectionsPerAddress
        return enter(connections, limits.connections, address, \.connections, bound) == .admitted
    }

    func leaveConnection(_ address: IPAddress) {
        leave(connections, address, \.connections)
    }

    /// A request is its client's, also when it came through a proxy.
    func enterRequest(_ client: IPAddress) -> Verdict {
        enter(requests, limits.requests, client, \.requests, limits.requestsPerAddress)
    }

    func leaveRequest(_ client: IPAddress) {
        leave(requests, client, \.requests)
    }

    private func enter(
        _ total: borrowing Atomic<Int>, _ totalBound: Int, _ address: IPAddress,
        _ part: WritableKeyPath<Counts, Int>, _ bound: Int?
    ) -> Verdict {
        guard total.add(1, ordering: .relaxed).newValue <= totalBound else {
            total.subtract(1, ordering: .relaxed)
            return .tooMany
        }
        let fits = counts(of: address).withLock { counts in
            guard counts[address, default: Counts()][keyPath: part] < bound ?? .max else { return false }
            counts[address, default: Counts()][keyPath: part] += 1
            return true
        }
        if !fits { total.subtract(1, ordering: .relaxed) }
        return fits ? .admitted : .tooManyOfThisAddress
    }

    private func leave(
        _ total: borrowing Atomic<Int>, _ address: IPAddress, _ part: WritableKeyPath<Counts, Int>
    ) {
        total.subtract(1, ordering: .relaxed)
        counts(of: address).withLock { counts in
            guard var left = counts[address] else { return }
            left[keyPath: part] -= 1
            counts[address] = left.connections + left.requests == 0 ? nil : left
        }
    }

    private func counts(of address: IPAddress) -> Locked<[IPAddress: Counts]> {
        addresses[address.shard & 63]
    }
}
