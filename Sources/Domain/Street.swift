/// The street of an address as people write it, freely: what stands beside it may say more of a home than somebody who has a link should
/// know, and the town says nothing.
public enum Street {
    /// The first part that is no town with its code, up to where a code and a town follow.
    public static func of(_ address: String) -> String {
        let parts = address.split { separators.contains($0) || $0.isNewline }.map {
            $0.split(whereSeparator: \.isWhitespace)
        }
        .filter { !$0.isEmpty }
        guard var words = parts.first(where: { !isTown($0) }) ?? parts.first else { return "" }
        if isCode(words[0]) { words.removeFirst() }
        return words[..<endOfStreet(words)].joined(separator: " ")
    }

    private static let separators: Set<Character> = [",", ";", "(", ")"]

    /// Whether it is a postal code with what it stands for, and no number of a house.
    private static func isTown(_ words: [Substring]) -> Bool {
        isCode(words[0]) && !words.dropFirst().contains { $0.contains(where: \.isNumber) }
    }

    /// Four digits may be a year or the number of a house, unless there is a number before them.
    private static func endOfStreet(_ words: [Substring]) -> Int {
        words.indices.dropFirst().dropLast().first { place in
            isCode(words[place]) && words[place + 1].first?.isLetter == true
                && (words[place].utf8.count > 4 || words[..<place].contains { $0.contains(where: \.isNumber) })
        } ?? words.count
    }

    /// Four or five digits, perhaps behind the letters of a country.
    private static func isCode(_ word: Substring) -> Bool {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard let digits = parts.last?.utf8,
            parts.count == 1 || parts.count == 2 && (1...2).contains(parts[0].utf8.count),
            parts.dropLast().allSatisfy({ $0.utf8.allSatisfy(\.isLetter) })
        else { return false }
        return (4...5).contains(digits.count) && digits.allSatisfy(\.isDigit)
    }
}
