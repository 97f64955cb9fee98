import Domain
import Testing

@Suite("Languages and kinds")
struct LanguageTests {
    @Test("are those that there is wording for")
    func known() throws {
        #expect(Language.known.map(\.rawValue) == ["en", "de", "hr"])
        #expect(Language.fallback.rawValue == "en")
        #expect(try Language(" hr ") == Language(rawValue: "hr"))
        #expect(Language(known: "hr").rawValue == "hr")
        #expect(Language(known: "fr") == .fallback)
    }

    @Test("that there is no wording for are refused", arguments: ["fr", "HR", "hr-HR", "hrv", "h", "hr\u{0}"])
    func unknown(text: String) {
        let unknown = InvalidValue("unknown_language", ["known": "en, de, hr"])
        #expect(refusal { () throws(InvalidValue) in try Language(text) } == unknown)
        #expect(Language(rawValue: text) == nil)
    }

    @Test("that are not given are required")
    func empty() {
        #expect(refusal { () throws(InvalidValue) in try Language(" ") } == InvalidValue("required"))
    }

    @Test("of notification are those that gateways know")
    func kinds() {
        #expect(
            NotificationKind.allCases.map(\.rawValue) == [
                "delivery_offered", "delivery_cancelled", "invite", "partnership_ended", "delivery_accepted",
                "delivery_delivered", "delivery_returned", "delivery_stranded", "partner_joined", "password_reset",
            ])
        #expect(AccountKind.allCases.map(\.rawValue) == ["store", "courier"])
    }
}
