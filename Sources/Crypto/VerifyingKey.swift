import COpenSSL

/// The public half of a key that somebody else signs with: on the curve P-256, or RSA.
///
/// Unchecked, because libcrypto only reads it once it is there.
public final class VerifyingKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// How messages are signed.
    public enum Algorithm: Sendable {
        /// ECDSA on P-256 with SHA-256, as two numbers side by side.
        case es256
        /// RSA-PSS with SHA-256.
        case ps256
    }

    /// The key of a SubjectPublicKeyInfo (RFC 5280); nil if it is none, or of another kind or size.
    public init?(der: [UInt8]) {
        let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &start, bytes.count) else { return nil }
            guard start == bytes.baseAddress.map({ $0 + bytes.count }), Self.isTaken(key) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        guard let key else { return nil }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Larger ones would cost more than they are worth.
    private static func isTaken(_ key: OpaquePointer) -> Bool {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_EC:
            var (name, count) = ([CChar](repeating: 0, count: 64), 0)
            guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
            return OBJ_sn2nid(name) == NID_X9_62_prime256v1
        case EVP_PKEY_RSA: return (2048...4096).contains(EVP_PKEY_get_bits(key))
        default: return false
        }
    }

    /// Whether the holder of the other half signed the message.
    public func isSigned(_ message: [UInt8], _ signature: [UInt8], by algorithm: Algorithm) -> Bool {
        defer { ERR_clear_error() }
        let isElliptic = EVP_PKEY_get_base_id(key) == EVP_PKEY_EC
        switch algorithm {
        case .es256:
            guard isElliptic, let der = Self.der(signature) else { return false }
            return verify(message, der) { _ in true }
        case .ps256:
            guard !isElliptic else { return false }
            return verify(message, signature) { context in
                EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                    && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            }
        }
    }

    private func verify(
        _ message: [UInt8], _ signature: [UInt8], _ prepare: (OpaquePointer?) -> Bool
    ) -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var ofKey: OpaquePointer?
        return EVP_DigestVerifyInit(context, &ofKey, EVP_sha256(), nil, key) == 1 && prepare(ofKey)
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Two numbers as libcrypto wants them.
    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64, let numbers = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(numbers) }
        let r = BN_bin2bn(Array(signature[..<32]), 32, nil)
        let s = BN_bin2bn(Array(signature[32...]), 32, nil)
        guard ECDSA_SIG_set0(numbers, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        let length = i2d_ECDSA_SIG(numbers, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var start = bytes.baseAddress
            count = Int(i2d_ECDSA_SIG(numbers, &start))
        }
    }
}
