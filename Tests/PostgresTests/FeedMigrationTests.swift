import Postgres
import Schema
import TestSupport
import Testing

@Suite(.emptyDatabase) struct FeedMigrationTests {
    /// Events that were ordered by transactions keep their order, and the former cursors find them.
    @Test func `events from before the migration come over in their order`() async throws {
        let url = TestDatabase.current.url
        let moved: [[String?]] = try await blocking {
            let connection = try BlockingConnection(url: url)
            let migrations = Schema.migrations
            for (_, sql) in migrations.prefix(10) { try connection.execute(sql) }
            let (first, second) = ("'00000000-0000-7000-8000-000000000001'", "'00000000-0000-7000-8000-000000000002'")
            // The clocks of nodes differ: the time goes back once, and once it lies ahead.
            for (account, type, at) in [
                (first, "a.one", "- interval '20 days'"), (second, "b.one", "- interval '9 days'"),
                (first, "a.two", "- interval '21 days'"), (first, "a.three", "+ interval '1 day'"),
            ] {
                try connection.execute(
                    "INSERT INTO events (account_id, type, at) VALUES (\(account), '\(type)', now() \(at))")
            }
            let before = try connection.query("SELECT type, xact::text, id::text FROM events ORDER BY xact, id")
            try connection.execute(migrations[10].sql)
            try connection.execute(
                "INSERT INTO event_journal (accounts, types) VALUES (ARRAY[\(first), \(second)]::uuid[], '{a.four,b.two}')"
            )
            try connection.execute("SELECT number_events(10)")
            let after = try connection.query(
                """
                SELECT type, c.xact::text, c.id::text, number::text FROM event_cursors_before c
                JOIN events USING (account_id, number, numbered_at) ORDER BY c.xact, c.id
                """)
            #expect(after.map { Array($0.prefix(3)) } == before)
            return try connection.query(
                "SELECT type, number::text FROM events ORDER BY account_id, numbered_at, number")
        }
        #expect(
            moved == [
                ["a.one", "1"], ["a.two", "2"], ["a.three", "3"], ["a.four", "4"], ["b.one", "1"], ["b.two", "2"],
            ])
    }
}
