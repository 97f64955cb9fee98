import Glibc
import TestSupport
import Testing

@testable import Postgres

/// Parts that other tests run in a process of their own: this test binary, started once more with a data directory.
@Suite(.enabled(if: getenv(EmbeddedHome.variable) != nil, "runs only as a process that another test starts"))
struct EmbeddedServerChild {
    private var path: String {
        get throws { try #require(getenv(EmbeddedHome.variable).map { String(cString: $0) }) }
    }

    private func start(report: @escaping @Sendable (EmbeddedServer.Event) -> Void = { _ in }) async throws
        -> EmbeddedServer
    {
        let path = try path
        return try await blocking { try EmbeddedServer.start(dataDirectory: path, durable: false, report: report) }
    }

    private func url() throws -> String { try EmbeddedServer.url(ofRunning: path) }

    /// Serves until it is killed.
    @Test func `the holder of a directory serves until it is killed`() async throws {
        let server = try await start()
        try await blocking { withExtendedLifetime(server) { _ = pause() } }
    }

    /// Ends as soon as its server runs, before the start is finished.
    @Test func `the quitter ends before its start is over`() async throws {
        _ = try await start { event in
            if case .ready = event { exit(0) }
        }
        Issue.record("the start went on")
    }

    @Test func `the visitor is served whatever its environment says`() async throws {
        let server = try await start()
        let connection = try BlockingConnection(url: server.url)
        #expect(try connection.query("SHOW TimeZone") == [["UTC"]])
        #expect(try BlockingConnection(url: url()).query("SELECT 1") == [["1"]])
        try await blocking { server.stop() }
    }

    @Test func `the blind successor takes over from the server it finds`() async throws {
        #expect(try BlockingConnection(url: url()).query("SELECT 1") == [["1"]])
        let server = try await start()
        try BlockingConnection(url: server.url).execute("CREATE TABLE t (a integer)")
        try await blocking { server.stop() }
    }

    @Test func `the refused successor leaves a server that does not stop`() async throws {
        let error = await #expect(throws: EmbeddedServerError.self) { try await start() }
        guard case .leftBehind = error else { throw error ?? EmbeddedServerError.noServerUser }
    }
}
