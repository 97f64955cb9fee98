import EventLoop
import Glibc

/// Our own PostgreSQL: a cluster in the data directory, reached over a Unix socket only. It is started again when it
/// dies, and stopped with this process, even if that is killed.
public final class EmbeddedServer: Sendable {
    /// The URL by which libpq reaches the product's database. It is valid in this process while the server lives.
    public let url: String

    private let supervisor: Supervisor

    private init(_ supervisor: Supervisor) throws {
        self.supervisor = supervisor
        url = supervisor.cluster.url()
        try supervisor.cluster.makeDatabase()
    }

    /// Takes the data directory, makes the cluster if there is none, and starts its server. It blocks until the server
    /// takes connections. `report` is told of events, then and later, from any thread.
    ///
    /// The server takes as many `connections` as the caller wants and 20 for tools, and at least 100. `durable: false`
    /// is for what is thrown away: it trusts that the machine never stops. From now on this process ignores the
    /// environment's settings for libpq (`PGHOST` and so on).
    public static func start(
        dataDirectory path: String, connections: Int = 80, durable: Bool = true,
        report: @escaping @Sendable (Event) -> Void
    ) throws -> EmbeddedServer {
        ClientEnvironment.forget()
        let directory = try DataDirectory(path)
        do {
            let cluster = try directory.cluster(durable: durable) { report(.making(directory: directory.path)) }
            let supervisor = Supervisor(
                directory: directory, cluster: cluster, connections: connections, durable: durable, report: report)
            try supervisor.start()
            do {
                return try EmbeddedServer(supervisor)
            } catch {
                supervisor.stop()
                throw error
            }
        } catch let error as SystemError {
            throw EmbeddedServerError.unusable(directory: directory.path, reason: error.description)
        }
    }

    /// Throws what keeps a server from being started in that directory, without making anything there.
    public static func tryOut(dataDirectory path: String) throws {
        if access(path + "/postgres", F_OK) != 0 { _ = try ServerBinaries.find() }
    }

    /// The URL of another database of this server, or for the role that may do everything.
    package func url(database: String, as user: String = Cluster.user) -> String {
        supervisor.cluster.url(database: database, as: user)
    }

    /// What URLs were given of. They may lead through the open directories, so those stay open.
    private static let reached = Locked<[Cluster]>([])

    /// The URL of the server that another process runs in that directory. It stays valid while this process lives. From
    /// now on this process ignores the environment's settings for libpq.
    public static func url(ofRunning path: String) throws -> String {
        ClientEnvironment.forget()
        do {
            guard let directory = try? FileSystem.absolute(path),
                let cluster = try Cluster(path: directory + "/postgres"), cluster.readyServer != nil
            else { throw EmbeddedServerError.notRunning(directory: path) }
            reached.withLock { $0.append(cluster) }
            return cluster.url()
        } catch let error as SystemError {
            throw EmbeddedServerError.unusable(directory: path, reason: error.description)
        }
    }

    /// Stops the server: fast if possible, and at once after ten seconds. It blocks until the server is gone.
    public func stop() {
        supervisor.stop()
    }

    /// An event of the server.
    public enum Event: Sendable, CustomStringConvertible {
        /// The cluster is being made, which takes seconds.
        case making(directory: String)
        /// A server that a killed process left behind is being stopped.
        case expelling(process: Int32)
        /// The server takes connections, for the first time or again.
        case ready
        /// The server died and is started again after a while.
        case died(reason: String, retryMilliseconds: Int32)

        /// What to tell a person.
        public var description: String {
            switch self {
            case .making(let directory): "making a database in \(directory)"
            case .expelling(let process): "stopping the PostgreSQL that was left behind (process \(process))"
            case .ready: "PostgreSQL takes connections"
            case .died(let reason, let retry): "\(reason)\nStarting it again in \(retry) ms"
            }
        }
    }
}
