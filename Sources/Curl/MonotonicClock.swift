import Glibc

/// The clock that nobody sets.
package enum MonotonicClock {
    /// The seconds that it has counted.
    package static var seconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
