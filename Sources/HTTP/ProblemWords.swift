import Languages

/// The titles and details of problems, by language and code.
public struct ProblemWords: Sendable {
    /// The words of a problem for people; `{name}` in the detail stands for an argument.
    public struct Text: Sendable {
        /// A few words that name the kind of problem.
        public let title: String
        /// A sentence or two that say what is wrong and what to do.
        public let detail: String
    }

    /// Texts by language, then by code.
    let texts: [String: [String: Text]]

    /// The words of all languages.
    public static let all = ProblemWords(
        texts: Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, texts(of: $0)) }))

    /// Used when the reader's language is unknown.
    public static let fallback = Languages.fallback

    private static func texts(of words: LanguageWords) -> [String: Text] {
        let titles = words.problems.filter { !$0.key.hasSuffix(".detail") }
        return Dictionary(
            uniqueKeysWithValues: titles.map { code, title in
                (code, Text(title: title, detail: words.problems["\(code).detail"] ?? ""))
            })
    }

    func find(_ code: String, _ language: String) -> Text? {
        texts[language]?[code] ?? texts[Self.fallback]?[code]
    }

    /// The best language for `Accept-Language` (RFC 9110, 12.5.4) among those with words.
    public func language(accepting header: String?) -> String {
        guard let header else { return Self.fallback }
        var best = (language: Self.fallback, quality: 0.0)
        for (range, quality) in WeightedList.read(header) {
            guard let tag = range.split(separator: "-").first.map(String.init) else { continue }
            if texts[tag] != nil, quality > best.quality { best = (tag, quality) }
        }
        return best.language
    }
}
