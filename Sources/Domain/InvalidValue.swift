/// Why a text is not a valid value.
public struct InvalidValue: Error, Hashable, Sendable {
    /// The word that clients see; it never changes.
    public let code: String
    /// What the words about it need, such as the most characters allowed.
    public let arguments: [String: String]

    /// A reason, with what the words about it need.
    public init(_ code: String, _ arguments: [String: String] = [:]) {
        self.code = code
        self.arguments = arguments
    }

    static let required = InvalidValue("required")
    static let controlCharacters = InvalidValue("control_characters")

    static func tooLong(most: Int) -> InvalidValue { InvalidValue("too_long", ["max": String(most)]) }
}
