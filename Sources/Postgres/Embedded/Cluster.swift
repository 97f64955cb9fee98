import EventLoop
import Glibc

/// A cluster's directory, held open. The server is started on the descriptor and not on the path, so that neither the
/// permissions of the directories above nor the path's length matter.
package final class Cluster: Sendable {
    /// The product's role, and its database.
    static let user = "kurir"
    /// The role that may do everything, which the product does without once there is a database.
    package static let superuser = "postgres"
    /// The number in the socket's name.
    private static let port = 5432
    /// How many connections are reserved for others than the product.
    private static let reservedForTools = 20

    let path: String
    let directory: Int32
    let version: Int

    /// Opens the cluster; nil when there is none.
    init?(path: String) throws {
        guard let directory = try FileSystem.openDirectory(path) else { return nil }
        guard let version = FileSystem.read("PG_VERSION", in: directory)?.firstLine, let version = Int(version) else {
            close(directory)
            throw EmbeddedServerError.unusable(directory: path, reason: "this is no PostgreSQL cluster")
        }
        self.path = path
        self.directory = directory
        self.version = version
    }

    deinit {
        close(directory)
    }

    /// The URL by which libpq reaches a database of this cluster. It is valid as long as this value lives.
    package func url(database: String = Cluster.user, as user: String = Cluster.user) -> String {
        "postgresql://\(user)@\(percentEncoded(socketDirectory)):\(Self.port)/\(database)"
    }

    /// The path, unless it is too long for a socket's address or libpq would take it for a list of hosts.
    private var socketDirectory: String {
        let longest = 107 - "/.s.PGSQL.\(Self.port)".utf8.count
        return path.utf8.count <= longest && !path.contains(",") ? path : "/proc/self/fd/\(directory)"
    }

    private func percentEncoded(_ text: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    // MARK: Its server

    /// Starts the server, which shuts down fast when the calling thread ends. `settings` override the usual ones.
    package func launch(
        log: Int32, connections: Int, durable: Bool = true, settings: [String] = []
    ) throws -> ServerProcess {
        let binaries = try ServerBinaries.find(version: version)
        let settings = (Self.settings(durable: durable, connections: connections) + settings).flatMap { ["-c", $0] }
        let command = [binaries.postgres, "-D", "/proc/self/fd/3"] + settings
        let user = try ServerUser(owning: directory)
        return try ServerProcess.start(user.command(dyingWith: "INT", command), directory: directory, log: log)
    }

    /// Whether that server takes connections, as the last line of its `postmaster.pid` says.
    package func isReady(_ server: ServerProcess) -> Bool {
        postmaster.map { $0.number == server.number && $0.isReady } ?? false
    }

    /// Every process of a server of this cluster that runs on this machine, as far as this process may look.
    package func processes() -> [ServerProcess] {
        FileSystem.entries(of: "/proc").compactMap { pid_t($0) }.compactMap { number in
            guard let process = ServerProcess(number: number), isOurs(number) == true else { return nil }
            return process
        }
    }

    /// The number of a server of this cluster that takes connections now.
    var readyServer: pid_t? {
        guard let postmaster, postmaster.isReady, isOurs(postmaster.number) != false else { return nil }
        return postmaster.number
    }

    /// Ends processes that a killed process left running. Throws if one stays, since two servers would ruin the
    /// cluster. Only the holder of the data directory may call it.
    func expelLeftovers(found: (pid_t) -> Void = { _ in }) throws {
        let main = postmaster.flatMap { ServerProcess(number: $0.number) }
        if let main, isOurs(main.number) != false {
            found(main.number)
            main.signal(SIGINT)
            _ = main.wait(milliseconds: 10_000)
        }
        for process in processes() {
            process.signal(SIGKILL)
            _ = process.wait(milliseconds: 10_000)
        }
        // PostgreSQL itself checks that nobody has the number any more.
        guard let main else { return }
        guard main.wait(milliseconds: 0) == .ended || isOurs(main.number) == false else {
            throw EmbeddedServerError.leftBehind(directory: path, process: main.number)
        }
        // But it does not start while a stranger has the number, or a dead process that its parent has not reaped.
        unlinkat(directory, "postmaster.pid", 0)
    }

    /// Whether a process belongs to a server of this cluster. It is nil for a PostgreSQL of which that cannot be seen:
    /// other users' processes are hidden from root in a container without CAP_SYS_PTRACE.
    private func isOurs(_ number: pid_t) -> Bool? {
        guard FileSystem.read("/proc/\(number)/comm")?.hasPrefix("postgres") == true else { return false }
        return FileSystem.isSame("/proc/\(number)/cwd", as: directory)
    }

    private var postmaster: (number: pid_t, isReady: Bool)? {
        guard let text = FileSystem.read("postmaster.pid", in: directory) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let number = pid_t(lines[0]) else { return nil }
        return (number, lines.count > 7 && lines[7].hasPrefix("ready"))
    }

    /// Failed statements are reported to their senders and not logged, since they may quote private data.
    private static func settings(durable: Bool, connections: Int) -> [String] {
        let always = [
            "listen_addresses=", "port=\(port)", "unix_socket_directories=.", "unix_socket_permissions=0700",
            "max_connections=\(max(100, connections + reservedForTools))", "log_min_messages=log",
            "log_checkpoints=off", "log_timezone=UTC", "timezone=UTC",
        ]
        let careless = ["fsync=off", "full_page_writes=off"]
        return always + (durable ? [] : careless)
    }
}
