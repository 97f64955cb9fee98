import Postgres
import Schema

/// The cluster that all tests of this process share. It has the migrated database that each test's is copied from.
final class TestCluster: Sendable {
    private let server: EmbeddedServer
    private let connections: KeptConnections
    private let counter = Counter()

    /// The first test that needs it starts it.
    static let shared: TestCluster = orDie { try TestCluster() }

    private init() throws {
        let path = TemporaryDirectory.path("shared", inMemory: true)
        server = try EmbeddedServer.start(dataDirectory: path, connections: 480, durable: false) { _ in }
        connections = KeptConnections(url: server.url(database: "postgres"))
        // Tests look and interfere everywhere, and come as whom they like.
        let superuser = try BlockingConnection(url: server.url(database: "postgres", as: Cluster.superuser))
        try superuser.execute(
            """
            ALTER ROLE kurir SUPERUSER;
            COPY (SELECT 'local all all trust') TO PROGRAM 'cat > pg_hba.conf';
            SELECT pg_reload_conf()
            """)
        try connections.use { try $0.execute("CREATE DATABASE template") }
        try Migrator(.all, functions: .all, revision: Schema.functionsRevision).migrate(
            server.url(database: "template"))
    }

    func makeDatabase(migrated: Bool) throws -> TestDatabase {
        let name = "test_\(counter.next())"
        try connections.use {
            try $0.execute("CREATE DATABASE \(name) TEMPLATE \(migrated ? "template" : "template0") STRATEGY FILE_COPY")
        }
        return TestDatabase(name: name, url: server.url(database: name))
    }

    func drop(_ database: TestDatabase) throws {
        try connections.use { try $0.execute("DROP DATABASE \(database.name) WITH (FORCE)") }
    }
}

extension [Migration] {
    /// The product's migrations.
    public static var all: [Migration] {
        Schema.migrations.map { Migration(file: $0.file, sql: $0.sql) }
    }
}

extension [FunctionFile] {
    /// The product's functions.
    public static var all: [FunctionFile] {
        Schema.functions.map { FunctionFile(file: $0.file, sql: $0.sql) }
    }
}
