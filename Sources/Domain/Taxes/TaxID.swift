/// What a business is called for taxes: in Croatia an OIB, elsewhere its number for value added tax.
public struct TaxID: Hashable, Sendable {
    /// The country that gave it.
    public let country: Country
    /// Its digits, and its letters as capitals, without what separates them and without the country's prefix.
    public let number: String

    /// Reads the number, also behind its country's prefix; white space around it does not count. In the European Union it
    /// must be one that the country gives, as far as form and check digits tell. Elsewhere it has some letters and digits.
    public init(_ text: String, in country: Country = .croatia) throws(InvalidValue) {
        var text = try text.trimmedNotEmpty()
        // An OIB is written without anything between its digits.
        if country != .croatia { text.unicodeScalars.removeAll(where: Self.isSeparator) }
        text = String(decoding: text.utf8.map { $0.isLetter ? $0 & 0xDF : $0 }, as: UTF8.self)
        number =
            switch VATRules.of(country, text) {
            case .some(let rule): try rule.read(text)
            case nil: try Self.anywhere(text, in: country)
            }
        self.country = country
    }

    /// Takes a number that was read before and kept.
    public init(kept number: String, in country: Country) {
        (self.number, self.country) = (number, country)
    }

    static let invalid = InvalidValue("invalid_tax_id")

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "/" || scalar.isSpaceOrDash
    }

    private static func anywhere(_ whole: String, in country: Country) throws(InvalidValue) -> String {
        // Before a letter it may be part of the number, as in CHE-123.456.788.
        let rest = whole.dropFirst(country.code.utf8.count)
        let isPrefixed = whole.hasPrefix(country.code) && rest.utf8.first?.isDigit == true
        let text = isPrefixed ? String(rest) : whole
        guard (4...20).contains(text.utf8.count), text.utf8.allSatisfy({ $0.isDigit || $0.isLetter }),
            text.utf8.contains(where: \.isDigit)
        else { throw invalid }
        return text
    }
}
