/// The four forms of a request target (RFC 9112, 3.2): what follows the method.
enum TargetForm {
    /// Refuses targets of none of these forms. Of an absolute form, path and query become the head's target.
    static func check(_ head: inout RequestHead, _ bytes: Span<UInt8>) throws(Malformed) {
        if bytes.equals(head.method, "CONNECT") {
            guard HostForm.isValidWithPort(bytes.extracting(head.target.range)) else { throw .target }
            return
        }
        switch bytes[Int(head.target.start)] {
        case .slash: return
        case UInt8(ascii: "*"):
            guard head.target.range.count == 1, bytes.equals(head.method, "OPTIONS") else { throw .target }
        default: try absolute(&head, bytes)
        }
    }

    /// `http://host/path`: servers must accept it, though usually only proxies are sent it. The path may be empty.
    private static func absolute(_ head: inout RequestHead, _ bytes: Span<UInt8>) throws(Malformed) {
        let (start, end) = (Int(head.target.start), Int(head.target.end))
        let scheme: Int
        if end - start > 7, bytes.matches(Stretch(start, start + 7), "http://") {
            scheme = 7
        } else if end - start > 8, bytes.matches(Stretch(start, start + 8), "https://") {
            scheme = 8
        } else {
            throw .target
        }
        var path = start + scheme
        while path < end, bytes[path] != .slash, bytes[path] != .questionMark { path += 1 }
        guard HostForm.isValid(bytes.extracting(start + scheme..<path)) else { throw .target }
        // The parser let the brackets of an address pass; there may be none behind it.
        for place in path..<end where bytes[place].isBracket { throw .target }
        head.target = Stretch(path, end)
    }
}

/// `uri-host [ ":" port ]` (RFC 9110, 7.2).
enum HostForm {
    static func isValid(_ value: Span<UInt8>) -> Bool {
        guard let end = endOfHost(value) else { return false }
        return isPort(value, from: end)
    }

    /// The target of CONNECT, which needs a valid port (RFC 9110, 9.3.6).
    static func isValidWithPort(_ value: Span<UInt8>) -> Bool {
        guard let end = endOfHost(value), isPort(value, from: end) else { return false }
        var port = 0
        for place in value.indices.dropFirst(end + 1) { port = min(65_536, port * 10 + Int(value[place] - 0x30)) }
        return 1...65_535 ~= port
    }

    private static func endOfHost(_ value: Span<UInt8>) -> Int? {
        guard !value.isEmpty else { return nil }
        if value[0] == UInt8(ascii: "[") { return endOfLiteral(value) }
        var place = 0
        while place < value.count, value[place] != .colon {
            guard Grammar.host.contains(value[place]), isEscape(value, at: place) else { return nil }
            place += 1
        }
        return place > 0 ? place : nil
    }

    private static func endOfLiteral(_ value: Span<UInt8>) -> Int? {
        var end = 1
        while end < value.count, Grammar.addressLiteral.contains(value[end]) { end += 1 }
        guard end < value.count, value[end] == UInt8(ascii: "]") else { return nil }
        let literal = value.extracting(1..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let isVersion6 = literal.contains(":") && IPAddress(literal) != nil
        return isVersion6 || isOfFutureVersion(literal) ? end + 1 : nil
    }

    /// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`, whose last characters have been checked already.
    private static func isOfFutureVersion(_ literal: String) -> Bool {
        let parts = literal.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
        guard parts.count == 2, let letter = parts[0].first else { return false }
        let digits = parts[0].dropFirst()
        return letter.lowercased == UInt8(ascii: "v") && !digits.isEmpty
            && digits.allSatisfy { Grammar.hexValue($0) != nil }
    }

    /// False only for a percent sign without two hexadecimal digits behind it.
    private static func isEscape(_ value: Span<UInt8>, at place: Int) -> Bool {
        guard value[place] == .percent else { return true }
        return place + 2 < value.count && Grammar.hexValue(value[place + 1]) != nil
            && Grammar.hexValue(value[place + 2]) != nil
    }

    private static func isPort(_ value: Span<UInt8>, from start: Int) -> Bool {
        guard start < value.count else { return true }
        guard value[start] == .colon else { return false }
        for place in start + 1..<value.count where !value[place].isDigit { return false }
        return true
    }
}
