import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct MigratorTests {
    private let first = Migration(file: "0001_first.sql", sql: "CREATE TABLE first (a integer)")
    private let second = Migration(file: "0002_second.sql", sql: "CREATE TABLE second (a integer)")
    private let third = Migration(file: "0003_third.sql", sql: "INSERT INTO first VALUES (1)")

    private var url: String { TestDatabase.current.url }

    @Test func `missing migrations are applied in order`() throws {
        #expect(try applied([first]) == ["0001_first.sql"])
        #expect(try applied([first, second, third]) == ["0002_second.sql", "0003_third.sql"])
        #expect(try applied([first, second, third]) == [])
        #expect(try rows("SELECT number, file FROM schema_migrations ORDER BY number").map(\.[0]) == ["1", "2", "3"])
        #expect(try rows("SELECT * FROM first") == [["1"]])
    }

    @Test func `the status tells what was applied when, and writes nothing`() throws {
        #expect(try Migrator([first]).status(url).map(\.appliedAt) == [nil])
        #expect(try rows("SELECT to_regclass('schema_migrations')") == [[nil]])
        try Migrator([first]).migrate(url)
        let status = try Migrator([first, second]).status(url)
        #expect(status.map(\.file) == ["0001_first.sql", "0002_second.sql"])
        #expect(status[0].appliedAt?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        #expect(status[1].appliedAt == nil)
    }

    @Test func `many migrators at once apply each migration once`() async throws {
        let slow = Migration(file: "0004_slow.sql", sql: "SELECT pg_sleep(0.2); CREATE TABLE slow (a integer)")
        let migrator = try Migrator([first, second, third, slow])
        let counts = try await withThrowingTaskGroup(of: Int.self) { [url] group in
            for _ in 0..<8 {
                group.addTask {
                    try await blocking {
                        var count = 0
                        try migrator.migrate(url) { _ in count += 1 }
                        return count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.sorted() == [0, 0, 0, 0, 0, 0, 0, 4])
        #expect(try rows("SELECT * FROM first") == [["1"]])
    }

    @Test func `a migrator tells once that it waits for another`() throws {
        var other: BlockingConnection? = try TestDatabase.current.connect()
        _ = try other?.query("SELECT pg_advisory_lock(x'6b75726972'::bigint)")
        var events: [String] = []
        try Migrator([first]).migrate(url) {
            events.append($0.file)
        } waiting: {
            events.append("waiting")
            other = nil
        }
        #expect(events == ["waiting", "0001_first.sql"])
        try Migrator([first]).migrate(url, waiting: { events.append("waiting again") })
        #expect(events.count == 2)
    }

    @Test func `an edited migration is refused`() throws {
        try Migrator([first, second]).migrate(url)
        let edited = Migration(file: first.file, sql: first.sql + " ")
        #expect(throws: MigrationError.edited(file: "0001_first.sql")) { try applied([edited, second, third]) }
        #expect(throws: MigrationError.edited(file: "0001_first.sql")) { try Migrator([edited, second]).status(url) }
        #expect(try rows("SELECT * FROM first") == [])
    }

    @Test func `a database that a newer binary migrated is refused`() throws {
        try Migrator([first, second]).migrate(url)
        #expect(throws: MigrationError.unknown(file: "0002_second.sql")) { try applied([first]) }
        let renamed = Migration(file: "0002_renamed.sql", sql: second.sql)
        #expect(throws: MigrationError.unknown(file: "0002_second.sql")) { try applied([first, renamed]) }
    }

    /// So a new version can be rolled back, unless one of its migrations says otherwise.
    @Test func `a database of a newer binary is worked with as far as its migrations allow`() throws {
        let least = Migration(
            file: "0001_first.sql",
            sql: first.sql + ";CREATE TABLE schema_least (migration integer); INSERT INTO schema_least VALUES (1)")
        try Migrator([least, second]).migrate(url)
        #expect(try applied([least]) == [])
        #expect(try Migrator([least]).status(url).map(\.file) == ["0001_first.sql"])
        let edited = Migration(file: "0001_first.sql", sql: least.sql + " ")
        #expect(throws: MigrationError.edited(file: "0001_first.sql")) { try applied([edited]) }
        try TestDatabase.current.connect().execute("UPDATE schema_least SET migration = 2")
        #expect(throws: MigrationError.unknown(file: "0002_second.sql")) { try applied([least]) }
    }

    @Test func `a database that lacks a migration is refused`() throws {
        try Migrator([first, second, third]).migrate(url)
        try TestDatabase.current.connect().execute("DELETE FROM schema_migrations WHERE number = 2")
        #expect(throws: MigrationError.skipped(file: "0002_second.sql")) { try applied([first, second, third]) }
    }

    @Test func `files that are not numbered in order are refused`() {
        let misnumbered = MigrationError.misnumbered(file: "0003_third.sql", expected: 2)
        #expect(throws: misnumbered) { try Migrator([first, third]) }
        #expect(throws: MigrationError.misnumbered(file: "0002_second.sql", expected: 1)) { try Migrator([second]) }
        let nameless = Migration(file: "readme.sql", sql: "")
        #expect(throws: MigrationError.misnumbered(file: "readme.sql", expected: 1)) { try Migrator([nameless]) }
    }

    @Test func `a failing migration leaves nothing and names its line`() throws {
        let sql = "CREATE TABLE half (a integer);\n-- čćžšđ\nINSERT INTO half VALUES (1);\nSELECT * FROM nowhere;\n"
        let failing = Migration(file: "0002_failing.sql", sql: sql)
        let reason = "42P01 relation \"nowhere\" does not exist"
        #expect(throws: MigrationError.failed(file: "0002_failing.sql", line: 4, reason: reason)) {
            try applied([first, failing])
        }
        #expect(try rows("SELECT to_regclass('half')") == [[nil]])
        #expect(try rows("SELECT file FROM schema_migrations") == [["0001_first.sql"]])
        #expect(try applied([first, second]) == ["0002_second.sql"])
    }

    @Test func `a failure without a place in the text is told`() throws {
        let sql = "CREATE TABLE half (a integer); DO $$BEGIN RAISE 'no'; END$$"
        let failing = Migration(file: "0001_failing.sql", sql: sql)
        #expect(throws: MigrationError.failed(file: "0001_failing.sql", line: nil, reason: "P0001 no")) {
            try applied([failing])
        }
    }

    @Test func `a timeout for statements does not cut a migration short`() throws {
        let database = TestDatabase.current
        try database.connect().execute("ALTER DATABASE \(database.name) SET statement_timeout = 50")
        let slow = Migration(file: "0001_slow.sql", sql: "SELECT pg_sleep(0.2)")
        #expect(try applied([slow]) == ["0001_slow.sql"])
    }

    private func applied(_ migrations: [Migration]) throws -> [String] {
        var files: [String] = []
        try Migrator(migrations).migrate(url) { files.append($0.file) }
        return files
    }

    private func rows(_ query: String) throws -> [[String?]] {
        try TestDatabase.current.connect().query(query)
    }
}
