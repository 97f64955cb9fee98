/// A Croatian OIB: ten digits and the check digit of ISO 7064 MOD 11,10.
public struct TaxID: Hashable, Sendable {
    /// The eleven digits.
    public let digits: String

    /// Reads the digits, also behind the `HR` of a VAT number; white space around them does not count.
    public init(_ text: String) throws(InvalidValue) {
        var text = try text.trimmedNotEmpty()
        if text.prefix(2).lowercased() == "hr" { text = String(text.dropFirst(2).trimmed) }
        guard text.utf8.count == 11, text.utf8.allSatisfy(\.isDigit), Self.isChecked(text) else {
            throw InvalidValue("invalid_tax_id")
        }
        digits = text
    }

    private static func isChecked(_ digits: String) -> Bool {
        let values = digits.utf8.map { Int($0 - UInt8(ascii: "0")) }
        let remainder = values.dropLast().reduce(10) { remainder, digit in
            let sum = (remainder + digit) % 10
            return (sum == 0 ? 10 : sum) * 2 % 11
        }
        return (11 - remainder) % 10 == values.last
    }
}
