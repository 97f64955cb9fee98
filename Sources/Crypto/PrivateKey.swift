import COpenSSL

/// A private key: RSA, or an elliptic curve's.
///
/// Unchecked, because libcrypto only reads it once it is there.
public final class PrivateKey: @unchecked Sendable {
    let key: OpaquePointer

    /// Takes a key of libcrypto's, which it frees.
    init(owning key: OpaquePointer) { self.key = key }

    /// The key of a PEM file; nil when it has none.
    public init?(pem: String) {
        // libcrypto reads from where the text is, so it must stay there until it has been read.
        let key = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let file = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(file) }
            return PEM_read_bio_PrivateKey(file, nil, nil, nil)
        }
        guard let key else { return nil }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether it is an elliptic curve's.
    public var isElliptic: Bool { EVP_PKEY_get_base_id(key) == EVP_PKEY_EC }

    /// The signature of a message's SHA-256, as JSON Web Signatures have it: a curve's two numbers side by side.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        let signature = signatureOfLibcrypto(message)
        guard isElliptic else { return signature }
        return signature.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            let numbers = d2i_ECDSA_SIG(nil, &start, der.count)
            defer { ECDSA_SIG_free(numbers) }
            var both = [UInt8](repeating: 0, count: 64)
            BN_bn2binpad(ECDSA_SIG_get0_r(numbers), &both, 32)
            both.withUnsafeMutableBufferPointer {
                _ = BN_bn2binpad(ECDSA_SIG_get0_s(numbers), $0.baseAddress! + 32, 32)
            }
            return both
        }
    }

    private func signatureOfLibcrypto(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
        EVP_DigestSign(context, nil, &length, message, message.count)
        return [UInt8](unsafeUninitializedCapacity: length) { signature, count in
            let made = EVP_DigestSign(context, signature.baseAddress, &length, message, message.count)
            precondition(made == 1, "libcrypto does not sign")
            count = length
        }
    }
}

/// Tokens by RFC 7519.
public enum JSONWebToken {
    /// A token with these claims, which are JSON.
    public static func make(_ key: PrivateKey, id: String? = nil, _ claims: [UInt8]) -> String {
        let named = id.map { #","kid":"\#($0)""# } ?? ""
        let head = #"{"alg":"\#(key.isElliptic ? "ES256" : "RS256")","typ":"JWT"\#(named)}"#
        let signed = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(claims)
        return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
    }
}
