import Domain
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
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(into: text)
            return Self.length
        }
    }

    fileprivate static let length = 24

    fileprivate func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        let milliseconds = Self.floored(microseconds, by: 1000)
        let seconds = Self.floored(milliseconds, by: 1000)
        let days = Self.floored(seconds, by: 86400)
        let (year, month, day) = Self.date(daysSince1970: days)
        let ofDay = seconds - days * 86400
        _ = text.initialize(from: "0000-00-00T00:00:00.000Z".utf8)
        func write(_ number: Int64, endingAt end: Int, width: Int) {
            var rest = number
            for place in stride(from: end - 1, through: end - width, by: -1) {
                text[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        write(year, endingAt: 4, width: 4)
        write(month, endingAt: 7, width: 2)
        write(day, endingAt: 10, width: 2)
        write(ofDay / 3600, endingAt: 13, width: 2)
        write(ofDay / 60 % 60, endingAt: 16, width: 2)
        write(ofDay % 60, endingAt: 19, width: 2)
        write(milliseconds - seconds * 1000, endingAt: 23, width: 3)
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
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
        field(name, ascii: Timestamp.length) { time.write(into: $0) }
    }

    /// A field that holds a time, or null.
    mutating func field(_ name: StaticString, _ time: Timestamp?) {
        if let time { field(name, time) } else { field(name, String?.none) }
    }

    /// A field that holds an id, or null.
    mutating func field(_ name: StaticString, _ id: ID?) {
        if let id { field(name, id) } else { field(name, String?.none) }
    }

    /// A field that holds an id.
    mutating func field(_ name: StaticString, _ id: ID) {
        field(name, ascii: ID.length) { id.write(into: $0) }
    }
}
