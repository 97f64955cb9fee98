/// A password that people may choose.
public struct Password: Secret, Hashable, Sendable {
    /// The password itself, as it was typed.
    public let text: String
    /// What is shown in its place.
    public static var shownAs: String { "(a password)" }

    /// Takes a password that is long enough and not among the first that somebody would guess.
    public init(_ text: String) throws(InvalidValue) {
        guard !text.isEmpty else { throw .required }
        guard text.count >= Self.leastCharacters else {
            throw InvalidValue("password_too_short", ["min": String(Self.leastCharacters)])
        }
        guard text.count <= Self.mostCharacters, text.utf8.count <= Self.mostBytes else {
            throw InvalidValue("password_too_long", ["max": String(Self.mostCharacters)])
        }
        guard !Self.isCommon(text.lowercased()) else { throw InvalidValue("password_too_common") }
        self.text = text
    }

    private static let leastCharacters = 8
    private static let mostCharacters = 128
    private static let mostBytes = 512

    private static func isCommon(_ text: String) -> Bool {
        isCommonest(text) || text.allSatisfy { $0 == text.first } || walks.contains { isWalk(text, along: $0) }
    }

    /// Orders of keys along which people type without a thought: alphabet, digits, and keyboards by row and by column.
    private static let walks: [[Character]] = [
        "abcdefghijklmnopqrstuvwxyz", "0123456789",
        "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm", "qwertzuiopšđasdfghjklčćžyxcvbnm",
        "1234567890qwertyuiop", "1234567890qwertzuiop",
        "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "1qay2wsx3edc4rfv5tgb6zhn7ujm8ik9ol0p",
        "1q2w3e4r5t6y7u8i9o0p", "1q2w3e4r5t6z7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "q1w2e3r4t5z6u7i8o9p0",
    ].map(Array.init)

    /// Whether all characters follow each other on the walk, forwards or backwards. Its end leads to its beginning.
    private static func isWalk(_ text: String, along walk: [Character]) -> Bool {
        var places: [Int] = []
        for character in text {
            guard let place = walk.firstIndex(of: character) else { return false }
            places.append(place)
        }
        let steps = Set(zip(places, places.dropFirst()).map { ($1 - $0 + walk.count) % walk.count })
        return steps == [1] || steps == [walk.count - 1]
    }
}
