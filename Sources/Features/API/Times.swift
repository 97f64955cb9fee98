import Glibc
import HTTP
import Postgres

extension Timestamp {
    /// What this machine's clock says.
    static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
    }

    /// RFC 3339 in UTC, with milliseconds.
    var text: String {
        let milliseconds = microseconds / 1000 - (microseconds % 1000 < 0 ? 1 : 0)
        let seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        let days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0)
        let (year, month, day) = Self.date(daysSince1970: days)
        let ofDay = seconds - days * 86400
        let parts = [
            Self.digits(year, 4), "-", Self.digits(month, 2), "-", Self.digits(day, 2), "T",
            Self.digits(ofDay / 3600, 2),
            ":", Self.digits(ofDay / 60 % 60, 2), ":", Self.digits(ofDay % 60, 2), ".",
            Self.digits(milliseconds - seconds * 1000, 3), "Z",
        ]
        return parts.joined()
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// The civil date of the Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension JSONWriter {
    /// A field that holds a time.
    mutating func field(_ name: StaticString, _ time: Timestamp) {
        field(name, time.text)
    }

    /// A field that holds a time, or null.
    mutating func field(_ name: StaticString, _ time: Timestamp?) {
        field(name, time?.text)
    }
}
