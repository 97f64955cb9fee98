import COpenSSL
import Testing

@testable import Crypto

/// Keys of strangers, of which only two kinds are taken.
@Suite struct VerifyingKeyTests {
    /// A new key as a SubjectPublicKeyInfo, of the kind that `choose` says.
    private func key(_ type: Int32, _ choose: (OpaquePointer?) -> Int32 = { _ in 1 }) throws -> [UInt8] {
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_keygen_init(context) == 1 && choose(context) == 1)
        var key: OpaquePointer?
        try #require(EVP_PKEY_keygen(context, &key) == 1)
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(key, nil)))
        bytes.withUnsafeMutableBufferPointer { bytes in
            var start = bytes.baseAddress
            i2d_PUBKEY(key, &start)
        }
        return bytes
    }

    private func curve(_ number: Int32) throws -> [UInt8] {
        try key(EVP_PKEY_EC) { EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, number) }
    }

    private func rsa(_ bits: Int32) throws -> [UInt8] {
        try key(EVP_PKEY_RSA) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) }
    }

    @Test func `keys on P-256 are taken, and on no other curve`() throws {
        #expect(VerifyingKey(der: try curve(NID_X9_62_prime256v1)) != nil)
        for other in [NID_secp384r1, NID_secp521r1, NID_secp256k1, NID_secp224r1] {
            #expect(VerifyingKey(der: try curve(other)) == nil, "\(other)")
        }
        for type in [EVP_PKEY_ED25519, EVP_PKEY_X25519, EVP_PKEY_ED448] {
            #expect(VerifyingKey(der: try key(type)) == nil, "\(type)")
        }
    }

    /// A small one is no proof, and a large one takes long to verify by.
    @Test(arguments: [(1024, false), (2040, false), (2048, true), (3072, true), (4096, true), (4104, false)])
    func `keys of RSA are taken from 2048 bits to 4096`(_ bits: Int32, _ isTaken: Bool) throws {
        #expect((VerifyingKey(der: try rsa(bits)) != nil) == isTaken)
    }

    @Test func `a key is all that there is, from its first byte to its last`() throws {
        for key in [try curve(NID_X9_62_prime256v1), try rsa(2048)] {
            #expect(VerifyingKey(der: key) != nil)
            for behind in [[0], [0xff], key] { #expect(VerifyingKey(der: key + behind) == nil) }
            for count in 0..<key.count { #expect(VerifyingKey(der: Array(key.prefix(count))) == nil, "\(count)") }
            #expect(VerifyingKey(der: [0] + key) == nil)
        }
    }
}
