/// Where a browser's push service takes messages for it: an https URL that a stranger named.
public struct PushEndpoint: Hashable, Sendable {
    /// The whole URL.
    public let text: String
    /// The host, in lowercase; an address of version 6 without its brackets.
    public let host: String
    /// Scheme, host and port, as a signature names the service.
    public let origin: String

    /// Reads a URL. Only the plainest form is accepted, so that nobody takes another part for the host.
    public init(_ text: String) throws(InvalidValue) {
        let form =
            #/https://([a-z0-9.-]+|\[[0-9a-f]*:[0-9a-f:.]*\])(?::([1-9][0-9]{0,4}))?(/[\x21-\x7e&&[^"#<>\\^`{|}]]*)?/#
            .ignoresCase()
        guard text.utf8.count <= Bounds.deviceTokenBytes, let parts = text.wholeMatch(of: form),
            case let (named, port) = (parts.1.lowercased(), parts.2.flatMap { Int($0) } ?? 443), port <= 65_535,
            named.hasPrefix("[") || Self.isName(named)
        else { throw InvalidValue("bad_endpoint") }
        self.text = text
        host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named
        origin = "https://" + named + (port == 443 ? "" : ":\(port)")
    }

    /// Whether each part of it is what names in the DNS are made of. One in other letters comes as `xn--…`, as browsers write it.
    private static func isName(_ host: String) -> Bool {
        host.utf8.count <= 253
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
