import Crypto
import Testing

/// Hashes, randomness and sealing, by the vectors of their standards.
@Suite struct HashingTests {
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `SHA256 gives the hashes of its standard`(_ text: String, _ hash: String) {
        #expect(Self.hex(SHA256.hash(text)) == hash)
    }

    /// RFC 4231, cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `HMAC gives the codes of RFC 4231`(_ key: [UInt8], _ message: String, _ hash: String) {
        #expect(Self.hex(HMAC.sha256(key: key, Array(message.utf8))) == hash)
    }

    @Test func `a comparison covers the whole of both values`() {
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]) && constantTimeEquals([], []))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]) && !constantTimeEquals([1, 2], [1, 2, 3]))
    }

    @Test func `randomness does not repeat`() {
        #expect(Set((0..<1000).map { _ in SecureRandom.word() }).count == 1000)
        #expect(SecureRandom.bytes(32).count == 32 && SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    @Test func `sealed bytes open only unchanged and in their place`() throws {
        let key = SealingKey(SecureRandom.bytes(32))
        for text in ["", "a", String(repeating: "tajna ", count: 1000)] {
            let sealed = key.seal(Array(text.utf8), for: [1, 2])
            #expect(key.open(sealed, for: [1, 2]) == Array(text.utf8))
            #expect(key.open(sealed, for: [1, 3]) == nil && key.open(sealed, for: []) == nil)
            #expect(SealingKey(SecureRandom.bytes(32)).open(sealed, for: [1, 2]) == nil)
            #expect(key.seal(Array(text.utf8), for: [1, 2]) != sealed)
        }
        let sealed = key.seal([7, 8, 9], for: [])
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(key.open(changed, for: []) == nil)
        }
        for length in sealed.indices { #expect(key.open(Array(sealed.prefix(length)), for: []) == nil) }
    }

    @Test func `every purpose has its own key`() throws {
        let secret = try #require(ServerSecret([UInt8](repeating: 7, count: 32)))
        #expect(ServerSecret([UInt8](repeating: 7, count: 31)) == nil)
        #expect(secret.key(for: "a") == secret.key(for: "a") && secret.key(for: "a") != secret.key(for: "b"))
        #expect(secret.key(for: "a").count == 32)
        #expect(!"\(secret)".contains("7"))
    }

    /// RFC 4648, section 10, without padding and with it.
    @Test(arguments: [
        ("", "", ""), ("f", "Zg", "Zg=="), ("fo", "Zm8", "Zm8="), ("foo", "Zm9v", "Zm9v"),
        ("foob", "Zm9vYg", "Zm9vYg=="),
        ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
    ])
    func `Base64 encodes the vectors of RFC 4648 and reads them back`(_ text: String, _ url: String, _ padded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == url && Base64.encode(Array(text.utf8)) == padded)
        #expect(Base64URL.decode(url) == Array(text.utf8) && Base64.decode(padded) == Array(text.utf8))
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9vY", "Z g", "Zm+v", "žž"])
    func `a text that encodes no bytes is refused`(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: ["Z", "Zg=A", "Z===", "Zg=", "=Zg=", "Zh==", "Zm-v", "Zm_v", "Z g="])
    func `padding stands at the end or nowhere`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `Base64URL uses the alphabet of URLs`() {
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8" && Base64URL.decode("-_8") == [0xfb, 0xff])
    }
}
