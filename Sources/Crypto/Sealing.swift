/// Encrypts what is kept, by AES-256-GCM, so that it can neither be read nor changed nor moved elsewhere.
public struct SealingKey: Sendable {
    private let secret: [UInt8]

    /// A key of 32 bytes.
    public init(_ secret: [UInt8]) {
        precondition(secret.count == 32, "AES-256 takes a key of 32 bytes")
        self.secret = secret
    }

    /// The bytes encrypted, to be opened with the same context only: nonce, ciphertext, tag.
    public func seal(_ bytes: [UInt8], for context: [UInt8]) -> [UInt8] {
        let nonce = SecureRandom.bytes(AESGCM.nonceLength)
        return nonce + AESGCM.seal(bytes, key: secret, nonce: nonce, for: context)
    }

    /// Opens what was sealed for that context; nil if it is not exactly that.
    public func open(_ sealed: [UInt8], for context: [UInt8]) -> [UInt8]? {
        AESGCM.open(
            Array(sealed.dropFirst(AESGCM.nonceLength)), key: secret, nonce: Array(sealed.prefix(AESGCM.nonceLength)),
            for: context)
    }
}

/// A secret that nobody but the servers knows. The keys for all purposes are derived from it.
public struct ServerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// At least 32 bytes; nil when they are fewer.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 32 else { return nil }
        self.bytes = bytes
    }

    /// A key of 32 bytes that reveals nothing about the keys for other purposes. It is the expansion step of
    /// HKDF-SHA256, for which a random secret is fit as it is.
    public func key(for purpose: String) -> [UInt8] {
        HMAC.sha256(key: bytes, Array("kurir \(purpose)".utf8) + [1])
    }

    /// Never the secret.
    public var description: String { "(the server's secret)" }
    /// Never the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
