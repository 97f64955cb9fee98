/// The keys that are kept outside the database, as their file has them: one a line in base64, of which the first seals.
/// Lines that are empty or begin with `#` do not count.
public struct SealingKeys: Sendable {
    private let keys: [(name: String, key: SealingKey)]

    /// Reads the text; nil when a line is no key of 32 bytes, or there is none.
    public init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        let secrets = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { Base64.decode(String($0)) ?? [] }
        guard !secrets.isEmpty, secrets.allSatisfy({ $0.count == 32 }) else { return nil }
        keys = secrets.map { (Self.name(of: $0), SealingKey($0)) }
    }

    /// A line with a new key.
    public static func newLine() -> String { Base64.encode(SecureRandom.bytes(32)) + "\n" }

    /// What the keys are called. A name tells nothing of its key.
    public var names: [String] { keys.map(\.name) }

    /// The bytes sealed with the first key, and its name.
    public func seal(_ bytes: [UInt8], for context: String) -> (sealed: [UInt8], by: String) {
        (keys[0].key.seal(bytes, for: Array(context.utf8)), keys[0].name)
    }

    /// Opens what was sealed with the key of that name; nil when that key is not here.
    public func open(_ sealed: [UInt8], by name: String, for context: String) -> [UInt8]? {
        keys.first { $0.name == name }?.key.open(sealed, for: Array(context.utf8))
    }

    private static func name(of secret: [UInt8]) -> String {
        hexadecimal(Array(HMAC.sha256(key: secret, Array("kurir key name".utf8)).prefix(4)))
    }
}

/// Bytes in hexadecimal.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    let digit = { (half: UInt8) in half < 10 ? 0x30 + half : 0x57 + half }
    for byte in bytes {
        digits.append(digit(byte >> 4))
        digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
}
