import Domain

/// Reads the times of feeds.
enum FeedDate {
    /// A time as Atom and JSON Feed write it (RFC 3339), or as RSS does (RFC 822); nil when it is neither.
    static func moment(_ text: String) -> Moment? {
        let text = PlainText.line(text, upTo: 60)
        return (try? Moment(text)) ?? ofRSS(text)
    }

    /// `Tue, 24 Nov 2026 10:00:00 +0100`, where the day of the week, the seconds and the zone may be missing. A feed may have very many of them, and a
    /// regular expression would be made anew for each.
    private static func ofRSS(_ text: String) -> Moment? {
        var words = text.split(separator: " ")[...]
        if let first = words.first, isName(first.hasSuffix(",") ? first.dropLast() : first, 3...9) {
            words.removeFirst()
        }
        guard (4...5).contains(words.count) else { return nil }
        let (day, name, year) = (words.removeFirst(), words.removeFirst(), words.removeFirst())
        let clock = words.removeFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard isNumber(day, 1...2), isName(name, 3...9), let month = months.firstIndex(of: name.prefix(3).lowercased()),
            isNumber(year, 2...2) || isNumber(year, 4...4), (2...3).contains(clock.count), isNumber(clock[0], 1...2),
            clock.dropFirst().allSatisfy({ isNumber($0, 2...2) }), let offset = offset(words.first ?? "GMT")
        else { return nil }
        let century = year.count == 4 ? "" : year < "70" ? "20" : "19"
        return try? Moment(
            "\(century)\(year)-\(two(String(month + 1)))-\(two(day))T\(two(clock[0])):\(clock[1]):\(clock.count == 3 ? clock[2] : "00")\(offset)"
        )
    }

    private static func isName(_ word: some StringProtocol, _ length: ClosedRange<Int>) -> Bool {
        length.contains(word.utf8.count) && word.utf8.allSatisfy(\.isLetter)
    }

    private static func isNumber(_ word: some StringProtocol, _ length: ClosedRange<Int>) -> Bool {
        length.contains(word.utf8.count) && word.utf8.allSatisfy(\.isDigit)
    }

    private static func two(_ number: some StringProtocol) -> String { number.count == 1 ? "0\(number)" : "\(number)" }

    /// How far a zone is from Greenwich, as RFC 3339 writes it.
    private static func offset(_ zone: Substring) -> String? {
        if isName(zone, 1...4) { return zones[String(zone)] ?? "Z" }
        guard zone.first == "+" || zone.first == "-", isNumber(zone.dropFirst(), 4...4) else { return nil }
        return "\(zone.prefix(3)):\(zone.suffix(2))"
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    /// The names that RFC 822 has; what is called otherwise counts as Greenwich's, as it says.
    private static let zones = [
        "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
        "PST": "-08:00", "PDT": "-07:00", "CET": "+01:00", "CEST": "+02:00",
    ]
}
