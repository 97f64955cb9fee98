import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PrivateClusterTests {
    @Test func `a server that is held up is silent until it goes on`() async throws {
        try await PrivateCluster.with { cluster in
            cluster.signal(SIGSTOP)
            #expect(throws: PostgresError.self) {
                try BlockingConnection(url: cluster.url, timeout: .seconds(2))
            }
            cluster.signal(SIGCONT)
            let rows = try BlockingConnection(url: cluster.url).query("SELECT 1")
            #expect(rows == [["1"]])
        }
    }

    @Test func `committed rows outlive a kill`() async throws {
        try await PrivateCluster.with { cluster in
            let connection = try BlockingConnection(url: cluster.url)
            try connection.execute("CREATE TABLE t (a integer); INSERT INTO t VALUES (1)")
            try await cluster.kill9()
            #expect(throws: PostgresError.self) { try connection.query("SELECT a FROM t") }
            #expect(throws: PostgresError.self) { try BlockingConnection(url: cluster.url) }
            try await cluster.start()
            #expect(try BlockingConnection(url: cluster.url).query("SELECT a FROM t") == [["1"]])
            try await cluster.stop()
            #expect(throws: PostgresError.self) { try BlockingConnection(url: cluster.url) }
            try await cluster.start()
        }
    }
}
