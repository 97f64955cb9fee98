import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(10))) struct EmbeddedServerTests {
    private let home = EmbeddedHome()
    private var path: String { home.path }

    @Test func `an embedded server makes a cluster and keeps its data`() async throws {
        let events = Events()
        let server = try await home.start(events)
        #expect(await events.next() == "making a database in \(path)")
        #expect(await events.next() == "PostgreSQL takes connections")
        try home.write("kept", server)
        try await home.stop(server)
        #expect(try home.cluster().processes().isEmpty)

        let again = try await home.start()
        #expect(try home.read(again) == "kept")
        try await home.stop(again)
    }

    @Test func `an embedded server is durable, in UTF8 and reached by socket only`() async throws {
        let server = try await blocking { [path] in try EmbeddedServer.start(dataDirectory: path) { _ in } }
        let connection = try BlockingConnection(url: server.url)
        func setting(_ name: String) throws -> String? { try connection.query("SHOW \(name)")[0][0] }
        #expect(try setting("listen_addresses") == "")
        #expect(try setting("fsync") == "on")
        #expect(try setting("synchronous_commit") == "on")
        #expect(try setting("data_checksums") == "on")
        #expect(try setting("server_encoding") == "UTF8")
        #expect(try setting("lc_collate") == "C.UTF-8")
        #expect(try setting("TimeZone") == "UTC")
        #expect(try connection.query("SELECT current_user, current_database()") == [["kurir", "kurir"]])
        var directory = stat()
        #expect(stat(path + "/postgres", &directory) == 0 && directory.st_mode & 0o777 == 0o700)
        try await home.stop(server)
    }

    @Test func `the product's role can do nothing but its work`() async throws {
        let server = try await home.start()
        let connection = try BlockingConnection(url: server.url)
        #expect(
            try connection.query(
                "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user"
            ) == [["f", "f", "f", "f", "f"]])
        for attack in [
            "SELECT pg_read_file('PG_VERSION')", "COPY (SELECT 1) TO PROGRAM 'cat'", "ALTER SYSTEM SET fsync = off",
            "CREATE ROLE other SUPERUSER", "SET ROLE postgres",
        ] {
            #expect(throws: PostgresError.self, "\(attack)") { try connection.execute(attack) }
        }
        try await home.stop(server)
    }

    /// Whoever reaches the socket is who the system says, and nobody else.
    @Test func `a stranger who reaches the socket is not let in`() async throws {
        let server = try await home.start()
        let stranger = try await Program.run(
            "sh",
            [
                "-c",
                """
                test "$(id -u)" = 0 || exit 0
                chmod 711 '\(path)' '\(path)/postgres' && chmod 777 '\(path)/postgres/.s.PGSQL.5432'
                setpriv --reuid=nobody --clear-groups psql -h '\(path)/postgres' -U kurir -c 'SELECT 1' kurir
                """,
            ])
        #expect(getuid() != 0 || stranger.complained.contains("Peer authentication failed"), "\(stranger.complained)")
        try await home.stop(server)
    }

    /// Its superuser had the product's name, and owned everything.
    @Test func `a cluster from before gives the product a role of its own`() async throws {
        let server = try await home.start()
        try home.write("kept", server)
        func superuser(_ database: String, _ name: String) throws -> BlockingConnection {
            try BlockingConnection(url: server.url(database: database, as: name))
        }
        try superuser("kurir", "postgres").execute(
            """
            REASSIGN OWNED BY kurir TO postgres; DROP OWNED BY kurir; DROP ROLE kurir;
            CREATE TYPE kind AS ENUM ('a');
            CREATE FUNCTION f() RETURNS integer LANGUAGE sql AS 'SELECT 1';
            CREATE TABLE counted (n integer GENERATED ALWAYS AS IDENTITY) PARTITION BY RANGE (n);
            CREATE TABLE part PARTITION OF counted DEFAULT;
            CREATE ROLE kurir_renamer SUPERUSER LOGIN
            """)
        try superuser("postgres", "kurir_renamer").execute("ALTER ROLE postgres RENAME TO kurir")
        try superuser("postgres", "kurir").execute("DROP ROLE kurir_renamer")
        try await home.stop(server)

        for _ in 0..<2 {
            let again = try await home.start()
            let connection = try BlockingConnection(url: again.url)
            #expect(try connection.query("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == [["f"]])
            #expect(try home.read(again) == "kept")
            try connection.execute("INSERT INTO counted DEFAULT VALUES; ALTER TABLE part ADD CHECK (n > 0)")
            try connection.execute("ALTER TYPE kind ADD VALUE IF NOT EXISTS 'b'; DROP FUNCTION IF EXISTS f()")
            let roles = try connection.query("SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1")
            #expect(roles == [["kurir"], ["kurir_gateway"], ["postgres"]])
            try await home.stop(again)
        }
    }

    @Test(arguments: [1: "100", 80: "100", 81: "101"])
    func `an embedded server takes the connections wanted and some for tools`(wanted: Int, taken: String) async throws {
        let server = try await blocking { [path] in
            try EmbeddedServer.start(dataDirectory: path, connections: wanted, durable: false) { _ in }
        }
        #expect(try BlockingConnection(url: server.url).query("SHOW max_connections") == [[taken]])
        try await home.stop(server)
    }

    @Test func `a directory that is held is refused`() async throws {
        let server = try await home.start()
        let error = await #expect(throws: EmbeddedServerError.self) { try await home.start() }
        let expected = "process \(getpid()) serves from \(path) already"
        #expect(String(describing: error).contains(expected))
        try await home.stop(server)
        try await home.stop(home.start())
    }

    @Test func `an embedded server comes back when it is killed`() async throws {
        let events = Events()
        let server = try await home.start(events)
        try home.write("kept", server)
        let main = try #require(home.cluster().readyServer)
        #expect(getpgid(main) == main, "the terminal's Ctrl-C would reach it")
        kill(main, SIGKILL)
        while await events.next()?.contains("signal 9") == false {}
        #expect(await events.next() == "PostgreSQL takes connections")
        #expect(try home.read(server) == "kept")
        #expect(try home.cluster().readyServer != main)
        try await home.stop(server)
        #expect(try home.cluster().processes().isEmpty)
    }

    @Test func `an embedded server can be stopped while PostgreSQL will not start`() async throws {
        let events = Events()
        let server = try await home.start(events)
        try home.spoilSettings()
        kill(try #require(home.cluster().readyServer), SIGKILL)
        while await events.next()?.contains("spoilt") == false {}
        try await home.stop(server)
        #expect(try home.cluster().processes().isEmpty)
    }

    @Test func `an embedded server says why PostgreSQL does not start`() async throws {
        try await home.stop(home.start())
        try home.spoilSettings()
        let error = await #expect(throws: EmbeddedServerError.self) { try await home.start() }
        #expect(String(describing: error).contains("spoilt"))
        #expect(String(describing: error).contains("\(path)/postgres.log"))
    }

    @Test func `other commands find the running server`() async throws {
        #expect(throws: EmbeddedServerError.self) { try EmbeddedServer.url(ofRunning: path) }
        let server = try await home.start()
        try home.write("seen", server)
        let found = try EmbeddedServer.url(ofRunning: path)
        #expect(try BlockingConnection(url: found).query("SELECT a FROM t") == [["seen"]])
        try await home.stop(server)
        let error = #expect(throws: EmbeddedServerError.self) { try EmbeddedServer.url(ofRunning: path) }
        #expect(String(describing: error).contains("no kurir serves from \(path)"))
    }

    @Test func `a half-made cluster is made again`() async throws {
        try FileSystem.makeDirectory(path + "/postgres.new/base/1")
        try home.write("15\n", to: "postgres.new/PG_VERSION")
        let server = try await home.start()
        try home.write("made", server)
        #expect(FileSystem.entries(of: path).sorted() == [".", "..", "kurir.lock", "postgres", "postgres.log"])
        try await home.stop(server)
    }

    @Test func `a directory that is not its own is refused`() async throws {
        try FileSystem.makeDirectory(path + "/postgres")
        let foreign = await #expect(throws: EmbeddedServerError.self) { try await home.start() }
        #expect(String(describing: foreign).contains("this is no PostgreSQL cluster"))
        let file = await #expect(throws: EmbeddedServerError.self) { try await home.start(at: "/dev/null/data") }
        #expect(String(describing: file).contains("/dev/null/data cannot be used"))
    }

    @Test func `a missing PostgreSQL is reported with what to install`() throws {
        let debian = path + "/usr/lib/postgresql"
        let nothing = #expect(throws: EmbeddedServerError.self) {
            try ServerBinaries.find(debian: debian, path: "/tmp")
        }
        #expect(String(describing: nothing).contains("apt-get install postgresql)"))
        for version in ["9", "14", "15"] {
            try FileSystem.makeDirectory("\(debian)/\(version)/bin")
            for program in ["postgres", "initdb"] {
                try home.write("", to: "usr/lib/postgresql/\(version)/bin/\(program)")
            }
        }
        try FileSystem.makeDirectory(debian + "/16/bin")
        #expect(try ServerBinaries.find(debian: debian, path: "").directory == debian + "/15/bin")
        #expect(try ServerBinaries.find(version: 14, debian: debian, path: "").directory == debian + "/14/bin")
        let newer = #expect(throws: EmbeddedServerError.self) {
            try ServerBinaries.find(version: 16, debian: debian, path: "")
        }
        #expect(String(describing: newer).contains("apt-get install postgresql-16)"))
        let path = "/tmp:\(debian)/9/bin"
        #expect(try ServerBinaries.find(debian: "/nowhere", path: path).directory == debian + "/9/bin")
    }

    /// All of them are below a directory that only its owner may enter, which a server that root starts may not.
    @Test(arguments: [
        "plain", "with a space", "with,a,comma", "with@at:colon%20", "šđčćž", "trailing/",
        "deep/" + String(repeating: "long", count: 40) + "/and/deeper",
    ])
    func `an embedded server runs in any directory`(name: String) async throws {
        try await serveAndRecover(at: "\(path)/\(name)")
    }

    @Test func `an embedded server runs in a directory named relative to here`() async throws {
        let here = String(repeating: "../", count: 30)
        try await serveAndRecover(at: here + path.dropFirst() + "/relative")
    }

    /// Serves there, loses a backend, which makes every process of the server start again, and serves again.
    private func serveAndRecover(at path: String) async throws {
        let server = try await home.start(at: path)
        try home.write("kept", server)
        let victim = try BlockingConnection(url: server.url)
        let number = try victim.query("SELECT pg_backend_pid()")[0][0].flatMap { pid_t($0) }
        kill(try #require(number), SIGKILL)
        #expect(throws: PostgresError.self) { try victim.query("SELECT 1") }
        while (try? home.read(server)) != "kept" { try await Task.sleep(for: .milliseconds(10)) }
        try await home.stop(server)
        let again = try await home.start(at: path)
        let all = again.url(database: "postgres", as: Cluster.superuser)
        try BlockingConnection(url: all).execute("VACUUM")
        try BlockingConnection(url: all).execute("CREATE DATABASE other")
        #expect(try home.read(again) == "kept")
        try await home.stop(again)
    }
}
