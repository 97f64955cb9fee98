import HTTP

@testable import HTTP

extension Property {
    /// Heads and bodies, as connections bring them. However they are cut they are read alike, and what was read keeps
    /// the bounds and is read the same when it is written again.
    static let requests = Property("requests") { bytes in
        let whole = Reading.of(bytes, pieces: bytes.count)
        for size in [1, 2 + bytes.count / 3] {
            try require(Reading.of(bytes, pieces: size), is: whole, "read in pieces of \(size)")
        }
        guard case .complete(let request, let length) = whole else { return }
        try request.keepsBounds()
        try require(Reading.of(Array(bytes[..<length]), pieces: length), is: whole, "read without what follows")
        let again = request.written
        try require(
            Reading.of(again, pieces: again.count), is: .complete(request, length: again.count), "written again")
    }
}

/// What a connection makes of some bytes.
private enum Reading: Equatable {
    case complete(ReadRequest, length: Int)
    case refused(Malformed)
    case incomplete

    static let mostOfHead = 1024
    static let mostOfBody = 256

    static func of(_ bytes: [UInt8], pieces size: Int) -> Reading {
        var parser = RequestParser(maximumSize: mostOfHead)
        var (decoder, body, place): (BodyDecoder?, [UInt8], Int) = (nil, [], 0)
        do throws(Malformed) {
            for end in stride(from: min(size, bytes.count), to: bytes.count, by: max(1, size)) + [bytes.count] {
                if decoder == nil {
                    guard try parser.parse(bytes.span.extracting(0..<end)) else { continue }
                    decoder = try BodyDecoder(parser.head.framing, limit: mostOfBody)
                    place = parser.position
                }
                place += try decoder!.decode(bytes.span.extracting(place..<end), into: &body)
                if decoder!.isComplete {
                    let received = ReceivedHead(head: parser.head, bytes: Array(bytes[..<parser.position]))
                    return .complete(ReadRequest(received, body: body), length: place)
                }
            }
        } catch {
            return .refused(error)
        }
        return .incomplete
    }
}

/// Everything that is known of a request when it is complete.
private struct ReadRequest: Equatable {
    let method: [UInt8]
    let target: [UInt8]
    let path: [UInt8]
    let query: [UInt8]
    let minorVersion: UInt8
    let fields: [[[UInt8]]]
    let framing: Framing
    let keepsAlive: Bool
    let expectsContinue: Bool
    let hasSoundEscapes: Bool
    let body: [UInt8]

    init(_ received: ReceivedHead, body: [UInt8]) {
        let head = received.head
        let bytes = { (stretch: Stretch) in Array(received.bytes[stretch.range]) }
        (method, target, minorVersion) = (bytes(head.method), bytes(head.target), head.minorVersion)
        (path, query) = (Array(received.bytes[received.path]), Array(received.query))
        fields = head.fields.map { [bytes($0.name), bytes($0.value)] }
        (framing, keepsAlive, expectsContinue) = (head.framing, head.keepsAlive, head.expectsContinue)
        hasSoundEscapes = received.hasSoundEscapes
        self.body = body
    }

    func keepsBounds() throws {
        try require(fields.count <= 100 && body.count <= Reading.mostOfBody, "more than may be")
        try require(!method.isEmpty && Grammar.token.contains(all: method), "the method is no token")
        try require(target.allSatisfy { Grammar.target.contains($0) || $0.isBracket }, "the target is none")
        for field in fields {
            try require(!field[0].isEmpty && Grammar.token.contains(all: field[0]), "the name is no token")
            try require(field[1].allSatisfy(Grammar.isFieldValue), "the value has control characters")
            try require(field[1].first?.isBlank != true && field[1].last?.isBlank != true, "blanks stay around it")
        }
        let hosts = fields.count { $0[0].text.lowercased() == "host" }
        try require(hosts == 1 || minorVersion == 0 && hosts == 0, "\(hosts) hosts")
        try require(path + (query.isEmpty ? [] : [.questionMark]) + query, leads: target, "path and query")
        if case .length(let length) = framing { try require(body.count, is: length, "the body's length") }
        if framing == .none { try require(body.isEmpty, "a body without framing") }
    }

    /// The same request by the grammar alone. What is left of an absolute target gets another host.
    var written: [UInt8] {
        let isWhole = target.first == .slash || target == [UInt8(ascii: "*")] || method.text == "CONNECT"
        var bytes = method + [.space] + (isWhole ? [] : "http://a".bytes) + target
        bytes += " HTTP/1.\(minorVersion)\r\n".bytes
        for field in fields { bytes += field[0] + [.colon] + field[1] + "\r\n".bytes }
        bytes += "\r\n".bytes
        guard framing == .chunked else { return bytes + body }
        let chunk = body.isEmpty ? [] : String(body.count, radix: 16).bytes + "\r\n".bytes + body + "\r\n".bytes
        return bytes + chunk + "0\r\n\r\n".bytes
    }
}

/// Goes on only if the bytes are the others, or all of them but a question mark without a query.
private func require(_ bytes: [UInt8], leads others: [UInt8], _ what: String) throws {
    try require(bytes == others || bytes + [.questionMark] == others, "\(what): \(bytes.text) of \(others.text)")
}
