/// The request target, by RFC 9112, 3.2, and what it takes from RFC 3986.
extension Reference {
    /// Gives path and query, or the target in their place.
    func target(_ target: ArraySlice<UInt8>, of method: String) throws(Stop) -> ArraySlice<UInt8> {
        try require(!target.isEmpty, "no target")
        if method == "CONNECT" {
            try authorityForm(target)
        } else if target == [UInt8(ascii: "*")] {
            try require(method == "OPTIONS", "asterisk form without OPTIONS")
        } else if target.first == UInt8(ascii: "/") {
            try pathAndQuery(target)
        } else {
            return try absoluteForm(target)
        }
        return target
    }

    /// Refuses beginnings that no end can make a target.
    func unfinishedTarget(_ part: ArraySlice<UInt8>) throws(Stop) {
        let allowed = part.first == UInt8(ascii: "/") ? Bytes.query : Bytes.uri
        try require(part.allSatisfy(allowed.contains), "target")
        try escapes(part)
    }

    /// absolute-path [ "?" query ], or what may take their place behind an authority.
    private func pathAndQuery(_ text: ArraySlice<UInt8>) throws(Stop) {
        let parts = text.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        try require(parts[0].allSatisfy(Bytes.path.contains), "path")
        if parts.count == 2 { try require(parts[1].allSatisfy(Bytes.query.contains), "query") }
        try escapes(text, finished: true)
    }

    /// "http" [ "s" ] "://" uri-host [ ":" port ] path-abempty [ "?" query ]: RFC 9110, 4.2. An empty host and userinfo
    /// must both be refused.
    private func absoluteForm(_ target: ArraySlice<UInt8>) throws(Stop) -> ArraySlice<UInt8> {
        let scheme = ["http://", "https://"].first { latin1(target).lowercased().hasPrefix($0) }
        guard let scheme else { throw .refused("no form of target that there is") }
        let rest = target.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        try uriHost(authority)
        try pathAndQuery(rest.dropFirst(authority.count))
        return rest.dropFirst(authority.count)
    }

    /// authority-form = uri-host ":" port. RFC 9110, 9.3.6, refuses an empty or invalid port.
    private func authorityForm(_ target: ArraySlice<UInt8>) throws(Stop) {
        guard let port = try uriHost(target), let number = UInt16(latin1(port)), number > 0 else {
            throw .refused("port")
        }
    }

    /// uri-host [ ":" port ], where uri-host is an IP literal or a registered name, and an IPv4 address is one. An http
    /// URI must not have an empty host (RFC 9110, 4.2.1), and a server may refuse it (RFC 9112, 3.3). Gives the port,
    /// if there is one.
    @discardableResult
    func uriHost(_ text: ArraySlice<UInt8>) throws(Stop) -> ArraySlice<UInt8>? {
        var host = text
        var port: ArraySlice<UInt8>?
        if let colon = text.lastIndex(of: UInt8(ascii: ":")), !text[colon...].contains(UInt8(ascii: "]")) {
            host = text[..<colon]
            port = text[(colon + 1)...]
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            try require(isIPLiteral(latin1(host.dropFirst().dropLast())), "IP literal")
        } else {
            try require(host.allSatisfy(Bytes.regName.contains), "host")
            try escapes(host, finished: true)
        }
        if let port { try require(port.allSatisfy(Bytes.digit.contains), "port") }
        try require(!host.isEmpty, "empty host")
        return port
    }

    /// pct-encoded = "%" HEXDIG HEXDIG; an unfinished text may end within one.
    func escapes(_ text: ArraySlice<UInt8>, finished: Bool = false) throws(Stop) {
        for place in text.indices where text[place] == UInt8(ascii: "%") {
            let digits = text[(place + 1)...].prefix(2)
            try require(digits.allSatisfy(Bytes.hex.contains), "escape")
            if finished { try require(digits.count == 2, "escape") }
        }
    }

    // MARK: IP literals

    /// IP-literal = "[" ( IPv6address / IPvFuture ) "]"
    private func isIPLiteral(_ text: String) -> Bool {
        isIPv6Address(text) || isIPvFuture(text)
    }

    /// IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
    private func isIPvFuture(_ text: String) -> Bool {
        guard text.lowercased().hasPrefix("v"), let dot = text.firstIndex(of: ".") else { return false }
        let version = text[text.index(after: text.startIndex)..<dot].utf8
        let rest = text[text.index(after: dot)...].utf8
        let allowed = Bytes("-._~" + "!$&'()*+,;=" + ":" + Bytes.digits + Bytes.letters)
        return !version.isEmpty && version.allSatisfy(Bytes.hex.contains) && !rest.isEmpty
            && rest.allSatisfy(allowed.contains)
    }

    /// Eight groups, or fewer with one "::", which stands for at least one; the last two may be an IPv4 address.
    private func isIPv6Address(_ text: String) -> Bool {
        let bytes = Array(latin1: text)
        let gaps = bytes.indices.filter { bytes[$0...].starts(with: Array("::".utf8)) }
        guard gaps.count <= 1 else { return false }
        guard let gap = gaps.first else { return groups(bytes[...], mayEndInIPv4: true) == 8 }
        let (before, after) = (bytes[..<gap], bytes[(gap + 2)...])
        guard let left = before.isEmpty ? 0 : groups(before, mayEndInIPv4: false),
            let right = after.isEmpty ? 0 : groups(after, mayEndInIPv4: true)
        else { return false }
        return left + right <= 7
    }

    /// The number of groups of sixteen bits between single colons; nil when it is something else.
    private func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (place, part) in parts.enumerated() {
            if mayEndInIPv4, place == parts.count - 1, isIPv4Address(part) {
                count += 2
            } else if (1...4).contains(part.count), part.allSatisfy(Bytes.hex.contains) {
                count += 1
            } else {
                return nil
            }
        }
        return count
    }

    private func isIPv4Address(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(latin1)
        return parts.count == 4 && parts.allSatisfy { part in (0...255).contains { "\($0)" == part } }
    }
}
