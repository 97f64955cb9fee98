/// A code of digits that is sent to somebody, who types it in to show that it has arrived.
public protocol SentCode: Secret, Hashable, Sendable {
    /// How many digits it has.
    static var length: Int { get }
    /// The digits.
    var digits: String { get }
    /// Takes digits that are as many as there must be.
    init(checked digits: String)
}

extension SentCode {
    /// Reads a code as a person types it: with spaces and dashes anywhere.
    public init?(_ text: String) {
        let digits = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isSpaceOrDash }))
        guard digits.utf8.count == Self.length, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(checked: digits)
    }

    /// The code that these bits make, each as likely as the next.
    public static func random(_ bits: UInt64) -> Self {
        let most = (0..<length).reduce(UInt64(1)) { product, _ in 10 * product }
        let digits = String(bits % most)
        return Self(checked: String(repeating: "0", count: length - digits.count) + digits)
    }
}

/// The code by which somebody who forgot the password sets a new one: eight digits.
public struct ResetCode: SentCode {
    public static let length = 8
    public static let shownAs = "(a reset code)"
    public let digits: String

    public init(checked digits: String) { self.digits = digits }
}

/// The code that proves a number or an e-mail address: six digits, which phones fill in by themselves.
public struct ConfirmationCode: SentCode {
    public static let length = 6
    public static let shownAs = "(a confirmation code)"
    public let digits: String

    public init(checked digits: String) { self.digits = digits }
}
