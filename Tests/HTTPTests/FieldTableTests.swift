import Testing

@testable import HTTP

/// Field lines, by RFC 9110, 5, and RFC 9112, 5.
@Suite struct FieldLineTests {
    @Test(arguments: [
        Row.take("no blank", "GET / HTTP/1.1⏎Host:a⏎⏎"),
        .take("many blanks", "GET / HTTP/1.1⏎Host: \t a\t \t⏎⏎"),
        .take("blanks within", "GET / HTTP/1.1⏎Host: a⏎X: b \t c ⏎⏎", fields: ["Host: a", "X: b \t c"]),
        .take("empty value", "GET / HTTP/1.1⏎Host: a⏎X:⏎⏎", fields: ["Host: a", "X: "]),
        .take("value of blanks", "GET / HTTP/1.1⏎Host: a⏎X: \t ⏎⏎", fields: ["Host: a", "X: "]),
        .take("colons", "GET / HTTP/1.1⏎Host: a⏎X::b:⏎⏎", fields: ["Host: a", "X: :b:"]),
        .take("the same name again", "GET / HTTP/1.1⏎Host: a⏎X: b⏎x: c⏎⏎", fields: ["Host: a", "X: b", "x: c"]),
        .take("obs-text", "GET / HTTP/1.1⏎Host: a⏎X: \u{80}\u{ff}⏎⏎", fields: ["Host: a", "X: \u{80}\u{ff}"]),
        .take("name in any case", "GET / HTTP/1.1⏎hOST: a⏎⏎", fields: ["hOST: a"]),
        .take("the next request is left alone", "GET / HTTP/1.1⏎Host: a⏎⏎", next: "GET /b HTTP/1.1⏎⏎"),
        .refuse("space before the colon", "GET / HTTP/1.1⏎Host : a⏎⏎", .spaceBeforeColon),
        .refuse("tab before the colon", "GET / HTTP/1.1⏎Host\t: a⏎⏎", .spaceBeforeColon),
        .refuse("space within the name", "GET / HTTP/1.1⏎Ho st: a⏎⏎", .spaceBeforeColon),
        .refuse("empty name", "GET / HTTP/1.1⏎: a⏎⏎", .fieldName),
        .refuse("no colon", "GET / HTTP/1.1⏎Host⏎⏎", .fieldName),
        .refuse("no colon, bare line feed", "GET / HTTP/1.1⏎Host\n\n", .fieldName),
        .refuse("parentheses in the name", "GET / HTTP/1.1⏎X(y): a⏎⏎", .fieldName),
        .refuse("folded by a space", "GET / HTTP/1.1⏎Host: a⏎X: b⏎ c⏎⏎", .folding),
        .refuse("folded by a tab", "GET / HTTP/1.1⏎Host: a⏎X: b⏎\tc⏎⏎", .folding),
        .refuse("first field folded", "GET / HTTP/1.1⏎ Host: a⏎⏎", .folding),
        .refuse("folded before its end", "GET / HTTP/1.1⏎Host: a⏎ ⏎⏎", .folding),
        .wait("no end", "GET / HTTP/1.1⏎Host: a⏎"),
        .wait("half an end", "GET / HTTP/1.1⏎Host: a⏎\r"),
    ])
    func `field lines are taken only in the form of the standard`(row: Row) { row.check() }

    @Test(arguments: [
        Row.refuse("bare line feed behind a value", "GET / HTTP/1.1⏎Host: a\nX: b⏎⏎", .lineEnding),
        .refuse("bare line feed behind an empty value", "GET / HTTP/1.1⏎X:\nHost: a⏎⏎", .lineEnding),
        .refuse("bare line feed for the end", "GET / HTTP/1.1⏎Host: a⏎\n", .lineEnding),
        .refuse("line feeds only", "GET / HTTP/1.1\nHost: a\n\n", .lineEnding),
        .refuse("carriage return within a value", "GET / HTTP/1.1⏎Host: a⏎X: b\rc⏎⏎", .lineEnding),
        .refuse("carriage return before the line's end", "GET / HTTP/1.1⏎Host: a\r⏎⏎", .lineEnding),
        .refuse("carriage return for the end", "GET / HTTP/1.1⏎Host: a⏎\rGET", .lineEnding),
    ])
    func `lines end with CR and LF, and nothing less`(row: Row) { row.check() }
}

/// Host, by RFC 9112, 3.2, and RFC 3986, 3.2.2.
@Suite struct HostTests {
    @Test(arguments: [
        Row.refuse("missing", "GET / HTTP/1.1⏎X: b⏎⏎", .hostMissing),
        .refuse("no fields", "GET / HTTP/1.1⏎⏎", .hostMissing),
        .refuse("missing in a later minor version", "GET / HTTP/1.2⏎⏎", .hostMissing),
        .take("missing in HTTP/1.0", "GET / HTTP/1.0⏎⏎", version: 0, fields: [], keepsAlive: false),
        .refuse("twice", "GET / HTTP/1.1⏎Host: a⏎Host: b⏎⏎", .hostRepeated),
        .refuse("twice the same", "GET / HTTP/1.1⏎Host: a⏎X: b⏎hOST: a⏎⏎", .hostRepeated),
        .refuse("twice in HTTP/1.0", "GET / HTTP/1.0⏎Host: a⏎Host: a⏎⏎", .hostRepeated),
        .refuse("bad in HTTP/1.0", "GET / HTTP/1.0⏎Host: a b⏎⏎", .host),
    ])
    func `a host is given once, or in the older version not at all`(row: Row) { row.check() }

    @Test(arguments: [
        "a", "example.com", "EXAMPLE.com.", "a:80", "a:", "a:00000000080", "127.0.0.1", "127.0.0.1:80", "1.2.3",
        "a%20b", "-._~!$&'()*+,;=", "[::1]", "[::1]:80", "[::]", "[::]:", "[1:2:3:4:5:6:7:8]",
        "[1:2:3:4:5:6:1.2.3.4]", "[1::]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[abcd:EF01::9]",
        "[::ffff:255.255.255.255]", "[v1.a]", "[VfF.~!:]",
    ])
    func `valid hosts are taken`(host: String) {
        let row = Row.take("", "GET / HTTP/1.1⏎Host: \(host)⏎⏎", fields: ["Host: \(host)"])
        row.check()
    }

    @Test(arguments: [
        "", ":", ":80", "a b", "a:b", "a:8o", "a:-1", "a:+1", "a::1", "::1", "a:80:80", "a,b c", "a/b", "a?b",
        "a#b", "u@a", "a\\b", "a%", "a%2", "a%2g", "a%g2", "a\"b", "a<b", "a_b|", "\u{e9}", "[", "[]", "[]:80",
        "[::1", "::1]", "[::1]a", "[::1]]", "[[::1]]", "[::1]80", "[::1]:x", "[:]", "[:::]", "[1:2]",
        "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::1::2]", "[1:2:3:4::5:6:7:8]", "[12345::]", "[g::]",
        "[1.2.3.4]", "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[1.2.3.4::]", "[a]", "[fe80::1%25eth0]",
        "[::1 ]", "[v.a]", "[v1]", "[v1.]", "[vg.a]", "[x1.a]", "a[::1]",
    ])
    func `invalid hosts are refused`(host: String) {
        let row = Row.refuse("", "GET / HTTP/1.1⏎Host: \(host)⏎⏎", .host)
        row.check()
    }
}

/// Framing, by RFC 9112, 6.
@Suite struct FramingTests {
    @Test(arguments: [
        Row.take(
            "some", "GET / HTTP/1.1⏎Host:a⏎Content-Length: 2⏎⏎bc", fields: ["Host: a", "Content-Length: 2"],
            framing: .length(2), body: "bc"),
        .take(
            "none", "GET / HTTP/1.1⏎Host:a⏎Content-Length: 0⏎⏎", fields: ["Host: a", "Content-Length: 0"],
            next: "GET"),
        .take(
            "leading zeros", "GET / HTTP/1.1⏎Host:a⏎content-LENGTH:  0001\t⏎⏎b",
            fields: ["Host: a", "content-LENGTH: 0001"], framing: .length(1), body: "b"),
        .take(
            "in HTTP/1.0", "PUT / HTTP/1.0⏎Content-Length: 1⏎⏎b", method: "PUT", version: 0,
            fields: ["Content-Length: 1"], framing: .length(1), keepsAlive: false, body: "b"),
        .wait("a byte is missing", "GET / HTTP/1.1⏎Host: a⏎Content-Length: 2⏎⏎b"),
    ])
    func `Content-Length says how long the body is`(row: Row) { row.check() }

    @Test(arguments: [
        "", "+1", "-1", "1.0", "0x1", "1e1", "a", "1a", "1 1", "1,1", "1, 1", "1,", ",1", "\"1\"", "1;", "\u{b2}",
        "1_0",
    ])
    func `a Content-Length that is no number is refused`(value: String) {
        let row = Row.refuse("", "POST / HTTP/1.1⏎Host: a⏎Content-Length: \(value)⏎⏎b", .contentLength)
        row.check()
    }

    @Test(arguments: [
        "1001", "2147483648", "4294967296", "1000000000000000", "9223372036854775807", "9223372036854775808",
        "18446744073709551616", "18446744073709551617", "99999999999999999999999999999999999999999",
    ])
    func `a Content-Length that is too large is refused`(value: String) {
        let row = Row.refuse("", "POST / HTTP/1.1⏎Host: a⏎Content-Length: \(value)⏎⏎", .bodyTooLarge)
        row.check()
    }

    @Test(arguments: [
        Row.refuse(
            "two lengths", "POST / HTTP/1.1⏎Host: a⏎Content-Length: 1⏎Content-Length: 2⏎⏎b", .contentLengthRepeated),
        .refuse(
            "twice the same", "POST / HTTP/1.1⏎Host: a⏎Content-Length: 1⏎content-length: 1⏎⏎b",
            .contentLengthRepeated),
        .refuse(
            "zero twice", "POST / HTTP/1.1⏎Host: a⏎Content-Length: 0⏎Content-Length: 0⏎⏎", .contentLengthRepeated),
        .refuse(
            "length, then coding", "POST / HTTP/1.1⏎Host: a⏎Content-Length: 5⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
            .contentLengthWithTransferEncoding),
        .refuse(
            "coding, then length", "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding: chunked⏎Content-Length: 5⏎⏎0⏎⏎",
            .contentLengthWithTransferEncoding),
        .refuse(
            "length zero and coding", "POST / HTTP/1.1⏎Host: a⏎Content-Length: 0⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
            .contentLengthWithTransferEncoding),
        .refuse(
            "two codings", "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding: chunked⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
            .transferEncoding),
        .refuse(
            "a coding and none", "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding: chunked⏎Transfer-Encoding:⏎⏎0⏎⏎",
            .transferEncoding),
    ])
    func `more than one way to tell the length is refused`(row: Row) { row.check() }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED"])
    func `the coding chunked is known in any case`(coding: String) {
        let fields = ["Host: a", "Transfer-Encoding: \(coding)"]
        let text = "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding:\t\(coding) ⏎⏎1⏎b⏎0⏎⏎"
        let row = Row.take("", text, method: "POST", fields: fields, framing: .chunked, body: "b", next: "GET")
        row.check()
    }

    @Test(arguments: [
        ("gzip, chunked", Malformed.transferEncodingNotSupported),
        ("gzip,\t,CHUNKED", .transferEncodingNotSupported), (",chunked", .transferEncodingNotSupported),
        ("", .transferEncoding), ("gzip", .transferEncoding), ("identity", .transferEncoding),
        ("chunked, chunked", .transferEncoding), ("chunked, gzip", .transferEncoding),
        ("chunked, gzip, chunked", .transferEncoding), ("chunked,", .transferEncoding),
        ("xchunked", .transferEncoding), ("chunked;q=1", .transferEncoding), ("\"chunked\"", .transferEncoding),
        ("chunkedx", .transferEncoding), ("chunked\u{a0}", .transferEncoding), ("chunked x", .transferEncoding),
        ("x chunked", .transferEncoding),
    ])
    func `other transfer codings are refused`(coding: String, malformed: Malformed) {
        let row = Row.refuse("", "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding: \(coding)⏎⏎0⏎⏎", malformed)
        row.check()
    }

    @Test func `Transfer-Encoding is refused in the older version`() {
        Row.refuse("", "POST / HTTP/1.0⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", .transferEncoding).check()
    }
}

/// Whether the connection goes on, by RFC 9112, 9.3, and RFC 9110, 10.1.1.
@Suite struct ConnectionFieldTests {
    @Test(arguments: [
        ([], true, false), (["close"], false, false), (["Close"], false, false), (["keep-alive"], true, true),
        (["Keep-Alive"], true, true), (["upgrade, CLOSE"], false, false), (["keep-alive,close"], false, false),
        (["close", "keep-alive"], false, false), (["keep-alive", "close"], false, false),
        ([",, \t close ,"], false, false), (["x", "keep-alive ,y"], true, true), (["closed"], true, false),
        (["close keep-alive"], true, false), (["\"close\""], true, false), ([""], true, false),
        (["x-close, no-keep-alive"], true, false),
    ])
    func `Connection and the version say whether the connection stays`(
        values: [String], newKeepsAlive: Bool, oldKeepsAlive: Bool
    ) {
        let fields = ["Host: a"] + values.map { "Connection: \($0)" }
        let text = fields.joined(separator: "⏎") + "⏎⏎"
        let new = Row.take("", "GET / HTTP/1.1⏎" + text, fields: fields, keepsAlive: newKeepsAlive)
        let old = Row.take("", "GET / HTTP/1.0⏎" + text, version: 0, fields: fields, keepsAlive: oldKeepsAlive)
        for row in [new, old] {
            row.check()
        }
    }

    @Test(arguments: [
        Row.take(
            "with a body", "PUT / HTTP/1.1⏎Host:a⏎Expect: 100-continue⏎Content-Length:1⏎⏎b", method: "PUT",
            fields: ["Host: a", "Expect: 100-continue", "Content-Length: 1"], framing: .length(1), expects: true,
            body: "b"),
        .take(
            "in any case", "PUT / HTTP/1.1⏎Host:a⏎Content-Length:1⏎EXPECT: 100-Continue⏎⏎b", method: "PUT",
            fields: ["Host: a", "Content-Length: 1", "EXPECT: 100-Continue"], framing: .length(1), expects: true,
            body: "b"),
        .take(
            "with chunks", "PUT / HTTP/1.1⏎Host:a⏎Expect: 100-continue⏎Transfer-Encoding:chunked⏎⏎0⏎⏎",
            method: "PUT", fields: ["Host: a", "Expect: 100-continue", "Transfer-Encoding: chunked"],
            framing: .chunked, expects: true),
        .take(
            "without a body it means nothing", "GET / HTTP/1.1⏎Host:a⏎Expect: 100-continue⏎⏎",
            fields: ["Host: a", "Expect: 100-continue"]),
        .take(
            "in HTTP/1.0 it is ignored", "PUT / HTTP/1.0⏎Expect: 100-continue⏎Content-Length: 1⏎⏎b", method: "PUT",
            version: 0, fields: ["Expect: 100-continue", "Content-Length: 1"], framing: .length(1),
            keepsAlive: false, body: "b"),
        .refuse("something else", "PUT / HTTP/1.1⏎Host: a⏎Expect: 200-ok⏎⏎", .expectation),
        .refuse("nothing", "PUT / HTTP/1.1⏎Host: a⏎Expect:⏎⏎", .expectation),
        .refuse("something more", "PUT / HTTP/1.1⏎Host: a⏎Expect: 100-continue, x⏎⏎", .expectation),
    ])
    func `Expect may only ask to continue`(row: Row) { row.check() }
}
