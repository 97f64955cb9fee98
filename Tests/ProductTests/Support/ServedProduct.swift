import Crypto
import Domain
import EventLoop
import HTTP
import Papers
import Places
import Postgres
import Schema
import Services
import Talk
import TestSupport

@testable import API
@testable import Product

/// The whole product in this process, on the test's database.
struct ServedProduct: Sendable {
    let server: Server
    let database: Database
    let routes: [Route]
    let demo: Demo
    let messages: MessageCommitter
    let group: EventLoopGroup
    /// By which its calls go; by any if there is none.
    var loop: EventLoop?

    var port: UInt16 { server.address.port }

    private static let turnstile = Turnstile(6)

    /// Starts it, lets `body` work with it, and stops it. Without `looseness` there are no throttles.
    static func serving<Answer: Sendable>(
        looseness: Double? = nil, publicURL: String = "", verifies: Bool = false, hashingThreads: Int = 2,
        poolSize: Int = 2, trust: Trust = Trust(), mostJobs: Int = 10_000,
        services: ServicesFarAway.Settings = .init(), map: MapSource = .grid, papers: KnownPapers = .usual,
        slowBound: Duration = .seconds(2), _ body: (ServedProduct) async throws -> Answer
    ) async throws -> Answer {
        try await turnstile.pass {
            try await serve(
                looseness: looseness, publicURL: publicURL, verifies: verifies, hashingThreads: hashingThreads,
                poolSize: poolSize, trust, mostJobs: mostJobs, services: services, map: map, papers: papers,
                slowBound: slowBound, body)
        }
    }

    private static func serve<Answer: Sendable>(
        looseness: Double?, publicURL: String, verifies: Bool, hashingThreads: Int, poolSize: Int, _ trust: Trust,
        mostJobs: Int = 10_000, services: ServicesFarAway.Settings = .init(), map: MapSource = .grid,
        papers: KnownPapers = .usual, radars: Bool = true, isFirst: Bool = true, slowBound: Duration = .seconds(2),
        _ body: (ServedProduct) async throws -> Answer
    ) async throws -> Answer {
        let group = try EventLoopGroup(count: 2)
        let lanes = try await Lanes(
            url: TestDatabase.current.url, on: group, poolSize: poolSize, slowBound: slowBound)
        let database = lanes.requests
        let url = PublicURL(publicURL)
        var settings = Composition.Settings(
            publicURL: url, looseness: looseness, apps: apps, hashingThreads: hashingThreads, eventDays: 1,
            messageDays: 30, verifies: verifies, version: "0")
        (settings.trust, settings.mostJobs, settings.map) = (trust, mostJobs, map)
        (settings.papers, settings.radars) = (papers, radars)
        let far = try ServicesFarAway(services, as: "Kurir/0") { _ in }
        settings.services = far
        // Recurring work is kept away; a test that is about outdated rows removes them itself.
        if isFirst { try await database.run(KeepHousekeepingAway(kinds: Composition.dueKinds(settings).map(\.name))) }
        var configuration = ServerConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
        configuration.limits.connectionsPerAddress = nil
        configuration.limits.requestsPerAddress = nil
        configuration.isByTLSAlone = url.isSecure
        // A test says by X-Forwarded-For from where it calls.
        configuration.trustedProxies = [IPNetwork("127.0.0.1")!]
        let service = try await Service.start(
            settings, configuration, lanes: lanes, on: group, secret: secret,
            status: StatusRoom(
                NodeReadiness(
                    database: database, newestMigration: Schema.migrations.count,
                    functionsRevision: Schema.functionsRevision))
        ) { event in
            if case .failed(_, let route, let error) = event { print("\(route): \(error)") }
        } failed: {
            print("\($0): \($1)")
        }
        let composition = service.composition
        let result: Result<Answer, any Error>
        do {
            result = .success(
                try await body(
                    ServedProduct(
                        server: service.server, database: database, routes: composition.routes,
                        demo: composition.demo, messages: composition.messages, group: group)))
        } catch {
            result = .failure(error)
        }
        await service.stop(within: .seconds(10))
        await lanes.stop()
        try await blocking {
            far.stop()
            group.stop()
        }
        return try result.get()
    }

    static let secret = ServerSecret([UInt8](repeating: 7, count: 32))!

    /// Starts another node on the same database.
    static func another<Answer: Sendable>(
        looseness: Double?, trust: Trust, services: ServicesFarAway.Settings = .init(), radars: Bool = true,
        slowBound: Duration = .seconds(2), _ body: (ServedProduct) async throws -> Answer
    ) async throws -> Answer {
        try await serve(
            looseness: looseness, publicURL: "", verifies: false, hashingThreads: 1, poolSize: 4, trust,
            services: services,
            radars: radars, isFirst: false, slowBound: slowBound, body)
    }

    static let apps = MobileApps(
        apple: ["TEAM12345.hr.example.courier"], android: [(package: "hr.example.courier", fingerprint: "AB:CD")])

    /// The same, whose calls go by one loop, and so by its connections to the database.
    func by(_ loop: EventLoop) -> ServedProduct {
        var api = self
        api.loop = loop
        return api
    }

    /// Makes one request, through parser and router, without a socket, on any loop unless one is named.
    func call(
        _ method: String, _ path: String, _ body: JSON? = nil, as token: String? = nil, headers: [String: String] = [:],
        on loop: EventLoop? = nil
    ) async throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if body != nil, headers["Content-Type"] == nil { head += "Content-Type: application/json\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let bytes = body?.bytes ?? []
        head += "Content-Length: \(bytes.count)\r\n\r\n"
        let loop = loop ?? self.loop ?? group.loops.randomElement()!
        return Answer(try await server.reply(to: head, body: bytes, on: loop))
    }

    func get(_ path: String, as token: String? = nil, headers: [String: String] = [:]) async throws -> Answer {
        try await call("GET", path, as: token, headers: headers)
    }

    func post(
        _ path: String, _ body: JSON? = nil, as token: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await call("POST", path, body, as: token, headers: headers)
    }
}

/// An answer with its JSON.
struct Answer: Sendable {
    let reply: Reply
    let json: JSON

    init(_ reply: Reply) {
        self.reply = reply
        json = JSON(reply.body) ?? .null
    }

    var status: Int { reply.status }
    /// The code of a problem.
    var code: String? { json["code"].string }
    /// The wrong fields of a problem, with their codes.
    var wrong: [String: String] {
        Dictionary(json["errors"].items.map { ($0["field"].string ?? "", $0["code"].string ?? "") }) { first, _ in first
        }
    }
    var items: [JSON] { json["items"].items }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(nilLiteral: ()) { self = .null }

    /// A member; null if there is none.
    subscript(_ name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The same object with other members.
    func with(_ members: [String: JSON]) -> JSON {
        guard case .object(let own) = self else { return .object(members) }
        return .object(own.merging(members) { _, new in new })
    }

    /// The same object without some members.
    func without(_ names: String...) -> JSON {
        guard case .object(let own) = self else { return self }
        return .object(own.filter { !names.contains($0.key) })
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var items: [JSON] { if case .array(let items) = self { items } else { [] } }
    var names: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
}

private struct KeepHousekeepingAway: Statement {
    static let sql = """
        INSERT INTO deadlines (kind, subject, due_at)
        SELECT kind, '00000000-0000-0000-0000-000000000000', 'infinity' FROM unnest($1::text[]) AS kind
        """
    let kinds: [String]

    func bind(into parameters: inout Parameters) { parameters.add(kinds) }
}
