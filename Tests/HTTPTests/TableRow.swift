import Testing

@testable import HTTP

/// A row of a table: bytes, and their expected outcome.
struct Row: CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var expected: Outcome

    var testDescription: String { name }

    static func refuse(_ name: String, _ text: String, _ malformed: Malformed) -> Row {
        Row(name: name, bytes: HTTPTests.bytes(text), expected: .refused(malformed))
    }

    static func wait(_ name: String, _ text: String) -> Row {
        Row(name: name, bytes: HTTPTests.bytes(text), expected: .incomplete)
    }

    /// `next` is the text behind the request, which belongs to the next one.
    static func take(
        _ name: String, _ text: String, method: String = "GET", target: String = "/", version: UInt8 = 1,
        fields: [String] = ["Host: a"], framing: Framing = .none, keepsAlive: Bool = true, expects: Bool = false,
        body: String = "", next: String = ""
    ) -> Row {
        let bytes = HTTPTests.bytes(text)
        let facts = Facts(
            method: method, target: target, minorVersion: version, fields: fields.map(field), framing: framing,
            keepsAlive: keepsAlive, expectsContinue: expects, body: HTTPTests.bytes(body), length: bytes.count)
        return Row(name: name, bytes: bytes + HTTPTests.bytes(next), expected: .accepted(facts))
    }

    private static func field(_ text: String) -> Facts.Field {
        let colon = text.firstIndex(of: ":")!
        return Facts.Field(String(text[..<colon]), String(text[colon...].dropFirst(2)))
    }

    /// Checks the parser, and the second reading of the grammar.
    func check(_ location: SourceLocation = #_sourceLocation) {
        checkParser(Feeder(), location)
        checkReference(location)
    }

    /// Feeds the row whole, cut in two at every place, and byte by byte.
    func checkParser(_ feeder: Feeder = Feeder(), _ location: SourceLocation = #_sourceLocation) {
        let whole = feeder.read(bytes)
        #expect(whole == expected, "\(escaped(bytes))", sourceLocation: location)
        let different = allCuts(of: bytes.count).filter { feeder.read(bytes, cuts: $0) != whole }
        #expect(different.isEmpty, "\(escaped(bytes))", sourceLocation: location)
    }

    private func checkReference(_ location: SourceLocation = #_sourceLocation) {
        let answer = Reference().read(bytes)
        let agrees =
            switch (expected, answer) {
            case (.accepted(let facts), .accepted(let same)): facts == same
            case (.refused, .refused), (.incomplete, .incomplete): true
            default: false
            }
        #expect(agrees, "\(escaped(bytes)): \(answer)", sourceLocation: location)
    }
}
