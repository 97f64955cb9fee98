import Domain
import Foundation
import Languages
import Testing

@Suite struct LanguagesTests {
    private static let english = Languages.all[0]
    private static let forms = Set(Languages.all.flatMap(\.forms))

    /// The texts of a language, by file and name.
    private static func texts(of words: LanguageWords) -> [(file: String, texts: [String: String])] {
        [("problems", words.problems), ("messages", words.messages), ("pages", words.pages)]
    }

    /// A name without its plural form.
    private static func base(_ name: String) -> String {
        let parts = name.split(separator: ".").map(String.init)
        return parts.count == 2 && forms.contains(parts[1]) ? parts[0] : name
    }

    private static func places(_ text: String) -> Set<String> {
        Set(text.matches(of: #/\{(\w+)/#).map { String($0.1) })
    }

    @Test func `English comes first, and each language is called by its own name`() {
        #expect(Languages.all.first?.code == "en")
        let names = Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, $0.name) })
        #expect(names["en"] == "English" && names["de"] == "Deutsch" && names["hr"] == "Hrvatski")
        #expect(Set(names.values).count == names.count && !names.values.contains(""))
    }

    @Test(arguments: Languages.all.map(\.code)) func `each language has the same texts as English`(_ code: String)
        throws
    {
        let words = try #require(Languages.all.first { $0.code == code })
        for ((file, texts), (_, english)) in zip(Self.texts(of: words), Self.texts(of: Self.english)) {
            let (names, wanted) = (Set(texts.keys.map(Self.base)), Set(english.keys.map(Self.base)))
            #expect(names == wanted, "\(code)/\(file): \(names.symmetricDifference(wanted))")
            #expect(texts.values.allSatisfy { !$0.isEmpty && $0 == $0.trimmingCharacters(in: .whitespaces) })
        }
    }

    /// A value without a place in the text would be lost, and a place without a value would be visible.
    @Test(arguments: Languages.all.map(\.code)) func `each text has places for the same values as in English`(
        _ code: String
    ) throws {
        let words = try #require(Languages.all.first { $0.code == code })
        for ((file, texts), (_, english)) in zip(Self.texts(of: words), Self.texts(of: Self.english)) {
            for (name, text) in texts {
                // One form may spell its number out.
                let known = english.filter { Self.base($0.key) == Self.base(name) }.map { Self.places($0.value) }
                #expect(known.contains(Self.places(text)), "\(code)/\(file): \(name)")
            }
        }
    }

    @Test(arguments: Languages.all.map(\.code)) func `a text with forms has all that its language has`(_ code: String)
        throws
    {
        let words = try #require(Languages.all.first { $0.code == code })
        let named = Dictionary(grouping: words.pages.keys.filter { $0.contains(".") }) { Self.base($0) }
        for (name, keys) in named {
            #expect(Set(keys.map { String($0.split(separator: ".")[1]) }) == Set(words.forms), "\(code): \(name)")
        }
    }

    @Test(arguments: [
        ("en", [1: 0, 0: 1, 2: 1, 11: 1, 21: 1]), ("de", [1: 0, 0: 1, 2: 1, 21: 1]),
        ("hr", [1: 0, 21: 0, 101: 0, 2: 1, 4: 1, 22: 1, 0: 2, 5: 2, 11: 2, 12: 2, 14: 2, 111: 2, 112: 2]),
    ])
    func `the form of a text goes with the number`(_ code: String, _ forms: [Int: Int]) throws {
        let words = try #require(Languages.all.first { $0.code == code })
        for (number, form) in forms { #expect(words.form(of: number) == form, "\(code): \(number)") }
    }

    // MARK: Who says it

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")

    private static func text(ofFiles ending: String) throws -> String {
        let files =
            FileManager.default.enumerator(at: sources.standardized, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == ending } ?? []
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The words of a text that stand behind such a beginning, and before one of such letters, if any are named. Looking for each of a
    /// thousand names takes a minute.
    private static func words(of text: String, between places: (before: String, after: String)...) -> Set<String> {
        let bytes = Array(" \(text) ".utf8)
        let places = places.map { (before: Array($0.before.utf8), after: Array($0.after.utf8)) }
        var (words, start) = (Set<String>(), 0)
        for (place, byte) in bytes.enumerated() {
            let isLetter = byte == 0x5f || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
            guard !isLetter else { continue }
            let isMeant = places.contains { before, after in
                (after.isEmpty || after.contains(byte)) && bytes[..<start].suffix(before.count).elementsEqual(before)
            }
            if place > start, isMeant { words.insert(String(decoding: bytes[start..<place], as: UTF8.self)) }
            start = place + 1
        }
        return words
    }

    @Test func `the pages say only texts that exist, and leave none over`() throws {
        let (scripts, swift) = (try Self.text(ofFiles: "js"), try Self.text(ofFiles: "swift"))
        // In scripts they are quoted, or names in a list or an object whose values they are, too.
        let words = Self.words(of: scripts, between: ("'", "'"), (" ", ",:}"), ("{", ","))
            .union(Self.words(of: swift, between: ("text(\"", "\"")))
        let names = Set(Self.english.pages.keys.map(Self.base))
        for said in scripts.matches(of: #/\bt\('(\w+)'/#) {
            #expect(names.contains(String(said.1)), "the pages say \(said.1), which is nowhere")
        }
        // Some names are composed, like that of a status.
        let beginnings =
            scripts.matches(of: #/`(\w+_)\$\{/#).map { String($0.1) }
            + swift.matches(of: #/"(track_\w+_)\\\(/#).map { String($0.1) }
        for name in names {
            // The views of the pages are found by their names.
            #expect(words.contains(name) || beginnings.contains { name.hasPrefix($0) }, "nobody says \(name)")
        }
    }

    @Test func `every message has a title and a body, and none are left over`() {
        let wanted = NotificationKind.allCases.flatMap { [$0.rawValue, $0.rawValue + ".body"] }
        #expect(Set(Self.english.messages.keys) == Set(wanted))
    }

    @Test func `every problem has words, and no words are left over`() throws {
        let swift = try Self.text(ofFiles: "swift")
        // The code is a case of an enum of codes, or stands in quotes.
        let words = Self.words(of: swift, between: ("\"", "\""), ("case ", ""), (", ", ""))
        for code in Self.english.problems.keys where !code.hasSuffix(".detail") {
            let parts = code.split(separator: "_")
            let camel = parts[0] + parts.dropFirst().map(\.capitalized).joined()
            #expect(words.contains(code) || words.contains(String(camel)), "nobody says \(code)")
        }
        let codes = swift.matches(of: #/Problem\(\s*\.\w+,\s*"(\w+)"(?!, wording)/#).map(\.1)
        let ofFields =
            swift.matches(of: #/(?:WrongField|refuse)\((?:\w+|"[^"]+"), "(\w+)"/#).map(\.1)
            + swift.matches(of: #/InvalidValue\("(\w+)"/#).map(\.1)
        let wordings = swift.matches(of: #/wording: "(\w+)"/#).map(\.1)
        #expect(!codes.isEmpty && !ofFields.isEmpty && !wordings.isEmpty)
        for said in codes + ofFields + wordings {
            let isSaid = ["", ".detail"].contains { Self.english.problems[said + $0] != nil }
            #expect(isSaid, "\(said) has no words")
        }
    }
}
