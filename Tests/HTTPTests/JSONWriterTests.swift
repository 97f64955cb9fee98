import FoundationEssentials
import TestSupport
import Testing

@testable import HTTP

@Suite struct JSONWriterTests {
    private func string(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.appendString(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("", #""""#), ("a", #""a""#), ("a\"b", #""a\"b""#), ("\\", #""\\""#), ("/", #""/""#),
        ("\n\r\t", #""\n\r\t""#), ("\0", #""\u0000""#),
        ("\u{8}\u{b}\u{c}", #""\b\u000b\f""#), ("\u{1f}", #""\u001f""#), ("\u{7f}", "\"\u{7f}\""),
        ("č🚲", #""č🚲""#), ("\"", #""\"""#),
        ("\"\"", #""\"\"""#), ("a\n", #""a\n""#), ("\r\n", #""\r\n""#), ("\u{2028}", "\"\u{2028}\""),
    ])
    func `strings are escaped as JSON wants it`(text: String, json: String) {
        #expect(string(text) == json)
    }

    @Test func `every control character is escaped, and read back`() throws {
        for byte in UInt8.min..<0x20 {
            let text = "a" + latin1([byte]) + "b"
            #expect(string(text).utf8.allSatisfy { $0 >= 0x20 })
            #expect(try JSONDecoder().decode([String].self, from: Data("[\(string(text))]".utf8)) == [text])
        }
    }

    @Test func `another reader reads back whatever text is written`() throws {
        var seed = Seed.forThisRun()
        print("JSON strings: \(seed)")
        for _ in 0..<2_000 {
            let text = String(String.UnicodeScalarView((0..<seed.number(0...20)).map { _ in scalar(&seed) }))
            let read = try JSONDecoder().decode([String].self, from: Data("[\(string(text))]".utf8))
            // They are compared by scalars, since texts that Swift calls equal may have different ones.
            #expect(read.map { Array($0.unicodeScalars) } == [Array(text.unicodeScalars)], "\(seed)")
        }
    }

    private func scalar(_ seed: inout Seed) -> Unicode.Scalar {
        let highest = seed.pick([0x1f, 0x7f, 0xff, 0xffff, 0x10ffff])
        return Unicode.Scalar(UInt32(seed.number(0...highest))) ?? "\""
    }

    @Test func `objects, lists and all kinds of fields are written`() {
        var json = JSONWriter()
        json.object { json in
            json.field("text", "a\"")
            json.field("number", Int.min)
            json.field("yes", true)
            json.object("empty") { _ in }
            json.array("none", [Int]()) { _, _ in }
            json.array("some", [1, 2]) { json, item in json.object { $0.field("item", item) } }
            json.object("inner") { json in
                json.object("deep") { $0.field("a", 1) }
                json.field("b", 2)
            }
            json.field("no", false)
        }
        let expected =
            #"{"text":"a\"","number":-9223372036854775808,"yes":true,"empty":{},"none":[],"some":[{"item":1},{"item":2}],"#
            + #""inner":{"deep":{"a":1},"b":2},"no":false}"#
        #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
    }
}
