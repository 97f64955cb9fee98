import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct BlockingConnectionTests {
    @Test func `a blocking connection runs scripts and queries`() throws {
        let connection = try TestDatabase.current.connect()
        try connection.execute("CREATE TABLE t (a integer, b text); INSERT INTO t VALUES (1, 'čćž'), (2, NULL)")
        #expect(try connection.query("SELECT a, b FROM t ORDER BY a") == [["1", "čćž"], ["2", nil]])
        #expect(try connection.query("SELECT $1::text, $2::text IS NULL", ["it's", nil]) == [["it's", "t"]])
        #expect(try connection.query("SELECT 1 WHERE false") == [])
    }

    @Test func `a script takes effect whole or not at all`() throws {
        let connection = try TestDatabase.current.connect()
        #expect(throws: PostgresError.self) { try connection.execute("CREATE TABLE t (a integer); SELECT 1 / 0") }
        #expect(try connection.query("SELECT to_regclass('t')") == [[nil]])
    }

    @Test func `a refusal has its code, message and constraint`() throws {
        let connection = try TestDatabase.current.connect()
        try connection.execute("CREATE TABLE t (a integer CONSTRAINT a_is_positive CHECK (a > 0))")
        let error = #expect(throws: PostgresError.self) { try connection.query("INSERT INTO t VALUES ($1)", ["-1"]) }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.state == .checkViolation)
        #expect(refusal.constraint == "a_is_positive")
        #expect(refusal.message.contains("violates check constraint"))
    }

    @Test func `a broken connection is reported as lost`() throws {
        let connection = try TestDatabase.current.connect()
        let number = try connection.query("SELECT pg_backend_pid()")[0][0]
        _ = try TestDatabase.current.connect().query("SELECT pg_terminate_backend($1::integer)", [number])
        let error = #expect(throws: PostgresError.self) {
            _ = try connection.query("SELECT 1")
            _ = try connection.query("SELECT 1")
        }
        guard case .connectionLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a server that never answers is given up`() throws {
        let port = try ReservedPort()
        try port.listenInSilence()
        let url = "postgresql://kurir:secret@127.0.0.1:\(port.number)/kurir"
        let error = #expect(throws: PostgresError.self) {
            _ = try withExtendedLifetime(port) { try BlockingConnection(url: url, timeout: .seconds(2)) }
        }
        #expect("\(String(describing: error))".contains("timeout expired"))
    }

    @Test func `a blocking connection takes one of several hosts that answers`() throws {
        let silent = try ReservedPort()
        try silent.listenInSilence()
        let hosts = "127.0.0.1:1,127.0.0.1:\(silent.number),"
        let url = TestDatabase.current.url.replacing("@", with: "@\(hosts)")
        try withExtendedLifetime(silent) {
            let connection = try BlockingConnection(url: url, timeout: .seconds(6))
            #expect(try connection.query("SELECT current_database()") == [[TestDatabase.current.name]])
        }
    }

    @Test(arguments: [
        "postgresql://kurir:p@secret@127.0.0.1:1/kurir", "postgresql://kurir:p:secret/1@127.0.0.1:1/kurir",
        "postgresql://kurir:secret@127.0.0.1:secret/kurir", "postgresql://kurir:secret@127.0.0.1:1/kurir",
        "postgresql://kurir:%zzsecret@127.0.0.1/kurir", "host=127.0.0.1 port=1 password=secret", "secret",
        "postgresql://kurir:secret@127.0.0.1:1/kurir?secret=1", "postgresql://kurir:p@secret/1@127.0.0.1:1/kurir",
        "postgresql://kurir:p@/secret@127.0.0.1:1/kurir",
    ])
    func `no error quotes a password`(url: String) throws {
        let error = #expect(throws: (any Error).self) { try BlockingConnection(url: url) }
        #expect(!String(reflecting: error).contains("secret"))
    }
}
