/// A name that somebody chose, as an SMS may say it: short, and without anything that a phone would make a link of.
enum PlainName {
    private static let most = 40
    /// Phones take each of them for one.
    private static let dots: Set<Character> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]

    static func of(_ name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace).filter { !looksLikeLink($0) }
        return String(words.joined(separator: " ").prefix(most).trimmed)
    }

    /// Whether it is an address of the web, or has a dot with two letters or more behind it, whichever dot that is.
    private static func looksLikeLink(_ word: Substring) -> Bool {
        let word = word.lowercased()
        if word.contains("://") || word.hasPrefix("www") { return true }
        return word.indices.contains {
            dots.contains(word[$0]) && word[$0...].dropFirst().prefix { $0.isLetter }.count >= 2
        }
    }
}
