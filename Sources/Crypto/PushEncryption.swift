/// Encrypts messages to a browser, by RFC 8291.
public struct PushEncryption: Sendable {
    /// What push services must take, by RFC 8030, with all that encryption adds.
    private static let record = 4096
    private static let saltLength = 16
    /// Salt, size of a record, length of the key, and the key.
    private static let headLength = saltLength + 4 + 1 + 65
    /// A mark of the end, and the tag.
    private static let tailLength = 1 + 16
    /// The longest message that can be encrypted.
    public static let most = record - headLength - tailLength

    private let point, secret: [UInt8]

    /// The keys of a subscription, as its `toJSON()` has them; nil if they are none.
    public init?(p256dh: String, auth: String) {
        guard let point = Base64URL.decode(p256dh), let secret = Base64URL.decode(auth), secret.count == 16,
            point.count == 65, PrivateKey.onCurve().agree(with: point) != nil
        else { return nil }
        (self.point, self.secret) = (point, secret)
    }

    /// The body of a request by content coding `aes128gcm`, which nobody but the browser can read.
    public func encrypt(_ message: [UInt8]) -> [UInt8] {
        encrypt(message, by: .onCurve(), salt: SecureRandom.bytes(Self.saltLength))
    }

    func encrypt(_ message: [UInt8], by key: PrivateKey, salt: [UInt8]) -> [UInt8] {
        precondition(message.count <= Self.most, "the message does not fit into a record")
        guard let agreed = key.agree(with: point) else { preconditionFailure("the point was on the curve before") }
        let own = key.publicPoint
        let both = derived(secret, agreed, Array("WebPush: info\0".utf8) + point + own)
        let contentKey = derived(salt, both, Array("Content-Encoding: aes128gcm\0".utf8)).prefix(16)
        let nonce = derived(salt, both, Array("Content-Encoding: nonce\0".utf8)).prefix(12)
        let size = withUnsafeBytes(of: UInt32(Self.record).bigEndian, Array.init)
        // The last record ends with a 2.
        return salt + size + [UInt8(own.count)] + own
            + AESGCM.seal(message + [2], key: Array(contentKey), nonce: Array(nonce), for: [])
    }

    /// HKDF-SHA256 by RFC 5869, as much as one block gives.
    private func derived(_ salt: [UInt8], _ material: [UInt8], _ info: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: HMAC.sha256(key: salt, material), info + [1])
    }
}
