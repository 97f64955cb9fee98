import Crypto
import Domain
import Glibc

extension ID {
    /// A new id, later than those before.
    package static func new() -> ID {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return version7(
            milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000,
            random: (SecureRandom.word(), SecureRandom.word()))
    }
}
