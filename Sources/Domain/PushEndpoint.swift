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
        let form = #/https://([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(/[\x21-\x7e&&[^"<>\\^`{|}]]*)?/#
            .ignoresCase()
        guard text.utf8.count <= Bounds.deviceTokenBytes, let parts = text.wholeMatch(of: form) else {
            throw InvalidValue("bad_endpoint")
        }
        let named = parts.1.lowercased()
        self.text = text
        host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named
        origin = "https://" + named + (parts.2.map(String.init) ?? "")
    }

    /// Whether the host is a name that means the same everywhere.
    public var isNamedPublicly: Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last, last.first?.isLetter == true else { return false }
        return !["local", "localhost", "internal", "lan", "home", "intranet", "test", "onion"].contains(last)
            && !host.hasSuffix(".home.arpa")
    }
}
