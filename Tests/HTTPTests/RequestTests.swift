import Testing

@testable import HTTP

@Suite struct RequestTests {
    @Test(arguments: [
        ("/", nil), ("/?", nil), ("/?a", ""), ("/?a=", ""), ("/?a=1", "1"), ("/?b=2&a=1", "1"), ("/?a=1&a=2", "1"),
        ("/?a=1=2", "1=2"), ("/?&&a=1&", "1"), ("/?A=1", nil), ("/?aa=1", nil), ("/?=1", nil), ("/?a=b+c", "b c"),
        ("/?a=b%20c%2B", "b c+"), ("/?%61=1", "1"), ("/?a=%C4%8D%c4%87", "čć"), ("/?a=%26%3D", "&="),
        ("/?a=1?b", "1?b"), ("/?a=%0A%0d%09", "\n\r\t"), ("http://h?a=1", "1"), ("http://h/?a=1", "1"),
        // Bytes that are not text are not a value.
        ("/?a=%ff", nil), ("/?a=%00", nil), ("/?a=%7F", nil), ("/?%ff=1", nil), ("/?%ff=1&a=2", "2"),
    ])
    func `a query gives the first value of a name, decoded`(target: String, value: String?) throws {
        #expect(try madeRequest(target).query("a") == value)
    }

    @Test func `header fields are found in any case, the first one or all together`() throws {
        let request = try madeRequest(fields: ["X-One: 1", "x-one:2", "X-Empty:", "X-ONE:  3, 4\t"])
        #expect(request.header("x-one") == "1")
        #expect(request.headerList("x-one") == "1, 2, 3, 4")
        #expect(request.header("x-empty") == "")
        #expect(request.headerList("x-empty") == "")
        #expect(request.header("x-none") == nil)
        #expect(request.headerList("x-none") == nil)
        #expect(request.header("x-on") == nil)
        #expect(request.header("host") == "a")
    }

    @Test func `cookies are found between others, whatever they are`() throws {
        // The two bytes are U+0600, which makes one character of itself and what follows.
        let request = try madeRequest(fields: ["Cookie: b=1\u{d8}\u{80};a=2=3; a=4", "Cookie: ba=5;c; d="])
        #expect(request.cookies("a") == ["2=3", "4"] && request.cookies("ba") == ["5"] && request.cookies("d") == [""])
        #expect(request.cookies("c") == [] && request.cookies("") == [])
        #expect(try madeRequest().cookies("a") == [])
    }

    @Test func `bytes of a header field that are not UTF-8 are replaced`() throws {
        #expect(try madeRequest(fields: ["X: b\u{ff}c", "Y: \u{c4}\u{8d}"]).header("x") == "b\u{fffd}c")
        #expect(try madeRequest(fields: ["X: b\u{ff}c", "Y: \u{c4}\u{8d}"]).header("y") == "č")
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("a+b", "a+b"), ("%61%7a", "az"), ("%2F", "/"), ("%25", "%"), ("%2525", "%25"),
        ("%C4%8d", "č"), ("%F0%9F%9A%B2", "🚲"), ("%09%0A%0D", "\t\n\r"), ("%C2%80", "\u{80}"),
        ("%EF%BF%BD", "\u{fffd}"), ("%", nil), ("%4", nil), ("%4x", nil), ("%x4", nil), ("a%", nil), ("%%41", nil),
        ("%+1", nil),
        // Controls.
        ("%00", nil), ("a%00b", nil), ("%01", nil), ("%08", nil), ("%0B", nil), ("%1f", nil), ("%7f", nil),
        // Invalid UTF-8: alone, cut off, overlong, a surrogate, too high.
        ("%80", nil), ("%ff", nil), ("%C4", nil), ("%C4a", nil), ("%E2%82", nil), ("%C0%AF", nil), ("%C0%80", nil),
        ("%E0%80%AF", nil), ("%ED%A0%80", nil), ("%F4%90%80%80", nil), ("%F0%9F%9A", nil),
    ])
    func `percent-encoded text is decoded, and anything else refused`(text: String, decoded: String?) {
        #expect(PercentEncoding.decode(Array(text.utf8)) == decoded)
    }

    @Test func `every byte that is percent-encoded comes back if it is text`() {
        for byte in UInt8.min ... .max {
            let digits = String(byte, radix: 16)
            let text = "%" + (digits.count == 1 ? "0" : "") + digits
            let isText = byte < 0x7f && (byte >= 0x20 || [9, 10, 13].contains(byte))
            #expect(PercentEncoding.decode(Array(text.utf8)) == (isText ? latin1([byte]) : nil))
            #expect(PercentEncoding.decode(Array(text.uppercased().utf8)) == (isText ? latin1([byte]) : nil))
        }
    }

    @Test(arguments: [
        ("/a", true), ("/%41?%41", true), ("/%C4%8D", true), ("/%ff", false), ("/?%ff", false), ("/%00", false),
        ("/?a=%00", false),
        // Two halves do not make a letter across the question mark.
        ("/%C4?%8D", false), ("http://h%ff/a", true), ("http://h/%ff", false),
    ])
    func `a target is sound only if all of it is text`(target: String, isSound: Bool) throws {
        #expect(try receivedHead("GET \(target) HTTP/1.1⏎Host: a⏎⏎").hasSoundEscapes == isSound)
    }

    @Test(arguments: [
        ("a", true), ("0123-abc_DEF.~:+/=@", true), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false), ("", false), ("a b", false), ("a\"b", false), ("a\\b", false),
        ("a\nb", false), ("a\u{7f}", false), ("č", false), ("<a>", false), ("{a}", false),
    ])
    func `a sane request id of a client is accepted`(text: String, isAccepted: Bool) {
        #expect(RequestID.accept(text) == (isAccepted ? text : nil))
        #expect(RequestID.accept(nil) == nil)
    }

    @Test func `request ids of our own are acceptable, and never the same twice`() {
        var (first, second) = (RequestIDs(), RequestIDs())
        let ids = (0..<10_000).flatMap { _ in [first.next(), second.next()] }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 13 && RequestID.accept($0) == $0 })
    }
}
