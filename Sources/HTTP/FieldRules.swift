/// Rules for the fields that frame a message and steer its connection, taken together (RFC 9110, 7.2; 9112, 6).
struct FieldRules: Sendable {
    private var hosts = 0
    private var contentLength: Int?
    private var transferEncoding = TransferEncoding.absent
    private var saysClose = false
    private var saysKeepAlive = false

    private enum TransferEncoding {
        case absent, chunked
    }

    /// Takes notice of one field line.
    mutating func take(
        _ field: FieldLine, of bytes: Span<UInt8>, for head: inout RequestHead
    ) throws(Malformed) {
        let value = bytes.extracting(field.value.range)
        switch field.name.range.count {
        case 4 where bytes.matches(field.name, "host"): try host(value)
        case 6 where bytes.matches(field.name, "expect"): try expect(value, &head)
        case 10 where bytes.matches(field.name, "connection"): connection(value)
        case 14 where bytes.matches(field.name, "content-length"): try length(value)
        case 17 where bytes.matches(field.name, "transfer-encoding"): try encoding(value)
        default: break
        }
    }

    /// Judges the fields as a whole and writes the outcome into the head.
    mutating func finish(_ head: inout RequestHead) throws(Malformed) {
        guard hosts == 1 || head.minorVersion == 0 else { throw .hostMissing }
        if saysClose {
            head.keepsAlive = false
        } else if saysKeepAlive {
            head.keepsAlive = true
        }
        switch (transferEncoding, contentLength) {
        case (.absent, nil), (.absent, 0): head.framing = .none
        case (.absent, let length?): head.framing = .length(length)
        case (.chunked, nil):
            guard head.minorVersion == 1 else { throw .transferEncoding }
            head.framing = .chunked
        case (.chunked, _): throw .contentLengthWithTransferEncoding
        }
        if head.framing == .none || head.minorVersion == 0 { head.expectsContinue = false }
    }

    private mutating func host(_ value: Span<UInt8>) throws(Malformed) {
        hosts += 1
        guard hosts == 1 else { throw .hostRepeated }
        guard HostForm.isValid(value) else { throw .host }
    }

    private mutating func length(_ value: Span<UInt8>) throws(Malformed) {
        guard contentLength == nil else { throw .contentLengthRepeated }
        var length = 0
        guard !value.isEmpty else { throw .contentLength }
        for place in value.indices {
            guard value[place].isDigit else { throw .contentLength }
            guard length < 1_000_000_000_000_000 else { throw .bodyTooLarge }
            length = length * 10 + Int(value[place] - 0x30)
        }
        contentLength = length
    }

    private mutating func encoding(_ value: Span<UInt8>) throws(Malformed) {
        guard transferEncoding == .absent, value.matches("chunked") else { throw Self.refusal(of: value) }
        transferEncoding = .chunked
    }

    /// Codings before `chunked` are merely unknown here. If `chunked` is not the last, or occurs twice, nobody can tell
    /// where the body ends (RFC 9112, 6.1 and 6.3).
    private static func refusal(of codings: Span<UInt8>) -> Malformed {
        var comma = codings.count - 1
        while comma >= 0, codings[comma] != .comma { comma -= 1 }
        guard comma >= 0, codings.extracting(comma + 1..<codings.count).contains(word: "chunked"),
            !codings.extracting(0..<comma).contains(word: "chunked")
        else { return .transferEncoding }
        return .transferEncodingNotSupported
    }

    private mutating func connection(_ value: Span<UInt8>) {
        if value.contains(word: "close") { saysClose = true }
        if value.contains(word: "keep-alive") { saysKeepAlive = true }
    }

    private mutating func expect(_ value: Span<UInt8>, _ head: inout RequestHead) throws(Malformed) {
        guard value.matches("100-continue") else { throw .expectation }
        head.expectsContinue = true
    }
}

extension Span where Element == UInt8 {
    /// Whether the bytes are this lower-case word; they may be in any case.
    @inline(__always)
    func matches(_ word: StaticString) -> Bool {
        matches(Stretch(0, count), word)
    }

    @inline(__always)
    func matches(_ stretch: Stretch, _ word: StaticString) -> Bool {
        guard stretch.range.count == word.utf8CodeUnitCount else { return false }
        for place in 0..<word.utf8CodeUnitCount
        where self[Int(stretch.start) + place].lowercased != word.utf8Start[place] { return false }
        return true
    }

    /// Whether the bytes are exactly this word. Methods are compared so.
    func equals(_ stretch: Stretch, _ word: StaticString) -> Bool {
        guard stretch.range.count == word.utf8CodeUnitCount else { return false }
        for place in 0..<word.utf8CodeUnitCount
        where self[Int(stretch.start) + place] != word.utf8Start[place] { return false }
        return true
    }

    /// Whether a comma-separated list contains this word, in any case.
    func contains(word: StaticString) -> Bool {
        var start = 0
        while start <= count {
            var end = start
            while end < count, self[end] != .comma { end += 1 }
            var (first, last) = (start, end)
            while first < last, self[first].isBlank { first += 1 }
            while last > first, self[last - 1].isBlank { last -= 1 }
            if matches(Stretch(first, last), word) { return true }
            start = end + 1
        }
        return false
    }
}
