import Languages

/// A language in which people are told things.
public struct Language: RawRepresentable, Hashable, Sendable {
    /// Its code by ISO 639.
    public let rawValue: String

    /// Used when somebody's language is unknown.
    public static let fallback = Language(wordedAs: Languages.fallback)
    /// All languages that there are words in.
    public static let known = Languages.all.map { Language(wordedAs: $0.code) }

    /// The language of this code, if there is wording for it.
    public init?(rawValue: String) {
        guard let language = Self.known.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = language
    }

    /// Reads a code that a client sent.
    public init(_ text: String) throws(InvalidValue) {
        guard let language = Language(rawValue: try text.trimmedNotEmpty()) else {
            throw InvalidValue("unknown_language", ["known": Self.known.map(\.rawValue).joined(separator: ", ")])
        }
        self = language
    }

    /// The language of a code that was known when it was stored.
    public init(known code: String) {
        self = Language(rawValue: code) ?? .fallback
    }

    /// What people are told in it.
    public var words: LanguageWords { Languages.all.first { $0.code == rawValue } ?? Languages.all[0] }

    /// A language that is known to have words.
    init(wordedAs code: String) { rawValue = code }
}
