import EventLoop

/// The present state of pools and their counts so far, for one loop or several together.
public struct PoolStatistics: Sendable {
    /// Open connections.
    public internal(set) var open = 0
    /// Statements that are under way or about to be.
    public internal(set) var inFlight = 0
    /// Statements and transactions that wait for a connection.
    public internal(set) var waiting = 0
    /// Connections that broke and were opened again, or will be.
    public internal(set) var losses = 0
    /// Statements and transactions that had to wait for a connection.
    public internal(set) var waits = 0
    /// How long they waited, all together.
    public internal(set) var waitedNanoseconds: Int64 = 0

    mutating func addWait(since: Instant, now: Instant) {
        waits += 1
        waitedNanoseconds += now.nanoseconds(since: since)
    }

    static func + (left: PoolStatistics, right: PoolStatistics) -> PoolStatistics {
        var sum = left
        sum.open += right.open
        sum.inFlight += right.inFlight
        sum.waiting += right.waiting
        sum.losses += right.losses
        sum.waits += right.waits
        sum.waitedNanoseconds += right.waitedNanoseconds
        return sum
    }
}
