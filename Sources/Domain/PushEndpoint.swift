/// Where a browser's push service takes messages for it: an https URL that a stranger named.
public struct PushEndpoint: Hashable, Sendable {
    /// The whole URL.
    public let text: String
    /// The host, in lowercase; an address of version 6 without its brackets.
    public let host: String
    /// Scheme, host and port, as a signature names the service.
    public let origin: String

    /// Reads a URL. Only the plainest form is accepted, so that nobody takes another part for the host. Each push is sent to one, and a regular expression
    /// would be made anew for it.
    public init(_ text: String) throws(InvalidValue) {
        let scheme = "https://"
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        guard text.utf8.count <= Bounds.deviceTokenBytes, text.prefix(scheme.count).lowercased() == scheme,
            authority.allSatisfy({ $0 < 0x80 }), rest.dropFirst(authority.count).allSatisfy(Self.isPlain),
            let (named, port) = Self.parts(of: String(Substring(authority)).lowercased())
        else { throw InvalidValue("bad_endpoint") }
        self.text = text
        host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named
        origin = scheme + named + (port == 443 ? "" : ":\(port)")
    }

    /// A byte that stands in a path or a query as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !##""#<>\^`{|}"##.utf8.contains(byte)
    }

    /// The host, in its brackets if it has some, and the port.
    private static func parts(of authority: String) -> (named: String, port: Int)? {
        let isBracketed = authority.hasPrefix("[")
        let end =
            isBracketed ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        let named = authority[..<(end ?? authority.endIndex)]
        guard isBracketed ? end != nil && isAddress(named.dropFirst().dropLast()) : isName(String(named)) else {
            return nil
        }
        let said = authority[named.endIndex...]
        if said.isEmpty { return (String(named), 443) }
        let digits = said.dropFirst()
        guard said.first == ":", digits.first != "0", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy(\.isDigit), let port = Int(digits), port <= 65_535
        else { return nil }
        return (String(named), port)
    }

    /// Whether it looks like an address of version 6.
    private static func isAddress(_ text: Substring) -> Bool {
        let isHex = { (byte: UInt8) in "0123456789abcdef".utf8.contains(byte) }
        let tail = text.utf8.drop(while: isHex)
        return tail.first == UInt8(ascii: ":") && tail.allSatisfy { isHex($0) || ":.".utf8.contains($0) }
    }

    /// Whether each part of it is what names in the DNS are made of. One in other letters comes as `xn--…`, as browsers write it.
    private static func isName(_ host: String) -> Bool {
        host.utf8.count <= 253 && host.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789.-".utf8.contains)
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            }
    }

    /// Whether the host is a name that means the same everywhere.
    public var isNamedPublicly: Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, !host.contains(":"), let last = labels.last, last.first?.isLetter == true else {
            return false
        }
        return !["local", "localhost", "internal", "lan", "home", "intranet", "test", "onion"].contains(last)
            && !host.hasSuffix(".home.arpa")
    }
}
