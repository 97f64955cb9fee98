/// The four forms of a request target (RFC 9112, 3.2): what follows the method.
enum TargetForm {
    /// Refuses what has none of the forms; leaves path and query of an absolute form as the head's target.
    static func check(_ head: inout RequestHead, _ bytes: Span<UInt8>) throws(Malformed) {
        let start = Int(head.target.start)
        switch bytes[start] {
        case .slash: return
        case UInt8(ascii: "*"):
            guard head.target.range.count == 1, bytes.matches(head.method, "options") else { throw .target }
        default:
            if bytes.matches(head.method, "connect") {
                guard HostForm.isValid(bytes.extracting(head.target.range)) else { throw .target }
            } else {
                try absolute(&head, bytes)
            }
        }
    }

    /// `http://host/path`: a server must take it, though only proxies are sent it as a rule.
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
        guard HostForm.isValid(bytes.extracting(start + scheme..<path)), path < end, bytes[path] == .slash else {
            throw .target
        }
        head.target = Stretch(path, end)
    }
}

/// `uri-host [ ":" port ]` (RFC 9110, 7.2).
enum HostForm {
    static func isValid(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty else { return false }
        var place = 0
        if value[0] == UInt8(ascii: "[") {
            guard let end = endOfLiteral(value) else { return false }
            place = end
        } else {
            while place < value.count, value[place] != .colon {
                guard Grammar.host.contains(value[place]), isEscape(value, at: place) else { return false }
                place += 1
            }
            guard place > 0 else { return false }
        }
        return isPort(value, from: place)
    }

    private static func endOfLiteral(_ value: Span<UInt8>) -> Int? {
        var place = 1
        while place < value.count, Grammar.addressLiteral.contains(value[place]) { place += 1 }
        guard place > 1, place < value.count, value[place] == UInt8(ascii: "]") else { return nil }
        return place + 1
    }

    /// True unless a percent sign stands there without two hexadecimal digits behind it.
    private static func isEscape(_ value: Span<UInt8>, at place: Int) -> Bool {
        guard value[place] == .percent else { return true }
        return place + 2 < value.count && Grammar.hexValue(value[place + 1]) != nil
            && Grammar.hexValue(value[place + 2]) != nil
    }

    private static func isPort(_ value: Span<UInt8>, from start: Int) -> Bool {
        guard start < value.count else { return true }
        guard value[start] == .colon, value.count - start <= 6 else { return false }
        for place in start + 1..<value.count where !value[place].isDigit { return false }
        return true
    }
}
