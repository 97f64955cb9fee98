/// The code by which a courier becomes a store's partner: ten characters of Crockford's base32.
public struct InviteCode: Secret, Hashable, Sendable {
    /// The ten characters in upper case, without the dash.
    public let canonical: String
    /// What is shown in its place.
    public static var shownAs: String { "(an invite code)" }

    /// As people get to see it: `XXXXX-XXXXX`.
    public var shown: String { "\(canonical.prefix(5))-\(canonical.suffix(5))" }

    /// Reads a code as a person types it: in any case, with dashes and spaces anywhere, I and L for 1, O for 0.
    public init?(_ text: String) {
        var canonical = ""
        for scalar in text.unicodeScalars where !scalar.isSpaceOrDash {
            guard canonical.utf8.count < Self.length, let symbol = Self.symbol(scalar) else { return nil }
            canonical.unicodeScalars.append(symbol)
        }
        guard canonical.utf8.count == Self.length else { return nil }
        self.canonical = canonical
    }

    /// The code that the lowest fifty of these bits make.
    public static func random(_ bits: UInt64) -> InviteCode {
        InviteCode(bits: bits)
    }

    private init(bits: UInt64) {
        canonical = (0..<Self.length).reduce(into: "") { text, place in
            text.unicodeScalars.append(Self.symbols[Int(bits >> (45 - 5 * UInt64(place)) & 31)])
        }
    }

    private static let length = 10
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".unicodeScalars)

    private static func symbol(_ typed: Unicode.Scalar) -> Unicode.Scalar? {
        switch typed {
        case "I", "i", "L", "l": return "1"
        case "O", "o": return "0"
        default:
            guard typed.isASCII else { return nil }
            let upper = typed.properties.uppercaseMapping.unicodeScalars.first
            return symbols.first { $0 == upper }
        }
    }
}
