import TestSupport
/// Random requests by the grammar: mostly valid, and often at the places where rules meet.
struct RandomRequest {
    var seed: Seed

    mutating func make() -> [UInt8] {
        let method = seed.once(in: 8) ? seed.text(1...6, of: .tchar) : seed.pick(Self.methods)
        let version = seed.pick(["1.1", "1.1", "1.1", "1.1", "1.1", "1.0", "1.0", "1.2", "2.0"])
        let before = seed.once(in: 10) ? "\r\n" : ""
        let (framing, body) = framedBody(mayChunk: version != "1.0")
        var fields = [field("Host", seed.once(in: 12) ? authority() : seed.pick(Self.hosts))]
        fields += framing
        for _ in 0..<seed.number(0...3) { fields.append(otherField()) }
        fields.shuffle(using: &seed)
        let head = "\(before)\(method) \(target(method)) HTTP/\(version)\r\n" + fields.joined() + "\r\n"
        // The bytes behind it belong to the next request.
        return Array(latin1: head + body) + (seed.once(in: 5) ? Array("GET ".utf8) : [])
    }

    // MARK: Targets

    private static let methods = [
        "GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "options", "Connect",
    ]
    private static let hosts = [
        "a", "example.com", "example.com:8080", "a:", "127.0.0.1", "[::1]", "[::1]:80", "a%20b", "A-b_c~d", "a:000080",
        "[v1.a:b]", "[1:2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]",
    ]

    private static let pchar = Bytes("-._~!$&'()*+,;=:@" + Bytes.digits + Bytes.letters)
    private static let anything = Bytes(0...255)

    private mutating func target(_ method: String) -> String {
        if seed.once(in: 15) { return authority() }
        if seed.once(in: 15) { return "*" }
        if method == "CONNECT", !seed.once(in: 4) { return authority() }
        if method == "OPTIONS", seed.once(in: 2) { return "*" }
        guard seed.once(in: 4) else { return path() + query() }
        let scheme = seed.pick(["http", "https", "HTTP", "hTTps", "ftp"])
        return "\(scheme)://\(authority())\(seed.once(in: 4) ? "" : path())\(query())"
    }

    private mutating func path() -> String {
        "/" + (0..<seed.number(0...3)).map { _ in segment() }.joined(separator: "/")
    }

    private mutating func query() -> String {
        seed.once(in: 3) ? "?" + segment() + seed.pick(["", "?", "/", "=1", "&b=%C4%8d"]) : ""
    }

    private mutating func segment() -> String {
        let plain = seed.text(0...4, of: Self.pchar)
        return plain + seed.pick(["", "", "", "%2F", "%c3%A9", "%00", "%"])
    }

    private mutating func authority() -> String {
        switch seed.number(0...4) {
        case 0: seed.pick(Self.hosts)
        case 1: "[\(addressLiteral())]" + seed.pick(["", ":1"])
        case 2: seed.text(1...4, of: .unreserved) + ":" + seed.text(0...6, of: .digit)
        default: seed.text(0...4, of: .unreserved) + seed.pick(["", ":", ":443", ":0", ":65536", "@b", "%41"])
        }
    }

    private mutating func addressLiteral() -> String {
        let groups = (0..<seed.number(0...9)).map { _ in seed.text(1...4, of: .hex) }
        var text = groups.joined(separator: ":")
        if seed.once(in: 3) { text += "::" }
        if seed.once(in: 4) { text = "::" + text }
        return text + seed.pick(["", "", "", ":1.2.3.4", "255.0.0.1", ":1.2.3.256", "%25eth0"])
    }

    // MARK: Fields

    private mutating func field(_ name: String, _ value: String) -> String {
        let cased = seed.pick([name, name.lowercased(), name.uppercased()])
        return cased + ":" + blanks() + value + blanks() + "\r\n"
    }

    private mutating func blanks() -> String { seed.pick(["", "", " ", " ", "\t", "  \t"]) }

    private mutating func otherField() -> String {
        switch seed.number(0...7) {
        case 0:
            field(
                "Connection",
                list(["close", "keep-alive", "Close", "KEEP-ALIVE", "upgrade", "closed", "", "\"close\""]))
        case 1: field("Expect", seed.pick(["100-continue", "100-Continue", "100", "", "x"]))
        case 2: field("Content-Length", seed.pick(["0", "3", "3, 3", "+3", "0x3", "-1", "", "1000", "1001", "3 3"]))
        case 3: field("Transfer-Encoding", list(["chunked", "Chunked", "gzip", "identity", "", "chunked;q=1"]))
        case 4: field("Host", seed.pick(Self.hosts))
        default: field(seed.text(1...5, of: .tchar), seed.text(0...9, of: .fieldValue))
        }
    }

    private mutating func list(_ members: [String]) -> String {
        (0..<seed.number(1...3)).map { _ in seed.pick(members) }.joined(separator: seed.pick([",", ", ", " ,\t"]))
    }

    // MARK: Bodies

    private mutating func framedBody(mayChunk: Bool) -> (fields: [String], body: String) {
        switch seed.number(0...4) {
        case 0, 1: return ([], "")
        case 2:
            let body = seed.text(0...20, of: Self.anything)
            let zeros = seed.once(in: 4) ? "00000000000000000000" : ""
            return ([field("Content-Length", zeros + "\(body.unicodeScalars.count)")], body)
        default:
            return mayChunk ? ([field("Transfer-Encoding", seed.pick(["chunked", "Chunked"]))], chunks()) : ([], "")
        }
    }

    private mutating func chunks() -> String {
        let chunks = (0..<seed.number(0...3)).map { _ in
            let data = seed.text(1...20, of: Self.anything)
            return size(data.unicodeScalars.count) + extensions() + "\r\n" + data + "\r\n"
        }
        let trailers = (0..<seed.number(0...2)).map { _ in otherField() }
        return chunks.joined() + size(0) + extensions() + "\r\n" + trailers.joined() + "\r\n"
    }

    private mutating func size(_ count: Int) -> String {
        seed.pick(["", "", "0", "00000000000000"]) + String(count, radix: 16, uppercase: seed.once(in: 2))
    }

    private mutating func extensions() -> String {
        (0..<(seed.once(in: 3) ? seed.number(1...3) : 0)).map { _ in
            blanks() + ";" + blanks() + seed.text(1...3, of: .tchar) + extensionValue()
        }.joined()
    }

    private mutating func extensionValue() -> String {
        switch seed.number(0...3) {
        case 0: ""
        case 1: blanks() + "=" + blanks() + seed.text(1...4, of: .tchar)
        default:
            blanks() + "=" + blanks() + "\"" + seed.text(0...4, of: .qdtext)
                + seed.pick(["", "", "\\\"", "\\\\", "\\\u{ff}"]) + "\""
        }
    }
}
