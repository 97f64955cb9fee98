import Glibc
import Postgres
import Synchronization

/// A cluster of one test's own, whose server the test kills and starts as it likes.
public final class PrivateCluster: Sendable {
    /// What libpq is to be told to reach its database.
    public let url: String

    private let directory: DataDirectory
    private let cluster: Cluster
    private let server = Mutex<ServerProcess?>(nil)

    private init() throws {
        directory = try DataDirectory(TemporaryDirectory.path("private"))
        cluster = try directory.cluster(durable: false)
        url = cluster.url(database: "postgres")
    }

    /// Makes a cluster, starts it, and takes it away after `body`.
    public static func with<Answer: Sendable>(
        _ body: (PrivateCluster) async throws -> Answer
    ) async throws -> Answer {
        let cluster = try await blocking { try PrivateCluster() }
        try await cluster.start()
        do {
            let answer = try await body(cluster)
            try await cluster.stop()
            return answer
        } catch {
            try await cluster.stop()
            throw error
        }
    }

    /// Starts the server and waits until it takes connections.
    public func start() async throws {
        try await blocking { [self] in
            let started = try cluster.launch(log: directory.log, durable: false)
            server.withLock { $0 = started }
            while !cluster.isReady(started) {
                guard started.wait(milliseconds: 5) == .timeout else { throw PostgresError.unavailable("no server") }
            }
        }
    }

    /// Kills every process of the server, as when the power goes, and waits until they are gone.
    public func kill9() async throws {
        try await blocking { [self] in
            let main = server.withLock { $0.take() }
            main?.signal(SIGKILL)
            let processes = cluster.processes()
            for process in processes { process.signal(SIGKILL) }
            for process in processes { _ = process.wait() }
            main?.reap()
        }
    }

    /// Sends every process of the server a signal: one that is stopped (`SIGSTOP`) holds its connections and is silent
    /// until it goes on (`SIGCONT`).
    public func signal(_ signal: Int32) {
        for process in cluster.processes() { process.signal(signal) }
    }

    /// Stops the server in an orderly way; one that does not run does not mind.
    public func stop() async throws {
        try await blocking { [self] in server.withLock { $0.take() }?.shutDown() }
    }
}
