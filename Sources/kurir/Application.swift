import API
import Product
import EventLoop
import Glibc
import HTTP
import Observability
import Postgres
import Schema

/// Kurir as a whole: its parts, started in order and stopped in reverse.
final class Application: Sendable {
    let address: ListenAddress
    private let parts: Parts
    private let lanes: Lanes
    private let service: Service
    private let shutdownGrace: Duration

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

    private init(_ parts: Parts, _ lanes: Lanes, _ service: Service, shutdownGrace: Duration) {
        self.parts = parts
        self.lanes = lanes
        self.service = service
        self.shutdownGrace = shutdownGrace
        address = service.server.address
    }

    /// Starts everything. If a part does not start, those before it are stopped again. `log` is an open file.
    static func start(_ configuration: Configuration, log: Int32 = STDERR_FILENO) async throws -> Application {
        // A start that cannot succeed changes no database.
        try Server.tryOut(configuration.server.listen)
        let group = try EventLoopGroup(count: configuration.loops)
        let sink = try LogSink(file: log)
        do {
            let log = try await Log(configuration.logFormat, sink: sink, on: group)
            let metrics = try await Metrics(on: group)
            // There is one connection more than the lanes have, for migrating.
            let connections = Lanes.connections(loops: configuration.loops, poolSize: configuration.poolSize) + 1
            let store = try await DataStore.open(configuration.database, connections: connections) {
                log.observe(.process($0))
            }
            let parts = Parts(group: group, sink: sink, log: log, metrics: metrics, store: store)
            return try await start(configuration, parts)
        } catch {
            await stop(group, sink)
            throw error
        }
    }

    private static func start(_ configuration: Configuration, _ parts: Parts) async throws -> Application {
        do {
            let lanes = try await Lanes(
                url: parts.store.url, replica: configuration.replica, on: parts.group, poolSize: configuration.poolSize,
                observe: { parts.observe(.postgres($0)) })
            do {
                return try await start(configuration, parts, lanes)
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
        _ configuration: Configuration, _ parts: Parts, _ lanes: Lanes
    ) async throws -> Application {
        let report = MetricsReport(
            version: Command.version, metrics: parts.metrics, database: lanes.requests, lanes: lanes.named,
            group: parts.group)
        let status = StatusRoom(
            database: lanes.requests, newestMigration: Schema.migrations.count,
            functionsRevision: Schema.functionsRevision
        ) {
            await report.text()
        }
        let service = try await Service.start(
            configuration.product, configuration.server, lanes: lanes, on: parts.group, status: status,
            observe: { parts.observe(.http($0)) },
            failed: { parts.observe(.process(.jobFailed($0, reason: "\($1)"))) },
            used: { parts.observe(.process(.budgetUsed($0.kind, of: $0.subject, percent: $0.percent))) })
        report.watch(service.server)
        parts.observe(.process(.listening("\(service.server.address)")))
        return Application(parts, lanes, service, shutdownGrace: configuration.shutdownGrace)
    }

    /// Fills the database if it is empty, and gives the accounts.
    func fillDemo(seed: UInt64) async throws -> [Demo.Account]? {
        try await service.composition.demo.fill(seed: seed, on: parts.group) { [parts] done, all in
            parts.observe(.process(.step("made \(done) of \(all) steps of the demo's history")))
        }
    }

    /// Stops accepting, lets running requests finish, and stops the rest.
    func stop(because signal: String) async {
        parts.observe(.process(.stopping(signal: signal)))
        await service.stop(within: shutdownGrace)
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
