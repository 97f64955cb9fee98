import Domain
import Glibc
import HTTP
import Postgres

extension Timestamp {
    /// The time by this machine's clock.
    package static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
    }

    /// RFC 3339 in UTC, with milliseconds. Its years have four digits, so that times beyond are written as the nearest.
    package var text: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(into: text)
            return Self.length
        }
    }

    fileprivate static let length = 24
    /// The beginning of the year 0.
    private static let first: Int64 = -62_167_219_200_000_000
    /// The end of the year 9999.
    private static let last: Int64 = 253_402_300_799_999_999

    fileprivate func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        let milliseconds = Self.floored(min(max(microseconds, Self.first), Self.last), by: 1000)
        let seconds = Self.floored(milliseconds, by: 1000)
        let days = Self.floored(seconds, by: 86400)
        let (year, month, day) = Day(number: days).date
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
}

extension Moment {
    /// The time by this machine's clock.
    package static var now: Moment { Moment(Timestamp.now) }

    /// The time in whole milliseconds; what is left of it is dropped.
    package init(_ time: Timestamp) { self.init(milliseconds: time.microseconds / 1000) }
}

extension Timestamp {
    /// The moment in microseconds.
    package init(_ moment: Moment) { self.init(microseconds: moment.milliseconds * 1000) }
}

extension JSONWriter {
    /// A field that holds a time.
    package mutating func field(_ name: StaticString, _ time: Timestamp) {
        field(name, ascii: Timestamp.length) { time.write(into: $0) }
    }

    /// A field that holds a time, or null.
    package mutating func field(_ name: StaticString, _ time: Timestamp?) {
        if let time { field(name, time) } else { field(name, String?.none) }
    }

    /// A field that holds an id, or null.
    package mutating func field(_ name: StaticString, _ id: ID?) {
        if let id { field(name, id) } else { field(name, String?.none) }
    }

    /// A field that holds an id.
    package mutating func field(_ name: StaticString, _ id: ID) {
        field(name, ascii: ID.length) { id.write(into: $0) }
    }
}
