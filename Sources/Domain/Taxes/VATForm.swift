/// A form that numbers of a country have: what stands at each place, and what must come out.
struct VATForm: Sendable {
    private let mask: [UInt8]
    private let checks: [any NumberCheck]

    /// In the mask `d` is a digit, `n` one that is not zero, `l` a letter and `x` a letter or a digit; everything else is
    /// itself.
    init(_ mask: String, _ checks: any NumberCheck...) {
        self.mask = Array(mask.utf8)
        self.checks = checks
    }

    func fits(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == mask.count, zip(bytes, mask).allSatisfy(Self.stands) else { return false }
        let values = bytes.map { Int($0) - ($0.isDigit ? 0x30 : 0x37) }
        return checks.allSatisfy { $0.holds(values) }
    }

    private static func stands(_ byte: UInt8, _ place: UInt8) -> Bool {
        switch place {
        case UInt8(ascii: "d"): byte.isDigit
        case UInt8(ascii: "n"): byte.isDigit && byte != UInt8(ascii: "0")
        case UInt8(ascii: "l"): byte.isLetter
        case UInt8(ascii: "x"): byte.isDigit || byte.isLetter
        default: byte == place
        }
    }
}

/// How the numbers of a country are told from others.
struct VATRule: Sendable {
    private let prefixes: [String]
    private let forms: [VATForm]
    /// The length to which a number of former times, with one digit less, is filled up by a zero.
    private let filled: Int?

    init(_ prefix: String, or other: String? = nil, filled: Int? = nil, _ forms: [VATForm]) {
        prefixes = [prefix] + (other.map { [$0] } ?? [])
        (self.filled, self.forms) = (filled, forms)
    }

    /// The number without its prefix.
    func read(_ text: String) throws(InvalidValue) -> String {
        let inside = prefixes.filter(text.hasPrefix).map { String(text.dropFirst($0.count).trimmed) }
        // What looks like a prefix may be part of the number, as in France.
        let readings = (inside + [text]).map(filledUp)
        guard let number = readings.first(where: { number in forms.contains { $0.fits(number) } }) else {
            throw TaxID.invalid
        }
        return number
    }

    private func filledUp(_ number: String) -> String { number.utf8.count + 1 == filled ? "0" + number : number }
}
