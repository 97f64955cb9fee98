import COpenSSL
import Testing

@testable import Crypto

/// Keys that gateways sign with, as their PEM files are read.
@Suite struct PrivateKeyTests {
    /// A new key; whoever asks for it frees it.
    private func key(_ type: Int32) throws -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_keygen_init(context) == 1)
        if type == EVP_PKEY_EC {
            try #require(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1)
        }
        var key: OpaquePointer?
        try #require(EVP_PKEY_keygen(context, &key) == 1)
        return try #require(key)
    }

    private func pem(_ key: OpaquePointer) -> String {
        let file = BIO_new(BIO_s_mem())
        defer { BIO_free(file) }
        PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil)
        var text = [UInt8](repeating: 0, count: 8192)
        let length = BIO_read(file, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(length)), as: UTF8.self)
    }

    private func isRight(_ signature: [UInt8], of message: [UInt8], _ key: OpaquePointer) -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key)
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// A curve's two numbers as ASN.1 has them, which is what libcrypto verifies.
    private func der(_ both: [UInt8]) -> [UInt8] {
        let numbers = ECDSA_SIG_new()
        defer { ECDSA_SIG_free(numbers) }
        ECDSA_SIG_set0(numbers, BN_bin2bn(both, 32, nil), BN_bin2bn(Array(both[32...]), 32, nil))
        return [UInt8](unsafeUninitializedCapacity: 80) { bytes, count in
            var end = bytes.baseAddress
            count = Int(i2d_ECDSA_SIG(numbers, &end))
        }
    }

    /// Texts of different lengths come and go in the same memory, so each must be read while it is there.
    @Test func `every key that is read is the one in its text`() throws {
        let message = Array("a message".utf8)
        for round in 0..<40 {
            let type = round % 4 == 0 ? EVP_PKEY_RSA : EVP_PKEY_EC
            let made = try key(type)
            defer { EVP_PKEY_free(made) }
            let text = String(repeating: "a line before\n", count: round) + pem(made)
            let read = try #require(PrivateKey(pem: text))
            #expect(read.isElliptic == (type == EVP_PKEY_EC))
            let signature = read.sign(message)
            #expect(isRight(read.isElliptic ? der(signature) : signature, of: message, made))
            #expect(!isRight(read.isElliptic ? der(signature) : signature, of: Array("another".utf8), made))
        }
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `a text without a key gives none`(_ text: String) { #expect(PrivateKey(pem: text) == nil) }
}
