import Domain

/// Reads the times of feeds.
enum FeedDate {
    /// A time as Atom and JSON Feed write it (RFC 3339), or as RSS does (RFC 822); nil when it is neither.
    static func moment(_ text: String) -> Moment? {
        let text = PlainText.line(text, upTo: 60)
        if let moment = try? Moment(text) { return moment }
        let form =
            #/(?:[A-Za-z]{3,9},? )?([0-9]{1,2}) ([A-Za-z]{3})[a-z]* ([0-9]{4}|[0-9]{2}) ([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?: ([A-Za-z]{1,4}|[+-][0-9]{4}))?/#
        guard let parts = text.wholeMatch(of: form)?.output, let month = months.firstIndex(of: parts.2.lowercased())
        else { return nil }
        let year = parts.3.count == 4 ? String(parts.3) : (parts.3 < "70" ? "20" : "19") + parts.3
        let zone = parts.7.map(String.init) ?? "GMT"
        let offset = zone.count == 5 && "+-".contains(zone.first!) ? "\(zone.prefix(3)):\(zone.suffix(2))" : zones[zone]
        func two(_ text: some StringProtocol) -> String { text.count == 1 ? "0" + text : String(text) }
        return try? Moment(
            "\(year)-\(two(String(month + 1)))-\(two(parts.1))T\(two(parts.4)):\(parts.5):\(parts.6 ?? "00")\(offset ?? "Z")"
        )
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    /// The names that RFC 822 has; what is called otherwise counts as Greenwich's, as it says.
    private static let zones = [
        "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
        "PST": "-08:00", "PDT": "-07:00", "CET": "+01:00", "CEST": "+02:00",
    ]
}
