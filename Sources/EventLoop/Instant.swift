import Glibc

/// A point on the machine's monotonic clock, in nanoseconds since boot.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// An instant so many nanoseconds after boot.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// What the clock says at this moment.
    public static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Later than anything that somebody waits for.
    public static let distantFuture = Instant(nanoseconds: .max)

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.inNanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// Nanoseconds from an earlier instant to this one.
    public func nanoseconds(since earlier: Instant) -> Int64 {
        nanoseconds - earlier.nanoseconds
    }
}

extension Duration {
    /// Whole nanoseconds. A duration that is too long to count becomes the longest that can be.
    public var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ attoseconds / 1_000_000_000
    }
}
