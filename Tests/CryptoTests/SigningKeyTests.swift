import Testing

@testable import Crypto

/// Ed25519 by the vectors of RFC 8032, 7.1, and names of keys by those of RFC 8037, A.3.
@Suite struct SigningKeyTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
    }

    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ])
    func `signatures are those of the RFC`(seed: String, publicKey: String, message: String, signature: String) throws {
        let key = try #require(SigningKey(seed: bytes(seed)))
        #expect(key.publicKey == bytes(publicKey))
        #expect(key.sign(bytes(message)) == bytes(signature))
        #expect(Ed25519.isSigned(bytes(message), by: bytes(publicKey), bytes(signature)))
    }

    @Test func `a signature is good for its message and its key alone`() {
        let (key, message) = (SigningKey.new(), Array("handed over".utf8))
        let signature = key.sign(message)
        #expect(Ed25519.isSigned(message, by: key.publicKey, signature))
        #expect(!Ed25519.isSigned(message + [0], by: key.publicKey, signature))
        #expect(!Ed25519.isSigned(message, by: SigningKey.new().publicKey, signature))
        for place in signature.indices {
            var other = signature
            other[place] ^= 1
            #expect(!Ed25519.isSigned(message, by: key.publicKey, other))
        }
        #expect(!Ed25519.isSigned(message, by: [], signature) && !Ed25519.isSigned(message, by: key.publicKey, []))
    }

    @Test func `a key is made of its seed and of nothing else`() {
        let key = SigningKey.new()
        #expect(SigningKey(seed: key.seed)?.publicKey == key.publicKey)
        #expect(SigningKey(seed: []) == nil && SigningKey(seed: key.seed + [0]) == nil)
    }

    @Test func `a key is called by its thumbprint`() {
        let key = bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        #expect(Ed25519.name(of: key) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }
}
