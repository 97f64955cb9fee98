import Testing

@testable import Domain

/// Where SMS go, and what they say.
@Suite struct SMSTests {
    private func gets(_ number: String, _ countries: [String] = ["HR"]) -> Bool {
        CallingCodes.beginnings(of: countries).contains(where: number.hasPrefix)
            && !CallingCodes.never(within: countries).contains(where: number.hasPrefix)
    }

    @Test func `only numbers of the countries that are allowed get SMS`() {
        #expect(gets("+385911234567") && gets("+385991234567"))
        #expect(!gets("+38641123456") && gets("+38641123456", ["HR", "SI"]))
        // Countries that share a beginning are told apart.
        #expect(!gets("+77011234567", ["RU"]) && gets("+77011234567", ["RU", "KZ"]) && gets("+77011234567", ["KZ"]))
        #expect(gets("+12125550100", ["US"]) && !gets("+18765550100", ["US"]) && !gets("+14165550100", ["US"]))
        #expect(!gets("+447797700000", ["GB"]) && gets("+447797700000", ["GB", "JE"]))
    }

    @Test(arguments: ["60", "61", "64", "65", "69", "72"])
    func `Croatian numbers at a premium or of shared cost get no SMS`(_ range: String) {
        #expect(!gets("+385\(range)123456"))
    }

    @Test func `numbers of no country get no SMS, whatever is allowed`() {
        let everywhere = Array(CallingCodes.ofCountries.keys)
        for code in ["800", "808", "870", "878", "881", "882", "883", "888", "979"] {
            #expect(!gets("+\(code)12345678", everywhere), "\(code)")
        }
        #expect(gets("+385911234567", everywhere) && !gets("+385601234", everywhere))
    }

    /// Otherwise a whole country, or all its mobile numbers, would be lost by a slip in the table.
    @Test func `each range at a premium is a part of a country's numbers, or of none`() {
        let countries = Set(CallingCodes.ofCountries.values.joined())
        #expect(CallingCodes.premium.allSatisfy { $0.count == 3 || !countries.contains($0) })
        for mobile in [
            "+4915112345678", "+436641234567", "+38641123456", "+38761123456", "+393331234567", "+447400123456",
        ] {
            #expect(gets(mobile, Array(CallingCodes.ofCountries.keys)), "\(mobile)")
        }
        #expect(CallingCodes.ofCountries.count > 230 && CallingCodes.knows("HR") && !CallingCodes.knows("hr"))
    }

    @Test(arguments: [
        ("Pekara Klas", "Pekara Klas"), ("Klas d.o.o.", "Klas d.o.o."), ("Kod St. Marka", "Kod St. Marka"),
        ("Dobitak evil.com/x odmah", "Dobitak odmah"), ("https://x.hr", ""), ("WWW.x", ""), ("t\u{3002}me", ""),
        ("1.2.3.4/x klik", "klik"), ("tel:+385601234567", ""), ("//evil", ""), ("evil\u{2024}com", ""),
        ("nazovi 060 123-456 odmah", "nazovi odmah"), ("Nazovi +385601234567", "Nazovi"),
        ("Zovi:0609123456", "Zovi"), ("Pekara(0609123456)x", "Pekara x"), ("Zovi+385 609 123hr", "Zovi hr"),
        ("evil.\u{200B}com", ""), ("A1 pekara 2x24h", "A1 pekara 2x24h"),
        ("Studio 54", "Studio 54"), ("Kavana 9.30", "Kavana 9.30"), ("Od 1896.", "Od 1896."),
        (String(repeating: "ab ", count: 30), String(repeating: "ab ", count: 13) + "a"),
        // One character can have any number of marks.
        (
            "Kod " + String(repeating: "e" + String(repeating: "\u{301}", count: 11), count: 9),
            "Kod " + String(repeating: "e" + String(repeating: "\u{301}", count: 11), count: 3)
        ),
    ])
    func `a name in an SMS is short and without links`(_ name: String, _ said: String) {
        #expect(PlainName.of(name) == said)
        #expect(PlainName.of(name).unicodeScalars.count <= 40)
    }

    @Test(arguments: NotificationKind.allCases.filter(\.goesBySMS), Language.known)
    func `an SMS says nothing that somebody wrote but names`(_ kind: NotificationKind, _ language: Language) {
        let arguments = [
            "store": "Pekara evil.com", "courier": "Ana evil.com", "address": "evil.com", "description": "evil.com",
            "reference": "evil.com", "reason": "evil.com", "note": "evil.com", "message": "evil.com",
            "code": "01ABC-DEF89",
            "url": "https://kurir.hr/i/1", "minutes": "15",
        ]
        let said = Wording.sms(kind, in: language, arguments)
        #expect(!said.contains("evil") && said.count > 20)
    }
}
