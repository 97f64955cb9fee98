import Crypto
import Domain
import Glibc
import Postgres

extension ID {
    /// A new id, later than those before.
    package static func new() -> ID {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return new(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }

    /// A new id of something that happened then.
    package static func new(at time: Timestamp) -> ID { new(milliseconds: time.microseconds / 1000) }

    private static func new(milliseconds: Int64) -> ID {
        version7(milliseconds: milliseconds, random: (SecureRandom.word(), SecureRandom.word()))
    }
}
