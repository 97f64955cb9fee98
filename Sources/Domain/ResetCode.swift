/// The code by which somebody who forgot the password sets a new one: eight digits.
public struct ResetCode: Secret, Hashable, Sendable {
    /// The eight digits.
    public let digits: String
    /// What is shown in its place.
    public static var shownAs: String { "(a reset code)" }

    /// Reads a code as a person types it: with spaces and dashes anywhere.
    public init?(_ text: String) {
        let digits = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isSpaceOrDash }))
        guard digits.utf8.count == Self.length, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        self.digits = digits
    }

    /// The code that these bits make, each as likely as the next.
    public static func random(_ bits: UInt64) -> ResetCode {
        ResetCode(number: bits % 100_000_000)
    }

    private init(number: UInt64) {
        let digits = String(number)
        self.digits = String(repeating: "0", count: Self.length - digits.count) + digits
    }

    private static let length = 8
}
