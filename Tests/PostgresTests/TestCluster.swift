import CLibpq
import Glibc
import Synchronization

/// A database of its own for a test, on a server that all tests of the process share.
func freshDatabaseURL() async throws -> String {
    let number = databases.withLock { number in
        number += 1
        return number
    }
    let cluster = try TestCluster.shared.get()
    try cluster.execute("CREATE DATABASE test\(number)")
    return cluster.url(database: "test\(number)")
}

private let databases = Mutex(0)

/// A throw-away PostgreSQL server on a Unix socket, ended with the process.
final class TestCluster: Sendable {
    static let shared = Result { try TestCluster() }

    let directory: String
    private let postmaster: Mutex<pid_t>

    struct Failure: Error {
        let what: String
    }

    /// Settings are `name=value`.
    init(_ settings: String...) throws {
        let template = strdup("/tmp/kurir-test-XXXXXX")!
        defer { free(template) }
        guard let made = mkdtemp(template) else { throw Failure(what: "no directory") }
        directory = String(cString: made)
        postmaster = Mutex(0)
        chown(directory, Self.serverUser.uid, Self.serverUser.gid)
        try Self.finish(Self.spawn("initdb", "-D", "\(directory)/data", "-U", "postgres", "-A", "trust", "--no-sync"))
        try write(["fsync=off", "listen_addresses=''", "unix_socket_directories='\(directory)'"] + settings)
        try start()
        Self.running.withLock { $0.append(self) }
    }

    func url(database: String = "postgres", user: String = "postgres") -> String {
        "postgres://\(user)@/\(database)?host=\(directory)"
    }

    /// Starts the server, and waits until it takes connections.
    func start() throws {
        for _ in 0..<200 {
            let started = try Self.spawn("postgres", "-D", "\(directory)/data")
            postmaster.withLock { $0 = started }
            while waitpid(started, nil, WNOHANG) == 0 {
                if PQping(url()) == PQPING_OK { return }
                usleep(10_000)
            }
            // What is left of a server that was killed must be gone first.
            usleep(20_000)
        }
        throw Failure(what: "the server does not start")
    }

    /// Kills the server as a crash would.
    func kill() {
        let killed = postmaster.withLock { $0 }
        Glibc.kill(killed, SIGKILL)
        waitpid(killed, nil, 0)
    }

    /// Stops or continues the server and everything it has started.
    func signal(_ signal: Int32) throws {
        try Self.finish(
            Self.spawnAsIs("pkill", "-\(signal)", "-P", "\(postmaster.withLock { $0 })"))
        Glibc.kill(postmaster.withLock { $0 }, signal)
    }

    func execute(_ sql: String, database: String = "postgres") throws {
        let connection = PQconnectdb(url(database: database))
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw Failure(what: String(cString: PQerrorMessage(connection)))
        }
    }

    /// Demands a password of everybody who is called `guarded`.
    private func write(_ settings: [String]) throws {
        try Self.append(settings.joined(separator: "\n") + "\n", to: "\(directory)/data/postgresql.conf")
        let rules = "local all guarded scram-sha-256\nlocal all all trust\n"
        guard truncate("\(directory)/data/pg_hba.conf", 0) == 0 else { throw Failure(what: "pg_hba.conf") }
        try Self.append(rules, to: "\(directory)/data/pg_hba.conf")
    }

    private static func append(_ text: String, to path: String) throws {
        guard let file = fopen(path, "a") else { throw Failure(what: path) }
        fputs(text, file)
        fclose(file)
    }

    // MARK: Processes

    private static let running: Mutex<[TestCluster]> = {
        atexit { TestCluster.endAll() }
        return Mutex([])
    }()

    private static func endAll() {
        for cluster in running.withLock({ $0 }) {
            let pid = cluster.postmaster.withLock { $0 }
            Glibc.kill(pid, SIGCONT)
            Glibc.kill(pid, SIGQUIT)
            waitpid(pid, nil, 0)
            _ = try? finish(spawnAsIs("rm", "-rf", cluster.directory))
        }
    }

    /// PostgreSQL refuses to run as root.
    private static var serverUser: (uid: uid_t, gid: gid_t) {
        guard getuid() == 0, let user = getpwnam("postgres") else { return (getuid(), getgid()) }
        return (user.pointee.pw_uid, user.pointee.pw_gid)
    }

    private static func spawn(_ program: String, _ arguments: String...) throws -> pid_t {
        let user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return try spawn((getuid() == 0 ? user : []) + ["/usr/lib/postgresql/15/bin/\(program)"] + arguments)
    }

    private static func spawnAsIs(_ words: String...) throws -> pid_t { try spawn(words) }

    private static func spawn(_ words: [String]) throws -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for output in [1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0)
        }
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        guard posix_spawnp(&pid, words[0], &files, nil, arguments, environ) == 0 else {
            throw Failure(what: words[0])
        }
        return pid
    }

    private static func finish(_ pid: pid_t) throws {
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        guard status == 0 else { throw Failure(what: "a program ended with \(status)") }
    }
}
