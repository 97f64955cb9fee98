import EventLoop
import Glibc
import Postgres

/// A cluster for one test, which kills and starts its server at will.
public final class PrivateCluster: Sendable {
    /// The URL by which libpq reaches its database.
    public let url: String

    private let directory: DataDirectory
    private let cluster: Cluster
    private let port: ReservedPort?
    private let server = Locked<ServerProcess?>(nil)
    private let hasRole = Locked(false)

    private init(on port: ReservedPort?) throws {
        let path = TemporaryDirectory.path("private")
        directory = try DataDirectory(path)
        cluster = try directory.cluster(durable: false)
        self.port = port
        if let port {
            url = "postgresql://kurir@127.0.0.1:\(port.number)/postgres"
            try Self.allowTCP(in: path + "/postgres/pg_hba.conf")
        } else {
            url = cluster.url(database: "postgres")
        }
    }

    /// Everybody who comes by TCP is let in, but the user `guarded` needs a password.
    private static func allowTCP(in path: String) throws {
        let rules = "host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        let file = open(path, O_WRONLY | O_TRUNC)
        defer { close(file) }
        guard write(file, rules, rules.utf8.count) == rules.utf8.count else { throw SystemError("writing \(path)") }
    }

    /// Makes a cluster, starts it, and removes it after `body`. It is reached by TCP if a port is given, otherwise by
    /// its Unix socket.
    public static func with<Answer: Sendable>(
        on port: ReservedPort? = nil, _ body: (PrivateCluster) async throws -> Answer
    ) async throws -> Answer {
        let cluster = try await blocking { try PrivateCluster(on: port) }
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
        let settings = port.map { ["listen_addresses=127.0.0.1", "port=\($0.number)"] } ?? []
        try await blocking { [self] in
            let started = try cluster.launch(log: directory.log, connections: 80, durable: false, settings: settings)
            server.withLock { $0 = started }
            while !cluster.isReady(started) {
                guard started.wait(milliseconds: 5) == .timeout else { throw PostgresError.unavailable("no server") }
            }
            if !hasRole.withLock({ $0 }) { try makeRole() }
        }
    }

    /// The role that tests come as may do everything.
    private func makeRole() throws {
        let superuser =
            url.contains("127.0.0.1")
            ? url.replacing("kurir@", with: "\(Cluster.superuser)@")
            : cluster.url(database: "postgres", as: Cluster.superuser)
        try BlockingConnection(url: superuser).execute("CREATE ROLE kurir SUPERUSER LOGIN")
        hasRole.withLock { $0 = true }
    }

    /// Kills every process of the server, as in a power cut, and waits until they are gone.
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

    /// Sends a signal to every process of the server. A server that is stopped (`SIGSTOP`) holds its connections and is
    /// silent until it goes on (`SIGCONT`).
    public func signal(_ signal: Int32) {
        // Twice, because of what was being started: once all is stopped, nothing is started any more.
        for _ in 0..<2 {
            for process in cluster.processes() { process.signal(signal) }
        }
    }

    /// Stops the server in good order. If it does not run, nothing happens; if it is held up, it goes on first.
    public func stop() async throws {
        try await blocking { [self] in
            signal(SIGCONT)
            server.withLock { $0.take() }?.shutDown()
        }
    }
}
