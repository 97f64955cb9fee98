import API
import Crypto
import Product
import EventLoop
import Gateways
import Glibc
import HTTP
import Observability
import Papers
import Postgres
import Schema
import Services
import Simulation

/// Kurir as a whole: its parts, started in order and stopped in reverse.
final class Application: Sendable {
    let address: ListenAddress
    private let parts: Parts
    private let lanes: Lanes
    private let service: Service
    private let operators: Operators
    private let gateway: OwnGateway?
    private let far: ServicesFarAway
    private let papers: KnownPapers
    private let stopping: Stopping

    /// The parts that run before there is a database.
    struct Parts: Sendable {
        let group: EventLoopGroup
        let sink: LogSink
        let log: Log
        let metrics: Metrics
        let store: DataStore

        func observe(_ observation: Observation) {
            metrics.observe(observation)
            log.observe(observation)
        }
    }

    /// How long the two steps of a stop may take.
    struct Stopping: Sendable {
        /// Until nothing more is accepted.
        let drain: Duration
        /// Until what is under way is broken off.
        let grace: Duration
    }

    private init(
        _ parts: Parts, _ lanes: Lanes, _ service: Service, _ operators: Operators, _ gateway: OwnGateway?,
        _ far: ServicesFarAway, _ papers: KnownPapers, _ stopping: Stopping
    ) {
        (self.parts, self.far, self.papers) = (parts, far, papers)
        self.lanes = lanes
        self.service = service
        self.operators = operators
        self.gateway = gateway
        self.stopping = stopping
        address = service.server.address
    }

    /// Refuses a start that cannot succeed, before it makes or changes anything.
    static func tryOut(_ configuration: Configuration) throws {
        try Server.tryOut(configuration.server)
        try configuration.admin.tryOut()
        try configuration.gateways.tryOut()
        _ = try KnownPapers(configuration.papers)
        _ = try configuration.keyFile.map { try KeyFile($0).keys() }
        if case .directory(let path) = configuration.database { try EmbeddedServer.tryOut(dataDirectory: path) }
    }

    /// Starts everything. If a part does not start, those before it are stopped again. `log` is an open file.
    static func start(_ configuration: Configuration, log: Int32 = STDERR_FILENO) async throws -> Application {
        try tryOut(configuration)
        let group = try EventLoopGroup(count: configuration.loops)
        let sink = try LogSink(file: log)
        do {
            // Those who play in a demo ask so much that nobody would see whom to sign in as.
            let log = try await Log(
                configuration.logFormat, tellsRequests: !configuration.isDemo, sink: sink, on: group)
            let metrics = try await Metrics(on: group)
            // There are two connections more than the lanes have, for migrating and for the gateway.
            let connections = Lanes.connections(loops: configuration.loops, poolSize: configuration.poolSize) + 2
            let store = try await DataStore.open(
                configuration.database, keyFile: configuration.keyFile, connections: connections
            ) {
                log.observe(.process($0))
            }
            return try await start(
                configuration, Parts(group: group, sink: sink, log: log, metrics: metrics, store: store))
        } catch {
            await stop(group, sink)
            throw error
        }
    }

    private static func start(_ configuration: Configuration, _ parts: Parts) async throws -> Application {
        do {
            let secret = try await parts.store.secret(configuration.keyFile) { parts.observe(.process($0)) }
            let lanes = try await Lanes(
                url: parts.store.url, replica: configuration.replica, on: parts.group, poolSize: configuration.poolSize,
                observe: { parts.observe(.postgres($0)) })
            do {
                return try await start(configuration, parts, lanes, secret)
            } catch {
                await lanes.stop()
                throw error
            }
        } catch {
            await parts.store.close()
            throw error
        }
    }

    private static func start(
        _ configuration: Configuration, _ parts: Parts, _ lanes: Lanes, _ secret: ServerSecret
    ) async throws -> Application {
        let readiness = NodeReadiness(
            database: lanes.requests, newestMigration: Schema.migrations.count,
            functionsRevision: Schema.functionsRevision)
        let gateways = configuration.gateways
        var product = configuration.product
        product.pictures = try configuration.files.map(ObjectStore.init)
        product.papers = try KnownPapers(configuration.papers)
        let far = try services(configuration, parts)
        product.services = far
        let bell = GatewayBell()
        let pushKey = try await PushKey.find(lanes.requests, secret)
        if gateways.sendsWebPush { product.webPushKey = Base64URL.encode(pushKey.publicPoint) }
        if !gateways.channels.isEmpty { product.messagesMayWait = { bell.ring() } }
        let service = try await Service.start(
            product, configuration.server, lanes: lanes, on: parts.group, secret: secret,
            status: StatusRoom(readiness),
            observe: { parts.observe(.http($0)) },
            failed: { parts.observe(.process(.jobFailed($0, reason: "\($1)"))) },
            noted: { parts.observe(.process($0.told)) },
            used: { parts.observe(.process(.budgetUsed($0.kind, of: $0.subject, percent: $0.percent))) })
        let report = MetricsReport(
            version: Command.version, metrics: parts.metrics, database: lanes.requests, lanes: lanes.named,
            group: parts.group, server: service.server, messages: { await service.composition.messageCounts })
        do {
            let operators = try await Operators(configuration.admin, readiness, report, parts)
            let gateway = try begin(gateways, configuration, parts, secret, pushKey, bell)
            parts.observe(
                .process(
                    .listening("\(service.server.address)", admin: operators.server.map { "\($0.address)" })))
            return Application(
                parts, lanes, service, operators, gateway, far, product.papers,
                Stopping(drain: configuration.drain, grace: configuration.shutdownGrace))
        } catch {
            await service.stop(within: .zero)
            throw error
        }
    }

    /// Those that are asked far away. What becomes of questions is heard on another thread, and counted on a loop.
    private static func services(_ configuration: Configuration, _ parts: Parts) throws -> ServicesFarAway {
        let url = configuration.product.publicURL
        let agent = "Kurir/\(Command.version)" + (url.isSecure ? " (\(url.text))" : "")
        return try ServicesFarAway(configuration.services, as: agent) { event in
            parts.group.loops[0].execute { parts.observe(.process(event.told)) }
        }
    }

    /// Begins to send on what this node sends by itself.
    private static func begin(
        _ gateways: OwnGateways, _ configuration: Configuration, _ parts: Parts, _ secret: ServerSecret,
        _ pushKey: PrivateKey, _ bell: GatewayBell
    ) throws -> OwnGateway? {
        guard !gateways.channels.isEmpty else { return nil }
        var outlets = try gateways.outlets(signedBy: WebhookSecret(of: secret))
        let url = configuration.product.publicURL
        if gateways.sendsWebPush {
            // Push services want to know whom to turn to.
            outlets.addWebPush(
                pushKey, contact: url.isSecure ? url.text : "mailto:kurir@localhost", hosts: gateways.pushHosts)
        }
        return try OwnGateway(
            gateways.channels, to: outlets, database: parts.store.url,
            grace: Int(configuration.shutdownGrace / .seconds(1)), bell: bell
        ) { parts.observe(.process(.trouble("gateway: \($0)"))) }
    }

    /// Fills the database if it is empty, and gives its people.
    func fillDemo(seed: UInt64) async throws -> Cast? {
        try await service.composition.demo.fill(seed: seed, on: parts.group) { [parts] done, all in
            parts.observe(.process(.step("made \(done) of \(all) steps of the demo's history")))
        }
    }

    /// Reads again what papers are judged by. If a file is wrong, what was read before stays.
    func reread() {
        do {
            let count = try papers.reread()
            parts.observe(.process(.step("papers are judged by \(count) keys")))
        } catch {
            parts.observe(.process(.trouble("\(error); what was read before stays")))
        }
    }

    /// Says that it is not ready any more, stops accepting, lets running requests finish, and stops the rest.
    func stop(because signal: String) async {
        parts.observe(.process(.stopping(signal: signal)))
        operators.readiness.leave()
        try? await Task.sleep(for: stopping.drain)
        await service.stop(within: stopping.grace)
        await gateway?.stop()
        await Task.detached { [far] in far.stop() }.value
        await operators.server?.stop(within: .zero)
        await lanes.stop()
        await parts.store.close()
        parts.observe(.process(.stopped))
        await Self.stop(parts.group, parts.sink)
    }

    /// It waits for threads, so it is not done on a loop.
    private static func stop(_ group: EventLoopGroup, _ sink: LogSink) async {
        await Task.detached {
            group.stop()
            sink.stop()
        }.value
    }
}
