import Domain
import Testing

@Suite struct TextsTests {
    @Test(arguments: [
        ("Pekara Klas d.o.o.", "Pekara Klas d.o.o."), ("  Ilica 1 \t\r\n", "Ilica 1"),
        ("\u{A0}a\u{A0}b\u{A0}", "a\u{A0}b"),
        ("Đurđica Čačić-Šoć", "Đurđica Čačić-Šoć"), ("👩‍👩‍👧‍👦 ❤️", "👩‍👩‍👧‍👦 ❤️"), ("e\u{301}", "e\u{301}"),
        ("{store} [x] \\ \" ' <b>", "{store} [x] \\ \" ' <b>"), ("مرحبا", "مرحبا"),
    ])
    func `texts are trimmed and otherwise kept as they are`(text: String, kept: String) throws {
        for taken in [try Texts.line(text, upTo: 40), try Texts.paragraph(text, upTo: 40)] {
            #expect(Array(taken.unicodeScalars) == Array(kept.unicodeScalars))
        }
    }

    @Test(arguments: ["", " ", "\t\n\r\n", "\u{A0}\u{3000}", "\u{200B}", " \u{FEFF}\u{2060} \u{AD}", "\u{3164}"])
    func `texts that are empty or look it are refused as missing`(text: String) {
        #expect(line(text) == InvalidValue("required"))
        #expect(paragraph(text) == InvalidValue("required"))
    }

    @Test(arguments: [
        "a\u{0}b", "\u{0}", "a\u{7}b", "a\u{1B}[31mb", "a\u{7F}b", "a\u{80}b", "a\u{9F}b", "a\rb", "a\u{B}b",
        "a\u{85}b",
        "a\u{2028}b", "a\u{2029}b", "a\u{202A}b", "a\u{202B}b", "a\u{202C}b", "a\u{202D}b", "a\u{202E}b",
        "a\u{2066}b",
        "a\u{2067}b", "a\u{2068}b", "a\u{2069}b",
    ])
    func `texts with control characters or turned direction are refused`(text: String) {
        #expect(line(text) == InvalidValue("control_characters"))
        #expect(paragraph(text) == InvalidValue("control_characters"))
    }

    @Test func `only paragraphs have several lines`() throws {
        for text in ["a\nb", "a\tb", "a\r\nb"] { #expect(line(text) == InvalidValue("control_characters")) }
        #expect(try Texts.paragraph("\r\na\r\n\r\n\tb\nc\r\n", upTo: 40) == "a\n\n\tb\nc")
        #expect(paragraph("a\n\rb") == InvalidValue("control_characters"))
    }

    @Test func `texts are bounded in characters, of four bytes each on average`() {
        let tooLong = InvalidValue("too_long", ["max": "40"])
        for take in [line, paragraph] {
            #expect(take(String(repeating: "a", count: 40)) == nil)
            #expect(take(" " + String(repeating: "a", count: 40) + " ") == nil)
            #expect(take(String(repeating: "a", count: 41)) == tooLong)
            #expect(take(String(repeating: "🍋", count: 40)) == nil)
            #expect(take(String(repeating: "🍋", count: 41)) == tooLong)
            #expect(take("a" + String(repeating: "\u{301}", count: 79)) == nil)
            #expect(take("a" + String(repeating: "\u{301}", count: 80)) == tooLong)
        }
    }

    private func line(_ text: String) -> InvalidValue? {
        refusal { () throws(InvalidValue) in try Texts.line(text, upTo: 40) }
    }

    private func paragraph(_ text: String) -> InvalidValue? {
        refusal { () throws(InvalidValue) in try Texts.paragraph(text, upTo: 40) }
    }
}
