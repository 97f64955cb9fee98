import Testing

@testable import HTTP

/// Request lines, by RFC 9112, 2.2 and 3.
@Suite struct RequestLineTests {
    @Test(arguments: [
        Row.take("plain", "GET / HTTP/1.1⏎Host: a⏎⏎"),
        .take("unknown", "BREW / HTTP/1.1⏎Host: a⏎⏎", method: "BREW"),
        .take("lower case is another method", "get / HTTP/1.1⏎Host: a⏎⏎", method: "get"),
        .take("one letter", "x / HTTP/1.1⏎Host: a⏎⏎", method: "x"),
        .take("any token", "!#$%&'*+-.^_`|~09 / HTTP/1.1⏎Host: a⏎⏎", method: "!#$%&'*+-.^_`|~09"),
        .refuse("none", " / HTTP/1.1⏎Host: a⏎⏎", .method),
        .refuse("tab behind it", "GET\t/ HTTP/1.1⏎Host: a⏎⏎", .method),
        .refuse("nothing behind it", "GET⏎Host: a⏎⏎", .method),
        .refuse("line feed behind it", "GET\n", .method),
        .refuse("colon in it", "GE:T / HTTP/1.1⏎Host: a⏎⏎", .method),
        .refuse("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}", .method),
        .wait("no end in sight", "GET"),
        .wait("nothing at all", ""),
    ])
    func `a method is any token`(row: Row) { row.check() }

    @Test(arguments: [
        Row.take("one is overlooked", "⏎GET / HTTP/1.1⏎Host: a⏎⏎"),
        .refuse("two are too many", "⏎⏎GET / HTTP/1.1⏎Host: a⏎⏎", .method),
        .refuse("bare line feed", "\nGET / HTTP/1.1⏎Host: a⏎⏎", .method),
        .refuse("bare carriage return", "\rGET / HTTP/1.1⏎Host: a⏎⏎", .lineEnding),
        .refuse("blank", " ⏎GET / HTTP/1.1⏎Host: a⏎⏎", .method),
        .wait("half of one", "\r"),
        .wait("one alone", "⏎"),
    ])
    func `one empty line before a request is overlooked`(row: Row) { row.check() }

    @Test(arguments: [
        Row.take("path and query", "GET /a/b?c=d&e HTTP/1.1⏎Host: a⏎⏎", target: "/a/b?c=d&e"),
        .take(
            "all that may stand in a path", "GET /-._~!$&'()*+,;=:@ HTTP/1.1⏎Host: a⏎⏎",
            target: "/-._~!$&'()*+,;=:@"),
        .take("a query with slash and mark", "GET /?/?/ HTTP/1.1⏎Host: a⏎⏎", target: "/?/?/"),
        .take("empty query", "GET /? HTTP/1.1⏎Host: a⏎⏎", target: "/?"),
        .take("empty segments", "GET ///a// HTTP/1.1⏎Host: a⏎⏎", target: "///a//"),
        .take("dots are left alone", "GET /a/../b HTTP/1.1⏎Host: a⏎⏎", target: "/a/../b"),
        .take("escapes", "GET /%41%c4%8D?%00 HTTP/1.1⏎Host: a⏎⏎", target: "/%41%c4%8D?%00"),
        .refuse("escape without digits", "GET /% HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("escape with one digit", "GET /%4 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("escape with a wrong first digit", "GET /%g1 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("escape with a wrong second digit", "GET /%1g HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("escape of an escape", "GET /%%41 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("escape by code point", "GET /%u0041 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("bad escape in the query", "GET /?%zz HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("fragment", "GET /a#b HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("no target", "GET  HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("no version, as in HTTP/0.9", "GET /⏎", .target),
        .refuse("tab behind it", "GET /\tHTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("two spaces before it", "GET  / HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("two spaces behind it", "GET /  HTTP/1.1⏎Host: a⏎⏎", .version),
        .refuse("space in it", "GET /a b HTTP/1.1⏎Host: a⏎⏎", .version),
        .refuse("no slash", "GET a HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("only a query", "GET ?a HTTP/1.1⏎Host: a⏎⏎", .target),
        .wait("ends in an escape", "GET /%4"),
    ])
    func `a target in origin form is a path with an optional query`(row: Row) { row.check() }

    @Test(arguments: [
        Row.take("path and query", "GET http://b/c?d HTTP/1.1⏎Host: a⏎⏎", target: "/c?d"),
        .take("https", "GET https://b/ HTTP/1.1⏎Host: a⏎⏎"),
        .take("scheme in any case", "GET hTTp://b/ HTTP/1.1⏎Host: a⏎⏎"),
        .take("port", "GET http://b:80/ HTTP/1.1⏎Host: a⏎⏎"),
        .take("empty port", "GET http://b:/ HTTP/1.1⏎Host: a⏎⏎"),
        .take("empty path", "GET http://b HTTP/1.1⏎Host: a⏎⏎", target: ""),
        .take("empty path with a query", "GET http://b?c/d HTTP/1.1⏎Host: a⏎⏎", target: "?c/d"),
        .take("address of version 6", "GET http://[::1]:8/c HTTP/1.1⏎Host: a⏎⏎", target: "/c"),
        .take("OPTIONS", "OPTIONS http://b/ HTTP/1.1⏎Host: a⏎⏎", method: "OPTIONS"),
        .refuse("without Host, which it does not replace", "GET http://b/ HTTP/1.1⏎⏎", .hostMissing),
        .refuse("empty host", "GET http:///c HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("nothing behind the slashes", "GET http:// HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("only a port", "GET http://:80/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("a port that is no number", "GET http://b:x/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("user", "GET http://user@b/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("user and password", "GET http://u:p@b/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("one slash", "GET http:/b HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("another scheme", "GET ftp://b/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("brackets in the path", "GET http://b/[c] HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("brackets in the query", "GET http://b?[c] HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("no address in brackets", "GET http://[b]/ HTTP/1.1⏎Host: a⏎⏎", .target),
    ])
    func `a target in absolute form gives its path and query`(row: Row) { row.check() }

    @Test(arguments: [
        Row.take("OPTIONS", "OPTIONS * HTTP/1.1⏎Host: a⏎⏎", method: "OPTIONS", target: "*"),
        .refuse("asterisk without OPTIONS", "GET * HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("asterisk with a method like OPTIONS", "options * HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("two asterisks", "OPTIONS ** HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("asterisk with a query", "OPTIONS *?a HTTP/1.1⏎Host: a⏎⏎", .target),
        .take("CONNECT", "CONNECT b:443 HTTP/1.1⏎Host: a⏎⏎", method: "CONNECT", target: "b:443"),
        .take(
            "CONNECT to version 6", "CONNECT [::1]:443 HTTP/1.1⏎Host: a⏎⏎", method: "CONNECT", target: "[::1]:443"),
        .refuse("CONNECT without a port", "CONNECT b HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT with an empty port", "CONNECT b: HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT to port zero", "CONNECT b:0 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT to no port there is", "CONNECT b:65536 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT to a huge port", "CONNECT b:99999999999999999999 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT without a host", "CONNECT :443 HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT with a path", "CONNECT / HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("CONNECT with an absolute form", "CONNECT http://b/ HTTP/1.1⏎Host: a⏎⏎", .target),
        .refuse("authority without CONNECT", "GET b:443 HTTP/1.1⏎Host: a⏎⏎", .target),
    ])
    func `only OPTIONS takes an asterisk, and only CONNECT an authority`(row: Row) { row.check() }

    @Test(arguments: [
        Row.take("1.1", "GET / HTTP/1.1⏎Host: a⏎⏎"),
        .take("1.0", "GET / HTTP/1.0⏎Host: a⏎⏎", version: 0, keepsAlive: false),
        .take("1.2 is served as 1.1", "GET / HTTP/1.2⏎Host: a⏎⏎"),
        .take("1.9 is served as 1.1", "GET / HTTP/1.9⏎Host: a⏎⏎"),
        .refuse("2.0", "GET / HTTP/2.0⏎Host: a⏎⏎", .versionNotSupported),
        .refuse("the preface of HTTP/2", "PRI * HTTP/2.0⏎⏎SM⏎⏎", .target),
        .refuse("0.9", "GET / HTTP/0.9⏎Host: a⏎⏎", .versionNotSupported),
        .refuse("no minor", "GET / HTTP/1⏎Host: a⏎⏎", .version),
        .refuse("no minor behind the dot", "GET / HTTP/1.⏎Host: a⏎⏎", .version),
        .refuse("two digits in the major", "GET / HTTP/11.1⏎Host: a⏎⏎", .version),
        .refuse("two digits in the minor", "GET / HTTP/1.10⏎Host: a⏎⏎", .version),
        .refuse("lower case", "GET / http/1.1⏎Host: a⏎⏎", .version),
        .refuse("another name", "GET / HTCPCP/1.0⏎Host: a⏎⏎", .version),
        .refuse("none", "GET / ⏎Host: a⏎⏎", .version),
        .refuse("space behind it", "GET / HTTP/1.1 ⏎Host: a⏎⏎", .version),
        .refuse("letters for digits", "GET / HTTP/x.y⏎Host: a⏎⏎", .version),
        .refuse("bare line feed", "GET / HTTP/1.1\nHost: a⏎⏎", .lineEnding),
        .refuse("bare carriage return", "GET / HTTP/1.1\rHost: a⏎⏎", .lineEnding),
        .refuse("two carriage returns", "GET / HTTP/1.1\r⏎Host: a⏎⏎", .lineEnding),
        .wait("not all of it", "GET / HTTP/1."),
        .wait("no line feed yet", "GET / HTTP/1.1\r"),
    ])
    func `only versions of HTTP 1 are served`(row: Row) { row.check() }
}

/// Every byte in every place of a head.
@Suite struct EveryByteTests {
    private static let everyByte = (0...255).map { UInt8($0) }

    @Test(arguments: everyByte.filter { $0 != 32 })
    func `only bytes of a token may stand in the method`(byte: UInt8) {
        let text = "G" + latin1([byte]) + "T"
        let row =
            Bytes.tchar.contains(byte)
            ? Row.take("", text + " / HTTP/1.1⏎Host: a⏎⏎", method: text)
            : .refuse("", text + " / HTTP/1.1⏎Host: a⏎⏎", .method)
        row.check()
    }

    @Test(arguments: everyByte.filter { $0 != 32 && $0 != UInt8(ascii: "%") }, ["/", "/?"])
    func `only bytes of a path or query may stand in the target`(byte: UInt8, start: String) {
        let text = start + latin1([byte]) + "x"
        let row =
            Bytes.query.contains(byte)
            ? Row.take("", "GET \(text) HTTP/1.1⏎Host: a⏎⏎", target: text)
            : .refuse("", "GET \(text) HTTP/1.1⏎Host: a⏎⏎", .target)
        row.check()
    }

    @Test(arguments: 0..<8)
    func `no other byte may stand in the version`(place: Int) {
        for byte in Self.everyByte {
            var version = Array("HTTP/1.1".utf8)
            // Other digits make other versions.
            guard version[place] != byte, !Bytes.digit.contains(byte) || !Bytes.digit.contains(version[place]) else {
                continue
            }
            version[place] = byte
            Row.refuse("", "GET / \(latin1(version))⏎Host: a⏎⏎", .version).check()
        }
    }

    @Test(arguments: everyByte.filter { $0 != UInt8(ascii: ":") })
    func `only bytes of a token may stand in the name of a field`(byte: UInt8) {
        let text = "X" + latin1([byte]) + "X"
        let malformed: Malformed = byte == 32 || byte == 9 ? .spaceBeforeColon : .fieldName
        let row =
            Bytes.tchar.contains(byte)
            ? Row.take("", "GET / HTTP/1.1⏎Host: a⏎\(text): b⏎⏎", fields: ["Host: a", "\(text): b"])
            : .refuse("", "GET / HTTP/1.1⏎Host: a⏎\(text): b⏎⏎", malformed)
        row.check()
    }

    @Test(arguments: Bytes.controls.all + [32] + Array(0x80...0xff))
    func `no control, blank or foreign byte may start a field line`(byte: UInt8) {
        let malformed: Malformed =
            switch byte {
            case 9, 32: .folding
            case 10, 13: .lineEnding
            default: .fieldName
            }
        Row.refuse("", "GET / HTTP/1.1⏎Host: a⏎" + latin1([byte]) + "X: b⏎⏎", malformed).check()
    }

    @Test(arguments: everyByte, ["", "a"])
    func `only visible bytes and blanks may stand in the value of a field`(byte: UInt8, before: String) {
        let text = before + latin1([byte]) + "b"
        let malformed: Malformed = byte == 10 || byte == 13 ? .lineEnding : .fieldValue
        // The first blank is not part of the value.
        let value = before.isEmpty && (byte == 9 || byte == 32) ? "b" : text
        let row =
            Bytes.fieldValue.contains(byte)
            ? Row.take("", "GET / HTTP/1.1⏎Host: a⏎X:\(text)⏎⏎", fields: ["Host: a", "X: \(value)"])
            : .refuse("", "GET / HTTP/1.1⏎Host: a⏎X:\(text)⏎⏎", malformed)
        row.check()
    }
}

@Suite struct HeadLimitTests {
    private let head = bytes("GET /0123456789 HTTP/1.1⏎Host: a⏎X: 0123456789⏎⏎")

    @Test func `a head of just the size is taken`() {
        let feeder = Feeder(headLimit: head.count)
        let fields = ["Host: a", "X: 0123456789"]
        Row.take("", latin1(head), target: "/0123456789", fields: fields).checkParser(feeder)
        Row.take("", latin1(head), target: "/0123456789", fields: fields, next: "GET / HTTP/1.1⏎").checkParser(feeder)
    }

    @Test func `a head one byte larger is refused`() {
        Row.refuse("", latin1(head), .headTooLarge).checkParser(Feeder(headLimit: head.count - 1))
    }

    @Test func `a full head that is not complete is refused without waiting for more`() {
        Row.refuse("", latin1(head.dropLast()), .headTooLarge).checkParser(Feeder(headLimit: head.count - 1))
    }

    @Test(
        arguments: 2...46
    )
    func `a refusal says whether the request line or the head is too long`(limit: Int) {
        let requestLine = "GET /0123456789 HTTP/1.1⏎".count + 1
        let malformed: Malformed = limit < requestLine ? .targetTooLong : .headTooLarge
        Row.refuse("", latin1(head), malformed).checkParser(Feeder(headLimit: limit))
    }

    @Test func `a hundred fields are taken`() {
        let more = (1...99).map { "A: \($0)" }
        let text = (["GET / HTTP/1.1", "Host: a"] + more).joined(separator: "⏎")
        Row.take("", text + "⏎⏎", fields: ["Host: a"] + more).check()
    }

    @Test func `a hundred and one fields are refused`() {
        let fields = [String](repeating: "A:⏎", count: 100)
        Row.refuse("", "GET / HTTP/1.1⏎Host: a⏎" + fields.joined() + "⏎", .headTooLarge).check()
    }
}
