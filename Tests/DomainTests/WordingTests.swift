import Testing

@testable import Domain

@Suite struct WordingTests {
    /// The arguments that callers can give for each kind.
    static let arguments: [NotificationKind: Set<String>] = [
        .deliveryOffered: ["store", "reference", "address"],
        .deliveryCancelled: ["store", "reference", "description", "reason"],
        .invite: ["store", "code", "url", "message"],
        .partnershipEnded: ["store"],
        .deliveryAccepted: ["courier", "reference", "address"],
        .deliveryDelivered: ["courier", "reference", "address"],
        .deliveryReturned: ["courier", "reference", "address", "reason"],
        .deliveryStranded: ["reference", "address"],
        .deliveryUnaccepted: ["reference", "address"], .deliveryLate: ["reference", "address"],
        .deliveryChanged: ["store", "reference", "address"],
        .deliveryReassigned: ["store", "reference", "description"],
        .deliveryReopened: ["store", "reference", "description"],
        .attemptFailed: ["courier", "reference", "address", "reason"],
        .messageReceived: ["name", "text"], .offersWaiting: ["count", "url"], .partnerJoined: ["courier"],
        .cancellationContested: ["courier", "reference"], .cancellationExcused: ["store", "reference"],
        .bulletinPublished: ["store", "title"], .recipientTracking: ["store", "reason", "url"],
        .passwordReset: ["code", "minutes"], .confirmationCode: ["code", "minutes"],
        .newDevice: ["address"], .passwordChanged: [], .loginChanged: ["url", "hours"], .sessionEnded: [],
        .accountLeaving: ["days"],
    ]
    static let examples = [
        "store": "Pekara Klas", "courier": "Ana Kos", "code": "01ABC-DEF89", "url": "https://kurir.hr/i/01ABCDEF89",
        "reference": "2026-17", "address": "Ilica 1, Zagreb", "reason": "Guma je pukla", "minutes": "15",
        "description": "Torta", "hours": "72", "count": "3", "message": "Do viđenja!", "name": "Ana Kos",
        "text": "Nitko ne otvara", "title": "Sutra ne radimo", "days": "7",
    ]

    @Test(arguments: Language.known, NotificationKind.allCases)
    func `the wording of each kind uses its placeholders and no others`(language: Language, kind: NotificationKind)
        throws
    {
        let template = try #require(Wording.templates[language]).template(kind)
        let known = try #require(Self.arguments[kind])
        #expect(template.title.arguments.union(template.body.arguments).isSubset(of: known))
        let text = Wording.message(kind, in: language, Self.examples)
        // Address and description stand in only where nothing shorter is given.
        for name in template.body.arguments where !["address", "description"].contains(name) {
            #expect(text.body.contains(try #require(Self.examples[name])), "\(name)")
        }
    }

    @Test(arguments: Language.known, NotificationKind.allCases)
    func `the wording is a clean sentence whatever is missing`(language: Language, kind: NotificationKind) throws {
        let names = try #require(Self.arguments[kind]).sorted()
        for subset in 0..<(1 << names.count) {
            let given = names.indices.filter { subset >> $0 & 1 == 1 }.map { names[$0] }
            let (title, body) = Wording.message(kind, in: language, Self.examples.filter { given.contains($0.key) })
            for text in [title, body] {
                #expect(isClean(text), "\(language.rawValue) \(kind) \(given): \(text)")
            }
            // It must fit into an SMS of two parts, of which the sender's name takes some.
            #expect(title.count <= 30 && body.count <= 130, "\(body)")
        }
    }

    private func isClean(_ text: String) -> Bool {
        let marks = ["{", "}", "[", "]", "|", "  ", " .", " ,", " :", "..", ".:", ":.", "()"]
        return text.first?.isUppercase == true && text.last?.isWhitespace == false
            && !marks.contains { text.contains($0) }
    }

    /// Some take it into the link.
    @Test(arguments: Language.known, NotificationKind.allCases)
    func `no mark follows a link`(language: Language, kind: NotificationKind) {
        let body = Wording.message(kind, in: language, Self.examples).body
        for mark in ".,;:!?" { #expect(!body.contains("\(Self.examples["url"] ?? "-")\(mark)"), "\(body)") }
    }

    @Test(arguments: NotificationKind.allCases)
    func `each language has wording of its own`(kind: NotificationKind) {
        let texts = Language.known.map { Wording.message(kind, in: $0, [:]) }
        #expect(Set(texts.map(\.title)).count == Language.known.count)
        #expect(Set(texts.map(\.body)).count == Language.known.count)
    }

    @Test func `the wording reads as it should`() {
        func hr(_ kind: NotificationKind) -> String {
            Wording.message(kind, in: Language(known: "hr"), Self.examples).body
        }
        #expect(hr(.deliveryOffered) == "Pekara Klas ima dostavu za vas: Ilica 1, Zagreb")
        #expect(
            hr(.deliveryCancelled)
                == "Pekara Klas otkazuje dostavu 2026-17. Nemojte je nositi primatelju. Razlog: Guma je pukla")
        #expect(
            hr(.invite)
                == "Pekara Klas vas poziva na suradnju u dostavi: https://kurir.hr/i/01ABCDEF89 Kod: 01ABC-DEF89 „Do viđenja!”"
        )
        #expect(hr(.deliveryAccepted) == "Dostavu 2026-17 preuzima Ana Kos.")
        #expect(
            Wording.message(.deliveryReturned, in: .fallback, ["courier": "Ana Kos"]).body
                == "Ana Kos has given back your delivery. It is pending again.")
        #expect(
            Wording.message(.attemptFailed, in: .fallback, ["courier": "Ana Kos", "reason": "Nobody is at home"]).body
                == "A delivery could not be handed over. Reason: Nobody is at home. Ana Kos still has it.")
        #expect(Wording.message(.passwordReset, in: .fallback, [:]).title == "New password")
    }

    @Test(arguments: Language.known, ReturnReason.allCases)
    func `why a delivery was given back is said in the language's own words`(language: Language, reason: ReturnReason) {
        let body = Wording.message(.deliveryReturned, in: language, Self.examples, because: reason).body
        #expect(isClean(body) && !body.contains("_") && !body.contains("Guma"))
        let others = Language.known.filter { $0 != language }.map {
            Wording.message(.deliveryReturned, in: $0, Self.examples, because: reason).body
        }
        #expect(!others.contains(body))
    }

    @Test(arguments: Language.known)
    func `the wording of a cancelled delivery says nothing of the recipient`(language: Language) {
        #expect(!Wording.message(.deliveryCancelled, in: language, Self.examples).body.contains("Ilica"))
    }

    @Test(arguments: Language.known)
    func `the wording has what the reader needs to go on`(language: Language) {
        let invite = Wording.message(.invite, in: language, Self.examples).body
        #expect(invite.contains("https://kurir.hr/i/01ABCDEF89") && invite.contains("01ABC-DEF89"))
        let reset = Wording.message(.passwordReset, in: language, ["code": "12345678", "minutes": "15"]).body
        #expect(reset.contains("12345678") && reset.contains(" 15 "))
    }

    @Test(arguments: Language.known, NotificationKind.allCases)
    func `a value is never taken for wording`(language: Language, kind: NotificationKind) {
        let value = "{code}[{url}|{reason}]"
        let arguments = Self.examples.mapValues { _ in value }
        let body = Wording.message(kind, in: language, arguments).body
        #expect(body.contains(value) || Self.arguments[kind] == [])
        let without = body.replacing(value, with: "")
        #expect(!without.contains("{") && !without.contains("["))
    }

    @Test(arguments: [
        ("1", "1 minutu", "1 minute"), ("2", "2 minute", "2 minutes"), ("4", "4 minute", "4 minutes"),
        ("5", "5 minuta", "5 minutes"), ("10", "10 minuta", "10 minutes"), ("11", "11 minuta", "11 minutes"),
        ("12", "12 minuta", "12 minutes"), ("14", "14 minuta", "14 minutes"), ("15", "15 minuta", "15 minutes"),
        ("20", "20 minuta", "20 minutes"), ("21", "21 minutu", "21 minutes"), ("22", "22 minute", "22 minutes"),
        ("25", "25 minuta", "25 minutes"), ("101", "101 minutu", "101 minutes"),
        ("111", "111 minuta", "111 minutes"),
        ("113", "113 minuta", "113 minutes"), ("0", "0 minuta", "0 minutes"),
    ])
    func `the wording has the right form for minutes`(minutes: String, croatian: String, english: String) {
        func body(_ language: Language) -> String {
            Wording.message(.passwordReset, in: language, ["code": "12345678", "minutes": minutes]).body
        }
        #expect(body(Language(known: "hr")).contains(" \(croatian)."))
        #expect(body(.fallback).contains(" \(english)."))
    }
}
