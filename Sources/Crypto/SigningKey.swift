import COpenSSL

/// A key for signatures by Ed25519 (RFC 8032).
///
/// Unchecked, because libcrypto only reads it once it is there.
public final class SigningKey: @unchecked Sendable {
    /// The 32 random bytes that it follows from: whoever has them has the key.
    public let seed: [UInt8]
    /// The public key, 32 bytes.
    public let publicKey: [UInt8]
    /// What the key is called.
    public let name: String
    private let key: OpaquePointer

    /// The key of that seed; nil if that has not 32 bytes.
    public init?(seed: [UInt8]) {
        guard seed.count == 32, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
            return nil
        }
        self.seed = seed
        self.key = key
        publicKey = [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
            count = 32
            let isKnown = EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &count)
            precondition(isKnown == 1, "libcrypto does not tell its own key")
        }
        name = Ed25519.name(of: publicKey)
    }

    deinit { EVP_PKEY_free(key) }

    /// A new key.
    public static func new() -> SigningKey { SigningKey(seed: SecureRandom.bytes(32))! }

    /// The signature of a message, 64 bytes.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        return [UInt8](unsafeUninitializedCapacity: 64) { signature, count in
            count = 64
            let isMade =
                EVP_DigestSignInit(context, nil, nil, nil, key) == 1
                && EVP_DigestSign(context, signature.baseAddress, &count, message, message.count) == 1
            precondition(isMade, "libcrypto does not sign")
        }
    }
}

/// Signatures by Ed25519 as others see them.
public enum Ed25519 {
    /// Whether the holder of that public key signed the message.
    public static func isSigned(_ message: [UInt8], by publicKey: [UInt8], _ signature: [UInt8]) -> Bool {
        guard publicKey.count == 32, signature.count == 64,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
        else { return false }
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// What the key is called: its thumbprint by RFC 7638.
    public static func name(of publicKey: [UInt8]) -> String {
        let key = #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(publicKey))"}"#
        return Base64URL.encode(SHA256.hash(key))
    }
}
