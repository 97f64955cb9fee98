extension Password {
    /// Whether it is no more than some of these words, or the product's own name, with digits and marks about them; or the digits of a
    /// number among them. The words are names, addresses and numbers that others know of its owner.
    public func isPersonal(_ words: [String]) -> Bool {
        let (core, digits) = (Self.letters(text), text.filter(\.isNumber))
        let known = Set(words.flatMap(Self.parts) + ["kurir"])
        if !core.isEmpty { return Self.isMade(core, of: known) }
        return digits.count >= Self.leastDigits
            && words.contains { $0.filter(\.isNumber).hasSuffix(digits.trimmedZeros) }
    }

    private static let leastDigits = 6

    /// What somebody would make a password of: the whole, and each word of it.
    private static func parts(_ text: String) -> [String] {
        let words = text.split { !$0.isLetter && !$0.isNumber }.map { letters(String($0)) }
        let name = text.split(separator: "@").first.map { letters(String($0)) } ?? ""
        return ([letters(text), name] + words).filter { $0.count >= 3 }
    }

    /// Whether words follow each other in it and nothing else does, in whatever order and however often.
    private static func isMade(_ text: String, of words: Set<String>) -> Bool {
        let letters = Array(text)
        var ends: Set = [0]
        for start in letters.indices where ends.contains(start) {
            for word in words where letters[start...].starts(with: word) { ends.insert(start + word.count) }
        }
        return ends.contains(letters.count)
    }

    /// The letters alone, in lower case and without accents.
    private static func letters(_ text: String) -> String {
        var letters = ""
        for scalar in text.lowercased().unicodeScalars where scalar.properties.isAlphabetic {
            letters.unicodeScalars.append(plain(scalar))
        }
        return letters
    }

    /// The letter that an accent was put on, as its name says: LATIN SMALL LETTER C WITH CARON.
    private static func plain(_ letter: Unicode.Scalar) -> Unicode.Scalar {
        let words = letter.properties.name?.split(separator: " ") ?? []
        guard words.starts(with: ["LATIN", "SMALL", "LETTER"]), words.count > 4, words[3].count == 1 else {
            return letter
        }
        return words[3].lowercased().unicodeScalars.first ?? letter
    }
}

extension String {
    /// Without the zeros in front, by which numbers are dialled within a country.
    fileprivate var trimmedZeros: String { String(drop { $0 == "0" }) }
}
