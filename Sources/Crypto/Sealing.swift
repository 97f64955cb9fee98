import COpenSSL

/// Encrypts what is kept, by AES-256-GCM, so that it can neither be read nor changed nor moved elsewhere.
public struct SealingKey: Sendable {
    private static let nonceLength = 12
    private static let tagLength = 16
    private let secret: [UInt8]

    /// A key of 32 bytes.
    public init(_ secret: [UInt8]) {
        precondition(secret.count == 32, "AES-256 takes a key of 32 bytes")
        self.secret = secret
    }

    /// The bytes encrypted, to be opened with the same context only: nonce, ciphertext, tag.
    public func seal(_ bytes: [UInt8], for context: [UInt8]) -> [UInt8] {
        let nonce = SecureRandom.bytes(Self.nonceLength)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        let ciphertext = transform(bytes, context, nonce, encrypting: true) { cipher in
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), &tag) == 1
        }
        guard let ciphertext else { preconditionFailure("libcrypto has no AES-256-GCM") }
        return nonce + ciphertext + tag
    }

    /// Opens what was sealed for that context; nil if it is not exactly that.
    public func open(_ sealed: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceLength + Self.tagLength else { return nil }
        let (nonce, rest) = (Array(sealed.prefix(Self.nonceLength)), sealed.dropFirst(Self.nonceLength))
        var tag = Array(rest.suffix(Self.tagLength))
        return transform(Array(rest.dropLast(Self.tagLength)), context, nonce, encrypting: false) { cipher in
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
        }
    }

    /// Encrypts or decrypts. The two differ only in the tag, which is set before the end or asked for after it.
    private func transform(
        _ bytes: [UInt8], _ context: [UInt8], _ nonce: [UInt8], encrypting: Bool, tag: (OpaquePointer) -> Bool
    ) -> [UInt8]? {
        guard let cipher = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(cipher) }
        var (count, ending) = (Int32(0), Int32(0))
        var output = [UInt8](repeating: 0, count: bytes.count)
        var nothing: [UInt8] = [0]
        let isDone =
            EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), nil, secret, nonce, encrypting ? 1 : 0) == 1
            && EVP_CipherUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
            && EVP_CipherUpdate(cipher, &output, &count, bytes, Int32(bytes.count)) == 1
            && (encrypting || tag(cipher))
            && EVP_CipherFinal_ex(cipher, &nothing, &ending) == 1
            && (!encrypting || tag(cipher))
        return isDone ? output : nil
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
