import Testing

@testable import HTTP

/// Bodies, by RFC 9112, 6 and 7.1.
@Suite struct BodyTableTests {
    @Test(arguments: [
        chunks("0⏎⏎", ""), chunks("5⏎hello⏎0⏎⏎", "hello"), chunks("1⏎a⏎2⏎bc⏎0⏎⏎", "abc"), chunks("0000⏎⏎", ""),
        chunks("a⏎0123456789⏎0⏎⏎", "0123456789"), chunks("A⏎0123456789⏎0⏎⏎", "0123456789"),
        chunks("0000000000000001⏎a⏎0000000000000000⏎⏎", "a"), chunks("5⏎\r\n\r\n0⏎0⏎⏎", "\r\n\r\n0"),
        chunks("3⏎\0\u{ff}\u{80}⏎0⏎⏎", "\0\u{ff}\u{80}"),
    ])
    func `chunks make up the body`(row: Row) { row.check() }

    @Test(arguments: [
        "", " ", "g", "-1", "+1", "0x1", "1x", "1.0", " 1", "1 ", "1\t", "1\0", "\u{ff}1", "1_0",
        "00000000000000001", "00000000000000000", "1\n", "1\r", "1,1", "1 1",
    ])
    func `malformed sizes of chunks are refused`(size: String) {
        let row = chunkedRow("\(size)⏎a⏎0⏎⏎", .refused(.chunk))
        row.check()
    }

    @Test(arguments: [
        refused("1⏎ab⏎0⏎⏎", .chunk), refused("1⏎a0⏎⏎", .chunk), refused("1⏎a\n0⏎⏎", .chunk),
        refused("1⏎a\r0⏎⏎", .chunk), refused("1\na⏎0⏎⏎", .chunk), refused("1\ra⏎0⏎⏎", .chunk),
        refused("1⏎a⏎⏎0⏎⏎", .chunk), refused("2⏎a⏎0⏎⏎", .chunk), refused("0\n\n", .chunk),
        refused("0⏎\n", .trailer), refused("0⏎\r\r", .trailer), waits(""), waits("1"), waits("1\r"), waits("1⏎"),
        waits("1⏎a"), waits("1⏎a\r"), waits("1⏎a⏎"), waits("1⏎a⏎0⏎"), waits("0⏎\r"),
    ])
    func `only line ends stand between chunks`(row: Row) { row.check() }

    @Test(arguments: [
        ";a", ";a=b", " ;a", "\t;a", "; a", " \t; \ta", ";a =b", ";a= b", ";a \t=\t b", ";a;b", ";a=b;c=d",
        ";a ;b", ";a=b ;c", ";a=\"\"", ";a=\"b\"", ";a = \"b\"", ";a=\"b c\td\"", ";a=\"\u{80}\u{ff}\"",
        ";a=\"\\\"\"", ";a=\"\\\\\"", ";a=\"\\\u{ff}\\ \\\t\"", ";a=\";\"", ";a=\"b\";c", ";a=\"b\" ; c = \"d\"",
        ";!#$%&'*+-.^_`|~=!#$%&'*+-.^_`|~", ";a=1;a=1",
    ])
    func `well formed extensions are taken and ignored`(text: String) {
        // The extension does not end the size, and the last chunk may have one as well.
        let row = chunkedRow("2\(text)⏎bc⏎0\(text)⏎⏎", body: "bc")
        row.check()
    }

    @Test(arguments: [
        ";", ";;", ";;a", ";a;", ";=", ";=b", ";a=", ";a==b", ";a=b=c", " a", " =b", "; ", ";a ", ";a=b ",
        ";a=\"b\" ", ";a=\"b\"\t", ";a b", ";a=b c", ";a=b \"c\"", ";a\"b\"", ";a=\"", ";a=\"b", ";a=\"\\",
        ";a=\"\\\"", ";a=\"b\"c", ";a=\"b\"\"c\"", ";a=b\"c\"", ";a(b)", ";a,b", ";a=b,c", ";a=@", ";\u{80}",
        ";a=\u{80}", ";a=\"\0\"", ";a=\"\u{7f}\"", ";a=\"\\\0\"", ";a=\"\\\u{7f}\"", ";a\0", ";\0", ";a=\0",
        "; \0", ";a \0", ";a= \0", ";a=\"b\"\0", ";a\n", ";a=b\n", ";a=\"\n\"", ";a=\"\r\"", ";a=\"\r\n\"", ";a\r",
        "=b", "a=b", " \n", "; \n",
    ])
    func `malformed extensions are refused`(text: String) {
        for row in [chunkedRow("1\(text)⏎b⏎0⏎⏎", .refused(.chunk)), chunkedRow("0\(text)⏎⏎", .refused(.chunk))] {
            row.check()
        }
    }

    @Test(arguments: [
        chunks("0⏎X: a⏎⏎", ""), chunks("0⏎X:⏎Y: b⏎⏎", ""), chunks("0⏎X:\t\u{80} \u{ff} ⏎⏎", ""),
        chunks("1⏎a⏎0⏎Content-Length: 9⏎⏎", "a"), refused("0⏎X⏎⏎", .trailer), refused("0⏎: a⏎⏎", .trailer),
        refused("0⏎X : a⏎⏎", .trailer), refused("0⏎ X: a⏎⏎", .trailer), refused("0⏎X: a⏎ b⏎⏎", .trailer),
        refused("0⏎X: a⏎\tb⏎⏎", .trailer), refused("0⏎X: a\n⏎", .trailer), refused("0⏎X: a\rb⏎⏎", .trailer),
        refused("0⏎X: \0⏎⏎", .trailer), refused("0⏎X: \u{7f}⏎⏎", .trailer), refused("0⏎\u{80}: a⏎⏎", .trailer),
        refused("0⏎X\0: a⏎⏎", .trailer), refused("0⏎X: a⏎\n", .trailer), refused("0⏎GET / HTTP/1.1⏎⏎", .trailer),
        waits("0⏎X"), waits("0⏎X: a⏎"), waits("0⏎X: a⏎\r"),
    ])
    func `trailers must have the form of field lines`(row: Row) { row.check() }

    @Test(arguments: [
        ("1⏎b", 13, Malformed.chunk), ("1⏎b\r", 10, .chunk), ("1\r", 10, .chunk), ("1;a\r", 10, .chunk),
        ("0\r", 10, .chunk), ("0⏎\r", 10, .trailer), ("0⏎X: a\r", 10, .trailer),
    ])
    func `every other byte is refused where a line or a chunk has to end`(
        before: String, right: UInt8, malformed: Malformed
    ) {
        for byte in UInt8.min ... .max where byte != right {
            refused(before + latin1([byte]) + "⏎⏎", malformed).check()
        }
    }

    @Test func `exactly as many bytes are taken as the length says`() {
        let all = (0...255).map { UInt8($0) }
        let head = "POST / HTTP/1.1⏎Host: a⏎Content-Length: 256⏎⏎"
        Row.take(
            "", head + latin1(all), method: "POST", fields: ["Host: a", "Content-Length: 256"], framing: .length(256),
            body: latin1(all), next: "GET / HTTP/1.1⏎"
        ).check()
    }

    // MARK: Limits

    private static let small = Feeder(bodyLimit: 10)

    @Test(arguments: [
        chunks("a⏎0123456789⏎0⏎⏎", "0123456789"), chunks("9⏎012345678⏎1⏎9⏎0⏎⏎", "0123456789"),
        chunks("5⏎01234⏎00005⏎56789⏎000⏎⏎", "0123456789"),
    ])
    func `a body at the limit is taken, in whatever chunks`(row: Row) { row.checkParser(Self.small) }

    @Test(arguments: [
        refused("b", .bodyTooLarge), refused("00b", .bodyTooLarge), refused("10", .bodyTooLarge),
        refused("9⏎012345678⏎2", .bodyTooLarge), refused("a⏎0123456789⏎1", .bodyTooLarge),
        refused("ffffffffffffffff⏎", .bodyTooLarge), refused("7fffffffffffffff⏎", .bodyTooLarge),
        refused("a⏎0123456789⏎7fffffffffffffff", .bodyTooLarge), refused("8000000000000000", .bodyTooLarge),
    ])
    func `a body over the limit is refused as soon as it is announced`(row: Row) { row.checkParser(Self.small) }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `a length is taken up to the limit and refused over it`(length: Int, fits: Bool) {
        let text = "POST / HTTP/1.1⏎Host: a⏎Content-Length: \(length)⏎⏎" + String(repeating: "b", count: length)
        let row =
            fits
            ? Row.take(
                "", text, method: "POST", fields: ["Host: a", "Content-Length: \(length)"], framing: .length(length),
                body: String(repeating: "b", count: length))
            : .refuse("", text, .bodyTooLarge)
        row.checkParser(Self.small)
    }

    @Test(arguments: [0, 1])
    func `extensions and trailers may add up to 4096 bytes`(excess: Int) {
        // The bound counts the extension behind its semicolon with its CR, the field line, and the last line.
        let counted = "a\r".utf8.count + "X:\r\n".utf8.count + "\r\n".utf8.count
        let field = "X:" + String(repeating: "v", count: 4096 - counted + excess)
        let text = "0;a⏎\(field)⏎⏎"
        let row = chunkedRow(text, excess == 0 ? nil : .refused(.bodyTooLarge))
        #expect(Feeder().read(row.bytes) == row.expected)
        #expect(Feeder().read(row.bytes, cuts: Array(1..<row.bytes.count)) == row.expected)
    }
}

/// A request in chunks, which is accepted unless something else is expected.
private func chunkedRow(_ text: String, body: String = "", _ expected: Outcome? = nil) -> Row {
    var row = Row.take(
        escaped(bytes(text)), "POST / HTTP/1.1⏎Host: a⏎Transfer-Encoding: chunked⏎⏎" + text, method: "POST",
        fields: ["Host: a", "Transfer-Encoding: chunked"], framing: .chunked, body: body, next: "GET")
    if let expected {
        row.expected = expected
        row.bytes.removeLast("GET".count)
    }
    return row
}

private func chunks(_ text: String, _ body: String) -> Row { chunkedRow(text, body: body) }
private func refused(_ text: String, _ malformed: Malformed) -> Row { chunkedRow(text, .refused(malformed)) }
private func waits(_ text: String) -> Row { chunkedRow(text, .incomplete) }
