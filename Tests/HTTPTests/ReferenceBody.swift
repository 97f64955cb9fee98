@testable import HTTP

/// The body, by RFC 9112, 6 and 7.
extension Reference {
    func body(_ rest: inout ArraySlice<UInt8>, _ framing: Framing) throws(Stop) -> [UInt8] {
        switch framing {
        case .none: return []
        case .length(let length): return try take(length, &rest)
        case .chunked: return try chunks(&rest, soFar: 0)
        }
    }

    private func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws(Stop) -> [UInt8] {
        guard rest.count >= count else { throw .ended }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// chunked-body = *chunk last-chunk trailer-section CRLF
    private func chunks(_ rest: inout ArraySlice<UInt8>, soFar: Int) throws(Stop) -> [UInt8] {
        let size = try line(&rest) { line throws(Stop) in try chunkLine(line, limit: bodyLimit - soFar) }
        if size == 0 {
            try trailers(&rest)
            return []
        }
        let data = try take(size, &rest)
        try require([13, 10].starts(with: rest.prefix(2)), "no CRLF after the chunk")
        _ = try take(2, &rest)
        return data + (try chunks(&rest, soFar: soFar + size))
    }

    /// chunk-size [ chunk-ext ]
    private func chunkLine(_ line: ArraySlice<UInt8>, limit: Int) throws(Stop) -> Int {
        let digits = line.prefix(while: Bytes.hex.contains)
        guard !line.isEmpty else { throw .ended }
        try require(!digits.isEmpty, "no chunk size")
        try require(digits.count <= 16, "a chunk size of more than sixteen digits")
        guard let size = Int(latin1(digits), radix: 16), size <= limit else { throw .refused("body too large") }
        try extensions(line.dropFirst(digits.count))
        return size
    }

    /// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
    private func extensions(_ text: ArraySlice<UInt8>) throws(Stop) {
        guard !text.isEmpty else { return }
        let semicolon = try afterBlanks(text)
        try require(semicolon.first == UInt8(ascii: ";"), "no semicolon before the extension")
        let name = try afterBlanks(semicolon.dropFirst())
        let afterName = try token(name)
        let equals = afterName.drop { $0 == 32 || $0 == 9 }
        guard equals.first == UInt8(ascii: "=") else { return try extensions(afterName) }
        let value = try afterBlanks(equals.dropFirst())
        try extensions(value.first == UInt8(ascii: "\"") ? try quotedString(value.dropFirst()) : try token(value))
    }

    /// The text behind the blanks; there must be some.
    private func afterBlanks(_ text: ArraySlice<UInt8>) throws(Stop) -> ArraySlice<UInt8> {
        let rest = text.drop { $0 == 32 || $0 == 9 }
        guard !rest.isEmpty else { throw .ended }
        return rest
    }

    /// token = 1*tchar
    private func token(_ text: ArraySlice<UInt8>) throws(Stop) -> ArraySlice<UInt8> {
        guard let first = text.first else { throw .ended }
        try require(Bytes.tchar.contains(first), "no token in the extension")
        return text.drop(while: Bytes.tchar.contains)
    }

    /// The text behind *( qdtext / quoted-pair ) DQUOTE
    private func quotedString(_ text: ArraySlice<UInt8>) throws(Stop) -> ArraySlice<UInt8> {
        guard let first = text.first else { throw .ended }
        if first == UInt8(ascii: "\"") { return text.dropFirst() }
        if first == UInt8(ascii: "\\") {
            guard let second = text.dropFirst().first else { throw .ended }
            try require(Bytes.fieldValue.contains(second), "quoted pair")
            return try quotedString(text.dropFirst(2))
        }
        try require(Bytes.qdtext.contains(first), "quoted string")
        return try quotedString(text.dropFirst())
    }

    /// trailer-section = *( field-line CRLF )
    private func trailers(_ rest: inout ArraySlice<UInt8>) throws(Stop) {
        let isEnd = try line(&rest) { line throws(Stop) in
            if line.isEmpty { return true }
            _ = try fieldLine(line)
            return false
        }
        if !isEnd { try trailers(&rest) }
    }
}
