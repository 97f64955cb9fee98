/// A country, as ISO 3166 names it.
public struct Country: Hashable, Sendable {
    /// Its two letters.
    public let code: String

    /// Where stores are that do not say otherwise.
    public static let croatia = Country(known: "HR")

    /// Reads two letters of either case. Greece is also `EL`, and Northern Ireland, which is in the United Kingdom, `XI`,
    /// as their numbers for value added tax begin.
    public init(_ text: String) throws(InvalidValue) {
        let text = try text.trimmedNotEmpty()
        guard text.utf8.count == 2, text.utf8.allSatisfy(\.isLetter) else { throw InvalidValue("unknown_country") }
        let name = text.uppercased()
        let code = ["EL": "GR", "XI": "GB"][name] ?? name
        guard CallingCodes.knows(code) else { throw InvalidValue("unknown_country") }
        self.code = code
    }

    /// Takes a code that was read before and kept.
    public init(known code: String) {
        self.code = code
    }
}
