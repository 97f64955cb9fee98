import Domain
import Testing

/// Languages, and the kinds of notifications and accounts.
@Suite struct LanguageTests {
    @Test func `the known languages are those that there is wording for`() throws {
        #expect(Set(Language.known.map(\.rawValue)).isSuperset(of: ["en", "de", "hr"]))
        #expect(Language.fallback.rawValue == "en")
        #expect(try Language(" hr ") == Language(rawValue: "hr"))
        #expect(Language(known: "hr").rawValue == "hr")
        #expect(Language(known: "fr") == .fallback)
    }

    @Test(arguments: ["fr", "HR", "hr-HR", "hrv", "h", "hr\u{0}"])
    func `a language that there is no wording for is refused`(text: String) {
        let unknown = InvalidValue(
            "unknown_language", ["known": Language.known.map(\.rawValue).joined(separator: ", ")])
        #expect(refusal { () throws(InvalidValue) in try Language(text) } == unknown)
        #expect(Language(rawValue: text) == nil)
    }

    @Test func `a language is required`() {
        #expect(refusal { () throws(InvalidValue) in try Language(" ") } == InvalidValue("required"))
    }

    @Test func `the kinds of notifications are those that gateways know`() {
        #expect(
            NotificationKind.allCases.map(\.rawValue) == [
                "delivery_offered", "delivery_cancelled", "invite", "partnership_ended", "delivery_accepted",
                "delivery_delivered", "delivery_returned", "delivery_stranded", "delivery_unaccepted",
                "delivery_late", "delivery_changed", "delivery_reassigned", "delivery_reopened", "attempt_failed",
                "offers_waiting", "message_received", "partner_joined", "cancellation_contested",
                "cancellation_excused", "bulletin_published", "recipient_tracking", "password_reset",
                "confirmation_code",
                "new_device", "password_changed", "login_changed", "session_ended", "account_leaving",
            ])
        #expect(AccountKind.allCases.map(\.rawValue) == ["store", "courier"])
    }
}
