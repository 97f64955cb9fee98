/// The titles and details of problems, by language and code. A language more is a file more.
public struct ProblemWords: Sendable {
    /// What a person reads of a problem; `{name}` in the detail stands for an argument.
    public struct Text: Sendable, ExpressibleByDictionaryLiteral {
        /// A few words that name the kind.
        public let title: String
        /// A sentence or two that say what is wrong and what to do.
        public let detail: String

        /// A title with its detail, written as a pair.
        public init(dictionaryLiteral elements: (String, String)...) {
            precondition(elements.count == 1, "one title, one detail")
            (title, detail) = elements[0]
        }
    }

    /// Texts by language, then by code.
    public private(set) var texts: [String: [String: Text]]

    /// The words of the protocol itself.
    public static let http = ProblemWords(texts: ["en": english, "hr": croatian])

    /// Used when the reader's language is unknown.
    public static let fallback = "en"

    /// Words by language and code.
    public init(texts: [String: [String: Text]]) {
        self.texts = texts
    }

    /// These words and those of a feature.
    public func adding(_ more: ProblemWords) -> ProblemWords {
        ProblemWords(texts: texts.merging(more.texts) { $0.merging($1) { _, new in new } })
    }

    func find(_ code: String, _ language: String) -> Text? {
        texts[language]?[code] ?? texts[Self.fallback]?[code]
    }

    static func fill(_ detail: String, _ arguments: [String: String]) -> String {
        guard !arguments.isEmpty else { return detail }
        var filled = ""
        var rest = detail[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            filled += rest[..<open] + (arguments[name] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    /// The best language for `Accept-Language` (RFC 9110, 12.5.4) among those that there are words for.
    public func language(accepting header: String?) -> String {
        guard let header else { return Self.fallback }
        var best = (language: Self.fallback, quality: 0.0)
        for range in header.split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first.map(String.init) else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if texts[tag] != nil, quality > best.quality { best = (tag, quality) }
        }
        return best.language
    }
}
