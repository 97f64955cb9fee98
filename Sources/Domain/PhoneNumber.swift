/// A phone number, however a person writes it.
public struct PhoneNumber: Hashable, Sendable {
    /// The one form in which it is kept: a plus and the digits, country first.
    public let e164: String

    /// Reads `+…` and `00…` of any country, and Croatian numbers also as `0…`.
    public init(_ text: String) throws(InvalidValue) {
        let text = try text.trimmedNotEmpty()
        guard let dialled = Self.dialled(text), let digits = Self.withCountry(dialled), Self.isSensible(digits) else {
            throw InvalidValue("invalid_phone")
        }
        e164 = "+" + digits
    }

    /// Takes a number that was read before and kept.
    public init(e164: String) {
        self.e164 = e164
    }

    /// The characters that are dialled: digits, with a plus if one comes first.
    private static func dialled(_ text: String) -> String? {
        var kept = ""
        for scalar in text.unicodeScalars where !isSeparator(scalar) {
            guard "+()0123456789".unicodeScalars.contains(scalar) else { return nil }
            kept.unicodeScalars.append(scalar)
        }
        if let zero = trunkZero(in: kept) { kept.removeSubrange(zero) }
        kept.removeAll { $0 == "(" || $0 == ")" }
        return kept.dropFirst().contains("+") ? nil : kept
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", ".": true
        // Address books put these marks of direction around copied numbers.
        case "\u{200E}", "\u{202A}", "\u{202C}", "\u{202D}": true
        default: scalar.isSpaceOrDash
        }
    }

    /// The zero of `+385 (0)91…`, which callers from abroad leave out.
    private static func trunkZero(in text: String) -> Range<String.Index>? {
        guard let zero = text.firstRange(of: "(0)") else { return nil }
        let before = text[..<zero.lowerBound].filter { $0 != "(" && $0 != ")" }
        return (1...3).contains(withoutPrefix(before)?.count ?? 0) ? zero : nil
    }

    private static func withCountry(_ dialled: String) -> String? {
        if let international = withoutPrefix(dialled) { return String(international) }
        return dialled.hasPrefix("0") ? "385" + dialled.dropFirst() : nil
    }

    /// The digits behind the international prefix.
    private static func withoutPrefix(_ dialled: String) -> Substring? {
        if dialled.hasPrefix("+") { return dialled.dropFirst() }
        return dialled.hasPrefix("00") ? dialled.dropFirst(2) : nil
    }

    /// Whether it has a number's length: by the country's plan in Croatia, by E.164 elsewhere.
    private static func isSensible(_ digits: String) -> Bool {
        guard digits.hasPrefix("385") else { return (8...15).contains(digits.count) && !digits.hasPrefix("0") }
        let national = digits.dropFirst(3)
        return (8...9).contains(national.count) && !national.hasPrefix("0")
    }
}
