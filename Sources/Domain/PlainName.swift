/// A name that somebody chose, as an SMS may say it: short, and without anything that a phone would make a link of.
enum PlainName {
    private static let most = 40
    /// Phones take each of them for one.
    private static let dots: Set<Character> = [".", "\u{2024}", "\u{3002}", "\u{FE52}", "\u{FF0E}", "\u{FF61}"]
    /// What begins an address of the web, of mail, or of a phone.
    private static let beginnings = ["//", "www", "tel:", "sms:", "mailto:"]
    /// Phones offer to call what has more digits than that, however they are parted.
    private static let mostDigits = 4

    static func of(_ name: String) -> String {
        let shown = String(
            String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .format }))
        let words = shown.split(whereSeparator: \.isWhitespace).filter { !looksLikeLink($0) }
        let left = withoutNumbers(words.joined(separator: " ")).split(separator: " ")
        return String(start(of: left.joined(separator: " ")).trimmed)
    }

    /// Whole characters, bounded in scalars: one character can be made of any number of marks.
    private static func start(of name: String) -> Substring {
        var left = most
        return name.prefix { character in
            left -= character.unicodeScalars.count
            return left >= 0
        }
    }

    /// Whether it is an address of the web, by name or by number: a dot has two letters behind it, or three have digits, whichever
    /// dots those are.
    private static func looksLikeLink(_ word: Substring) -> Bool {
        let word = word.lowercased()
        if word.contains("://") || beginnings.contains(where: { word.hasPrefix($0) }) { return true }
        let rests = word.indices.filter { dots.contains(word[$0]) }.map { word[$0...].dropFirst() }
        return rests.contains { $0.prefix { $0.isLetter }.count >= 2 }
            || rests.count { $0.first?.isNumber == true } >= 3
    }

    /// Leaves out what would be a number to call: digits and what parts them, where there are too many of them without a letter.
    private static func withoutNumbers(_ name: String) -> String {
        var (kept, number) = ("", "")
        func take() {
            kept += number.count(where: \.isNumber) > mostDigits ? " " : number
            number = ""
        }
        for character in name {
            guard character.isLetter else {
                number.append(character)
                continue
            }
            take()
            kept.append(character)
        }
        take()
        return kept
    }
}
