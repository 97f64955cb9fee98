/// The settings of the server.
public struct ServerConfiguration: Sendable {
    /// The address to listen at: a host or address, and a port; port 0 means any free one.
    public var listen: ListenAddress
    /// The option that sets it, for whoever must choose another one.
    public var option = "--listen"
    /// The limits on clients.
    public var limits = Limits()
    /// Proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies: [IPNetwork] = []
    /// Web origins whose scripts may call; `*` means all of them, without cookies.
    public var allowedOrigins: [String] = []
    /// The certificate and the key by which TLS is spoken; nil where a proxy does that.
    public var tls: TLSFiles?
    /// Whether browsers are told to reach this host by TLS alone from now on.
    public var isByTLSAlone = false
    /// Words for every problem that may be answered.
    public var words = ProblemWords.all

    /// A server at that address, with the usual values for everything else.
    public init(listen: ListenAddress) {
        self.listen = listen
    }
}

/// A host and a port.
public struct ListenAddress: Sendable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public let host: String
    /// The port; 0 means any free one.
    public let port: UInt16

    /// A host and a port.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `[address]:port` or `:port`, which means every address.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host.isEmpty ? "::" : host, port: port)
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Limits for each client and for all together.
public struct Limits: Sendable {
    /// Bytes of a request's head.
    public var head = 16 * 1024
    /// Bytes of a request's body.
    public var body = 64 * 1024
    /// Open connections in all.
    public var connections = 20_000
    /// Open connections of one address; nil means no limit.
    public var connectionsPerAddress: Int? = 256
    /// Requests under way in all.
    public var requests = 10_000
    /// Requests under way of one client; nil means no limit.
    public var requestsPerAddress: Int? = 256
    /// From a head's first byte to its last.
    public var headTimeout = Duration.seconds(10)
    /// From the end of the head to the end of the body.
    public var bodyTimeout = Duration.seconds(30)
    /// Between requests, and before the first.
    public var idleTimeout = Duration.seconds(75)
    /// How long a client may take to read what waits for it.
    public var writeTimeout = Duration.seconds(30)
    /// Bytes that may wait for a client to read them, before nothing more is done for it.
    public var backlog = 256 * 1024
    /// Bytes that may wait for all clients together: those of sixteen addresses that read nothing.
    public var waiting = 256 * 1024 * 1024
    /// Bytes that may wait for the clients of one address; nil means no limit. The largest page of a list has 9 MB, so
    /// one that is read slowly always has room, and so have a hundred usual ones.
    public var waitingPerAddress: Int? = 16 * 1024 * 1024

    /// The usual limits.
    public init() {}
}
