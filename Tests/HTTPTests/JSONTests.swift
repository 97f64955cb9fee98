import HTTP
import Testing

/// Reading JSON, strictly.
@Suite struct JSONTests {
    @Test(arguments: [
        ("null", JSON.null), (" true ", .bool(true)), ("-0", .integer(0)), ("12", .integer(12)),
        ("-1.5e1", .number(-15)),
        ("1e2", .number(100)), ("9223372036854775807", .integer(.max)),
        ("9223372036854775808", .number(9.223372036854775808e18)),
        (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{c}\n\r\t")),
        (#""\u00e9\u010D""#, .string("éč")), (#""\ud83d\udef5""#, .string("🛵")), ("\"čćž\"", .string("čćž")),
        ("[]", .array([])), ("[1,[2], {}]", .array([.integer(1), .array([.integer(2)]), .object([:])])),
        (#"{"a" : 1 , "b":{"a":null}}"#, .object(["a": .integer(1), "b": .object(["a": .null])])),
        (#"{"":0}"#, .object(["": .integer(0)])), ("\"\\u0000\"", .string("\u{0}")),
        ("{\"\u{feff}a\":\"\u{feff}b\"}", .object(["\u{feff}a": .string("\u{feff}b")])),
    ])
    func `sound JSON is read as the value it stands for`(_ text: String, _ value: JSON) {
        #expect(JSON(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "1e999", "'a'", "\"",
        "\"\\x\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "\"a\tb\"", "[",
        "[1", "[1,]",
        "[,1]", "[1 2]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":1}",
        "1 1", "[]]", "\u{feff}1",
    ])
    func `malformed JSON is refused`(_ text: String) {
        #expect(JSON(Array(text.utf8)) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(JSON([0x22, 0xff, 0x22]) == nil)
        #expect(JSON([0x22, 0xed, 0xa0, 0x80, 0x22]) == nil)
    }

    @Test func `JSON nests as deep as somebody might mean, and no deeper`() {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(JSON(Array(nested(32).utf8)) != nil)
        #expect(JSON(Array(nested(33).utf8)) == nil)
        #expect(JSON(Array(nested(30_000).utf8)) == nil)
    }

    /// As texts, neither of these two names comes before the other.
    @Test(arguments: [["c\u{30c}", "\u{10d}R"], ["\u{10d}R", "c\u{30c}"]])
    func `the order of members is that of their names' bytes`(_ names: [String]) throws {
        let members = names.map { "\"\($0)\":0" }.joined(separator: ",")
        let value = try #require(JSON(Array("{\(members)}".utf8)))
        #expect(value.bytes == Array("{\"c\u{30c}\":0,\"\u{10d}R\":0}".utf8))
    }

    @Test func `written JSON is read back the same`() {
        let value = JSON.object([
            "text": .string("\u{1}\"\\č\u{0}🛵"), "list": .array([.integer(-7), .number(0.25), .bool(false), .null]),
        ])
        #expect(JSON(value.bytes) == value)
        #expect(
            String(decoding: JSON.object(["b": .null, "a": .array([])]).bytes, as: UTF8.self) == #"{"a":[],"b":null}"#)
    }
}
