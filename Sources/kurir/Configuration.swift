import EventLoop
import HTTP
import Observability

/// Everything that `kurir serve` was told.
struct Configuration: Sendable {
    var server: ServerConfiguration
    var database: DatabaseLocation
    var loops: Int
    var poolSize: Int
    var logFormat: LogFormat
    var shutdownGrace: Duration

    init(_ settings: Settings) throws {
        let listen = try settings.value(.listen, expected: "HOST:PORT, as in 127.0.0.1:8080", ListenAddress.init)
        server = ServerConfiguration(listen: listen ?? ListenAddress(host: "127.0.0.1", port: 8080))
        server.limits = try Self.limits(settings)
        server.trustedProxies =
            try settings.value(.trustedProxies, expected: "networks, as in 10.0.0.0/8,::1") {
                Self.list($0, IPNetwork.init)
            } ?? []
        server.allowedOrigins =
            try settings.value(.allowedOrigins, expected: "origins, as in https://shop.example, or *") {
                Self.list($0, Self.origin)
            } ?? []
        database = try DatabaseLocation(settings)
        loops = try settings.number(.loops, in: 1...256) ?? EventLoopGroup.coreCount
        poolSize = try settings.number(.poolSize, in: 1...64) ?? Self.usualPoolSize(loops: loops)
        logFormat = try settings.value(.logFormat, expected: "text or json", LogFormat.init) ?? .text
        shutdownGrace = .seconds(try settings.number(.shutdownGrace, in: 0...3600) ?? 5)
    }

    /// A usual PostgreSQL takes a hundred connections; many loops must share what is Kurir's.
    private static func usualPoolSize(loops: Int) -> Int {
        max(1, min(8, 64 / loops))
    }

    private static func limits(_ settings: Settings) throws -> Limits {
        var limits = Limits()
        if let bound = try settings.number(.maximumConnections, in: 1...1_000_000) { limits.connections = bound }
        if let bound = try settings.number(.maximumConnectionsPerAddress, in: 1...1_000_000) {
            limits.connectionsPerAddress = bound
        }
        if let bound = try settings.number(.maximumRequests, in: 1...1_000_000) { limits.requests = bound }
        if let bound = try settings.number(.maximumRequestsPerAddress, in: 1...1_000_000) {
            limits.requestsPerAddress = bound
        }
        let throttled = try settings.value(.throttle, expected: "on or off") { ["on": true, "off": false][$0] }
        if throttled == false {
            limits.connectionsPerAddress = nil
            limits.requestsPerAddress = nil
        }
        return limits
    }

    private static func list<Value>(_ text: String, _ parse: (String) -> Value?) -> [Value]? {
        let values = text.split(separator: ",").map { parse(String($0.filter { !$0.isWhitespace })) }
        return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }

    private static func origin(_ text: String) -> String? {
        if text == "*" { return text }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return nil }
        let host = text.dropFirst(scheme.count)
        return host.isEmpty || host.contains("/") ? nil : text
    }
}

/// Which PostgreSQL is used.
enum DatabaseLocation: Sendable {
    /// One that somebody else runs.
    case url(String)
    /// One of our own, in this directory.
    case directory(String)
    /// One of our own that goes away at the end.
    case temporary

    init(_ settings: Settings) throws {
        let given = [Option.database, .dataDirectory, .demo].filter(settings.isOnCommandLine)
        guard given.count < 2 else {
            throw UsageError("--\(given[0].name) and --\(given[1].name) exclude each other: which database is meant?")
        }
        if try settings.has(.demo), given.isEmpty || given[0].name == Option.demo.name {
            self = .temporary
        } else if let url = settings.text(.database), given.first?.name != Option.dataDirectory.name {
            self = try Self.checked(url)
        } else {
            self = .directory(settings.text(.dataDirectory) ?? "kurir-data")
        }
    }

    private static func checked(_ url: String) throws -> DatabaseLocation {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") || url.contains("=") else {
            throw UsageError("the database must be given as postgresql://user@host/name or as host=… dbname=…")
        }
        return .url(url)
    }
}
