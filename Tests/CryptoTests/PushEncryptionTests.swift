import Testing

@testable import Crypto

/// Messages to browsers.
@Suite struct PushEncryptionTests {
    /// The example of RFC 8291, appendix A.
    @Test func `a message is encrypted as the standard has it`() throws {
        let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        let encryption = try #require(PushEncryption(p256dh: point, auth: "BTBZMqHH6r4Tts7J_aSIgg"))
        let sender = try #require(key(of: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let salt = try #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw"))
        let body = encryption.encrypt(Array("When I grow up, I want to be a watermelon".utf8), by: sender, salt: salt)
        #expect(
            Base64URL.encode(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    /// A scalar as SEC 1 writes a key on P-256.
    private func key(of scalar: String) -> PrivateKey? {
        let curve: [UInt8] = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        return PrivateKey(der: [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + (Base64URL.decode(scalar) ?? []) + curve)
    }

    @Test func `no two messages are alike, and the longest fills what services must take`() throws {
        let browser = PrivateKey.onCurve()
        let encryption = try #require(
            PushEncryption(
                p256dh: Base64URL.encode(browser.publicPoint), auth: Base64URL.encode(SecureRandom.bytes(16))))
        let message = [UInt8](repeating: 65, count: PushEncryption.most)
        let (one, other) = (encryption.encrypt(message), encryption.encrypt(message))
        #expect(one.count == 4096 && other.count == 4096)
        #expect(
            one.prefix(16) != other.prefix(16) && one[21..<86] != other[21..<86] && one.suffix(64) != other.suffix(64))
    }

    @Test func `keys that are none are refused`() {
        let point = PrivateKey.onCurve().publicPoint
        let auth = Base64URL.encode(SecureRandom.bytes(16))
        var beside = point
        beside[64] ^= 1
        for wrong in [
            [], beside, Array(point.dropLast()), point + [0], [0] + point.dropFirst(), [UInt8](repeating: 0, count: 65),
        ] {
            #expect(PushEncryption(p256dh: Base64URL.encode(wrong), auth: auth) == nil)
        }
        #expect(PushEncryption(p256dh: Base64URL.encode(point), auth: auth) != nil)
        for wrong in ["", "AAAA", "not base64!", Base64URL.encode(SecureRandom.bytes(17))] {
            #expect(PushEncryption(p256dh: Base64URL.encode(point), auth: wrong) == nil)
        }
    }

    @Test func `a key that was kept is the same key`() throws {
        let key = PrivateKey.onCurve()
        let again = try #require(PrivateKey(der: key.der))
        #expect(again.publicPoint == key.publicPoint && again.isElliptic)
        #expect(PrivateKey(der: []) == nil && PrivateKey(der: [1, 2, 3]) == nil)
        let other = PrivateKey.onCurve()
        #expect(key.agree(with: other.publicPoint) == other.agree(with: key.publicPoint))
    }
}
