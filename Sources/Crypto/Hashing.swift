import COpenSSL

/// SHA-256.
public enum SHA256 {
    /// Looked up once: libcrypto would look for it each time.
    ///
    /// Unchecked, because libcrypto only reads it.
    nonisolated(unsafe) fileprivate static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// The hash of bytes, 32 of them.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { hash, count in
            let made = EVP_Digest(bytes, bytes.count, hash.baseAddress, nil, algorithm, nil)
            precondition(made == 1, "libcrypto has no SHA-256")
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// The hash of a text in UTF-8.
    public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }
}

/// SHA-256 of what comes piece by piece.
public final class RunningSHA256 {
    private let context = EVP_MD_CTX_new()

    public init() {
        let hasBegun = EVP_DigestInit_ex2(context, SHA256.algorithm, nil)
        precondition(hasBegun == 1, "libcrypto has no SHA-256")
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes the next piece.
    public func add(_ bytes: [UInt8]) { EVP_DigestUpdate(context, bytes, bytes.count) }

    /// The hash of all of them, after which there are no more.
    public func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { hash, count in
            EVP_DigestFinal_ex(context, hash.baseAddress, nil)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}

/// Keyed hashes by RFC 2104.
public enum HMAC {
    /// The HMAC-SHA256 of a message, 32 bytes.
    public static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { hash, count in
            let made = COpenSSL.HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, hash.baseAddress, nil)
            precondition(made != nil, "libcrypto has no HMAC")
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}

/// Compares in a time that tells nothing of where two secrets differ.
public func constantTimeEquals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}

/// Randomness that nobody can guess.
public enum SecureRandom {
    /// So many random bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            fill(UnsafeMutableRawBufferPointer(bytes))
            filled = count
        }
    }

    /// Sixty-four random bits.
    public static func word() -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { fill($0) }
        return word
    }

    private static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        let filled = RAND_bytes(bytes.baseAddress, Int32(bytes.count))
        precondition(filled == 1, "nothing may go on without randomness")
    }
}
