import Glibc

/// The `Date` field, made once a second.
struct HTTPDate {
    private var second: time_t = 0
    private(set) var bytes: [UInt8] = []

    mutating func update() {
        let now = time(nil)
        guard now != second else { return }
        second = now
        bytes = Array("Date: \(Self.format(now))\r\n".utf8)
    }

    /// `Fri, 20 Nov 2026 12:00:00 GMT`
    static func format(_ time: time_t) -> String {
        var time = time
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
