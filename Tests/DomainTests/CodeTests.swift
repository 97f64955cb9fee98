import Domain
import Testing

@Suite struct CodeTests {
    @Test(arguments: [
        "01ABC-DEF89", "01ABCDEF89", "01abc-def89", " 01abc def89 ", "0 1 A B C D E F 8 9", "O1ABC-DEF89",
        "oIabc-dEf89", "0lABC-DEF89", "0LABC-DEF89", "0iABC-DEF89", "01ABC–DEF89", "01ABC\u{A0}DEF89",
        "-01ABC--DEF89-",
    ])
    func `codes of invites are read as people type them`(text: String) {
        #expect(InviteCode(text)?.canonical == "01ABCDEF89")
        #expect(InviteCode(text)?.shown == "01ABC-DEF89")
    }

    @Test(arguments: [
        "", "-", "01ABC-DEF8", "01ABC-DEF890", "01ABC-DEFU9", "01ABC-DEFu9", "01ABC_DEF89", "01ABC-DEF8!",
        "01ABC-DEF8ß", "01ABC-DEF8ı", "01ABC-DEFﬀ", "０１ABCDEF89", "01ABC-DEF8\u{0}", "01ABC-DEF8\u{212A}",
        "01ABC\nDEF89", "01ABC-DEF8K\u{301}",
    ])
    func `a text that is no code of an invite is refused`(text: String) {
        #expect(InviteCode(text) == nil)
    }

    @Test func `random codes of invites are made of fifty bits`() {
        #expect(InviteCode.random(0).shown == "00000-00000")
        #expect(InviteCode.random(1).shown == "00000-00001")
        #expect(InviteCode.random(31).shown == "00000-0000Z")
        #expect(InviteCode.random(1 << 49).shown == "G0000-00000")
        #expect(InviteCode.random(1 << 50).shown == "00000-00000")
        #expect(InviteCode.random(.max).shown == "ZZZZZ-ZZZZZ")
        for place in UInt64(0)..<10 {
            let codes = (UInt64(0)..<32).map { InviteCode.random($0 << (5 * place)) }
            #expect(Set(codes).count == 32)
            #expect(codes.allSatisfy { InviteCode($0.shown) == $0 && InviteCode($0.canonical.lowercased()) == $0 })
        }
    }

    @Test(arguments: ["01234567", "0123 4567", "0123-4567", " 01 23 45 67\u{A0}"])
    func `codes for a new password are eight digits`(text: String) {
        #expect(ResetCode(text)?.digits == "01234567")
    }

    @Test(arguments: ["", "0123456", "012345678", "0123456a", "٠١٢٣٤٥٦٧", "0123.4567", "+1234567", "1234567\u{301}"])
    func `a text that is no code for a new password is refused`(text: String) {
        #expect(ResetCode(text) == nil)
    }

    @Test func `random codes for a new password are made of any bits`() {
        #expect(ResetCode.random(0).digits == "00000000")
        #expect(ResetCode.random(42).digits == "00000042")
        #expect(ResetCode.random(99_999_999).digits == "99999999")
        #expect(ResetCode.random(100_000_001).digits == "00000001")
        #expect(ResetCode.random(.max).digits == "09551615")
    }
}

@Suite struct SecretTests {
    @Test func `secrets do not show themselves, however they are printed`() throws {
        try expectHidden(Password("correct horse battery"), "horse", as: "(a password)")
        try expectHidden(#require(InviteCode("01ABC-DEF89")), "ABC", as: "(an invite code)")
        try expectHidden(#require(ResetCode("01234567")), "345", as: "(a reset code)")
    }

    private func expectHidden<Value: Secret>(_ value: Value, _ secret: String, as shown: String) {
        var dumped = ""
        dump(Holder(value: value), to: &dumped)
        #expect("\(value)" == shown)
        for text in [String(reflecting: value), "\(Optional(value) as Any)", "\([value])", "\(Holder(value: value))"] {
            #expect(text.contains(shown) && !text.contains(secret))
        }
        #expect(dumped.contains(shown) && !dumped.contains(secret))
    }

    private struct Holder<Value> {
        let value: Value
    }
}
