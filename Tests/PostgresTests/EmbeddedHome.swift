import Glibc
import TestSupport
import Testing

@testable import Postgres

/// A data directory of a test's own, and what is done with it.
struct EmbeddedHome: Sendable {
    /// The variable that tells a process started by a test where the directory is.
    static let variable = "KURIR_TEST_DIRECTORY"

    let path = TemporaryDirectory.path("embedded")

    func start(_ events: Events = Events(), at path: String? = nil) async throws -> EmbeddedServer {
        let path = path ?? self.path
        return try await blocking {
            try EmbeddedServer.start(dataDirectory: path, durable: false, report: events.report)
        }
    }

    func stop(_ server: EmbeddedServer) async throws {
        try await blocking { server.stop() }
    }

    func cluster() throws -> Cluster {
        try #require(try Cluster(path: path + "/postgres"))
    }

    func write(_ value: String, _ server: EmbeddedServer) throws {
        try BlockingConnection(url: server.url).execute("CREATE TABLE t (a text); INSERT INTO t VALUES ('\(value)')")
    }

    func read(_ server: EmbeddedServer) throws -> String? {
        try BlockingConnection(url: server.url).query("SELECT a FROM t")[0][0]
    }

    func spoilSettings() throws {
        try write("spoilt = yes\n", to: "postgres/postgresql.auto.conf")
    }

    func write(_ text: String, to name: String) throws {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o755)
        defer { close(file) }
        try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }
}

/// The events that a server reported, in order.
struct Events: Sendable {
    let report: @Sendable (EmbeddedServer.Event) -> Void
    private let stream: AsyncStream<String>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        report = { continuation.yield($0.description) }
    }

    func next() async -> String? {
        await stream.first { _ in true }
    }
}
