/// The time of day where a business is, for pages that the server writes: one line for each country, and the rule of the
/// European Union for summer, so that no table of the world is needed.
public struct LocalTime: Sendable {
    /// How many hours a country is ahead of UTC in winter; nil where it is not known to have Europe's summer time.
    private let ahead: Int?

    /// The time in a country, by its code.
    public init(in country: String) {
        ahead = Self.hours.first { $0.value.contains(country) }?.key
    }

    private static let hours: [Int: Set<String>] = [
        0: ["GB", "IE", "PT"],
        1: [
            "AD", "AL", "AT", "BA", "BE", "CH", "CZ", "DE", "DK", "ES", "FR", "HR", "HU", "IT", "LI", "LU", "MC", "ME",
            "MK", "MT", "NL", "NO", "PL", "RS", "SE", "SI", "SK", "SM", "VA", "XK",
        ],
        2: ["BG", "CY", "EE", "FI", "GR", "LT", "LV", "MD", "RO", "UA"],
    ]

    /// Hours and minutes of a moment; of UTC, which is then said, where the country's time is not known.
    public func clock(_ moment: Moment) -> String {
        guard let ahead else { return Self.digits(moment.milliseconds) + " UTC" }
        let hours = ahead + (Self.isSummer(moment) ? 1 : 0)
        return Self.digits(moment.milliseconds + Int64(hours) * 3_600_000)
    }

    private static func digits(_ milliseconds: Int64) -> String {
        let minutes = (milliseconds / 60_000 % 1440 + 1440) % 1440
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }

    /// From the last Sunday of March until that of October, each at one o'clock UTC.
    private static func isSummer(_ moment: Moment) -> Bool {
        let hours = moment.milliseconds / 3_600_000
        let year = Day(number: hours / 24).date.year
        func lastSunday(of month: Int64) -> Int64 {
            let last = Day(year: year, month: month, day: 31).number
            // The first day of 1970 was a Thursday.
            return last - (last + 4) % 7
        }
        return (lastSunday(of: 3) * 24 + 1..<lastSunday(of: 10) * 24 + 1).contains(hours)
    }
}
