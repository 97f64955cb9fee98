import EventLoop

/// Counts the open connections of all loops, and says whether one more may come.
final class Admission: Sendable {
    private let limits: Limits
    private let open = Locked(Open())

    private struct Open {
        var total = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    init(limits: Limits) {
        self.limits = limits
    }

    var count: Int { open.withLock { $0.total } }

    /// Proxies are not held to the bound of a single address: many clients come through them.
    func enter(_ address: IPAddress, isTrusted: Bool) -> Bool {
        open.withLock { open in
            let ofAddress = open.byAddress[address, default: 0]
            guard open.total < limits.connections else { return false }
            if let bound = limits.connectionsPerAddress, !isTrusted, ofAddress >= bound { return false }
            open.total += 1
            open.byAddress[address] = ofAddress + 1
            return true
        }
    }

    func leave(_ address: IPAddress) {
        open.withLock { open in
            open.total -= 1
            let left = open.byAddress[address, default: 1] - 1
            open.byAddress[address] = left == 0 ? nil : left
        }
    }
}
