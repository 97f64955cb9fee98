import Glibc

/// A day of the Gregorian calendar, wherever it is that day.
public struct Day: Comparable, Hashable, Sendable {
    /// Days since the first of January 1970.
    public var number: Int64

    /// The day so many days after the first of January 1970.
    public init(number: Int64) {
        self.number = number
    }

    /// The day that it is now at Greenwich.
    public static var today: Day { Day(number: Int64(time(nil)) / 86_400) }

    /// Earlier comes first.
    public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

    /// Year, month and day, counted in eras of 400 years that begin in March.
    public var date: (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    init(year: Int64, month: Int64, day: Int64) {
        let shifted = month <= 2 ? year - 1 : year
        let yearOfEra = shifted - (shifted / 400) * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        number = (shifted / 400) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }
}

extension Day: LosslessStringConvertible {
    /// Reads a date like `2026-11-20`, from the year 1970 on; nil when there is no such day.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            description.utf8.allSatisfy({ $0 == 0x2d || (0x30...0x39).contains($0) }),
            let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]), year >= 1970,
            (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month, day: day)
        guard date == (year, month, day) else { return nil }
    }

    /// As in `2026-11-20`.
    public var description: String {
        let (year, month, day) = date
        return [(year, 4), (month, 2), (day, 2)].map { number, width in
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }.joined(separator: "-")
    }
}
