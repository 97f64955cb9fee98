import Postgres
import Schema
import TestSupport
import Testing

@Suite(.emptyDatabase) struct QueueMigrationTests {
    /// A database with the outbox of earlier migrations keeps all its messages.
    @Test func `messages of the old tables come over`() async throws {
        let url = TestDatabase.current.url
        let moved: [[String?]] = try await blocking {
            let connection = try BlockingConnection(url: url)
            let migrations = Schema.migrations
            for (_, sql) in migrations.prefix(7) { try connection.execute(sql) }
            try connection.execute(
                """
                INSERT INTO outbox (kind, channel, address, language, title, body, data, attempt, lease)
                VALUES ('invite', 'sms', '+385911111111', 'hr', 'T', 'waits', '{}', 0, NULL),
                    ('invite', 'sms', '+385911111112', 'hr', 'T', 'with a gateway', '{}', 2, gen_random_uuid());
                INSERT INTO outbox (kind, channel, address, language, title, body, data)
                    VALUES ('invite', 'sms', '+385911111113', 'hr', 'T', 'dies', '{}');
                SELECT outbox_bury(ARRAY[3], 'why');
                """)
            try connection.execute(migrations[7].sql)
            return try connection.query(
                """
                SELECT body, attempt::text, (lease IS NOT NULL)::text FROM outbox UNION ALL
                SELECT body, reason, '' FROM messages_dead JOIN messages USING (id, created_at) ORDER BY 1
                """)
        }
        #expect(moved == [["dies", "why", ""], ["waits", "0", "false"], ["with a gateway", "2", "true"]])
    }
}
