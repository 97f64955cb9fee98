import Domain
import Testing

@Suite struct EmailAddressTests {
    private static let local64 = String(repeating: "l", count: 64)
    private static let label63 = String(repeating: "d", count: 63)
    /// 254 bytes.
    private static let longest = "\(local64)@\(label63).\(label63).\(String(repeating: "e", count: 58)).hr"

    @Test(arguments: [
        "shop@example.com", "a@b.hr", "Ana.Kos@Pekara-Klas.HR", "a+b_c-d@sub.sub.example.co", "o'neil@example.ie",
        "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.3.hr", "shop@xn--kua-tqa.hr", "a@b.xn--p1ai", "a--b@a--b.hr",
        "\(local64)@example.com", "a@\(label63).hr", longest,
    ])
    func `addresses as people have them are taken`(text: String) throws {
        #expect(try EmailAddress(text).text == text)
    }

    @Test(arguments: [
        "shop", "@", "shop@", "@example.com", "shop@example", "shop@@example.com", "a@b@example.com",
        ".shop@example.com", "shop.@example.com", "sh..op@example.com", "shop@.example.com", "shop@example.com.",
        "shop@example..com", "shop@-example.com", "shop@example-.com", "shop@example.-com", "sh op@example.com",
        "shop@exa mple.com", "shop@exa_mple.com", "\"shop\"@example.com", "shop@[127.0.0.1]", "shop@127.0.0.1",
        "<shop@example.com>", "mailto:shop@example.com", "a,b@example.com", "shop@kuća.hr", "pošta@example.hr",
        "shop@example.com\u{0}", "shop@example\n.com", "shop＠example.com", "shop@example。com", "sh\\op@example.com",
        "l\(local64)@example.com", "a@d\(label63).hr",
    ])
    func `addresses of other shapes are refused`(text: String) {
        #expect(refusal { () throws(InvalidValue) in try EmailAddress(text) } == InvalidValue("invalid_email"))
    }

    @Test func `an address may be 254 bytes long`() {
        #expect(Self.longest.utf8.count == 254)
        let tooLong = InvalidValue("too_long", ["max": "254"])
        #expect(refusal { () throws(InvalidValue) in try EmailAddress(Self.longest + "x") } == tooLong)
    }

    @Test(arguments: ["", " ", "\u{A0}\t\r\n"])
    func `an address is required`(text: String) {
        #expect(refusal { () throws(InvalidValue) in try EmailAddress(text) } == InvalidValue("required"))
    }

    @Test func `an address is trimmed and keeps its case, but its key does not`() throws {
        let email = try EmailAddress("\t Ana@Example.COM\u{A0}\n")
        #expect(email.text == "Ana@Example.COM")
        #expect(email.key == "ana@example.com")
        #expect(try email.key == EmailAddress("aNA@eXAMPLE.com").key)
    }
}
