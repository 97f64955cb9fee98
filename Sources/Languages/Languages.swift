/// The languages in which people are told things. Each is a folder of `Words`, and nothing else.
public enum Languages {
    /// The language for people whose own is unknown.
    public static let fallback = "en"

    /// All of them; the first is ``fallback``.
    public static let all: [LanguageWords] = {
        let codes = Set(Embedded.files.map { LanguageWords.code(of: $0.path) })
        return ([fallback] + codes.subtracting([fallback]).sorted()).map { LanguageWords($0) }
    }()
}

/// The words of one language.
public struct LanguageWords: Sendable {
    /// Its code by ISO 639, which is the folder's name.
    public let code: String
    /// Its name in the language itself.
    public let name: String
    /// Why a request failed: titles by code, and details by `code.detail`.
    public let problems: [String: String]
    /// The texts of messages: titles by kind, and bodies by `kind.body`.
    public let messages: [String: String]
    /// The texts of pages by name; of those with plural forms by `name.one`, `name.few`, `name.other`.
    public let pages: [String: String]
    private let plural: Plural

    /// The rule for which form goes with a number.
    private enum Plural: String {
        case oneOther = "one other"
        case slavic
    }

    init(_ code: String) {
        self.code = code
        let language = Self.read("language", of: code)
        guard let name = language["name"], let plural = language["plural"].flatMap(Plural.init) else {
            preconditionFailure("\(code)/language.txt has no name, or no plural that is known")
        }
        (self.name, self.plural) = (name, plural)
        problems = Self.read("problems", of: code)
        messages = Self.read("messages", of: code)
        pages = Self.read("pages", of: code)
    }

    /// The names of the forms of a text, in order.
    public var forms: [String] {
        switch plural {
        case .oneOther: ["one", "other"]
        case .slavic: ["one", "few", "other"]
        }
    }

    /// The place of a number's form among the forms of a text.
    public func form(of number: Int) -> Int {
        switch plural {
        case .oneOther: number == 1 ? 0 : 1
        case .slavic:
            switch (number % 10, number % 100) {
            case (1, let hundredth) where hundredth != 11: 0
            case (2...4, let hundredth) where !(12...14).contains(hundredth): 1
            default: 2
            }
        }
    }

    /// The text with each name in braces replaced by its value.
    public static func fill(_ text: String, _ values: [String: String]) -> String {
        guard !values.isEmpty else { return text }
        var filled = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open] + (values[String(rest[rest.index(after: open)..<close])] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    // MARK: Files

    fileprivate static func code(of path: String) -> String {
        String(path.dropFirst("Words/".count).prefix { $0 != "/" })
    }

    /// Reads lines of `key = text`; lines that begin with # are comments.
    private static func read(_ file: String, of code: String) -> [String: String] {
        guard let found = Embedded.files.first(where: { $0.path == "Words/\(code)/\(file).txt" }) else {
            preconditionFailure("\(code) has no \(file).txt")
        }
        let lines = String(decoding: found.bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            lines.map { line in
                guard let sign = line.firstRange(of: " = ") else {
                    preconditionFailure("\(code)/\(file).txt: \(line)")
                }
                return (String(line[..<sign.lowerBound]), String(line[sign.upperBound...]))
            }
        ) { _, _ in preconditionFailure("\(code)/\(file).txt says something twice") }
    }
}
