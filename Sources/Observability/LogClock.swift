import Glibc

/// Writes the time as RFC 3339 with milliseconds. The part up to the second is made once a second.
struct LogClock {
    private var second: time_t = 0
    private var prefix: [UInt8] = []

    mutating func write(into bytes: inout [UInt8]) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_sec != second || prefix.isEmpty {
            second = now.tv_sec
            prefix = Self.format(second)
        }
        bytes += prefix
        let milliseconds = now.tv_nsec / 1_000_000
        for digit in [milliseconds / 100, milliseconds / 10 % 10, milliseconds % 10] {
            bytes.append(UInt8(0x30 + digit))
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// `2026-11-20T12:00:00.`
    private static func format(_ second: time_t) -> [UInt8] {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return Array("\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).".utf8)
    }
}
