import Postgres
import Schema
import TestSupport
import Testing

@Suite(.emptyDatabase) struct WordsMigrationTests {
    private static let all = Schema.migrations.map { Migration(file: $0.file, sql: $0.sql) }

    /// Three thousand existing deliveries and couriers are found afterwards, even if the process that filled in their
    /// words died on the way. What others wrote meanwhile stays.
    @Test func `the words of rows from before are filled in`() async throws {
        let url = TestDatabase.current.url
        try await blocking {
            try Migrator(Array(Self.all.prefix(12))).migrate(url)
            let connection = try BlockingConnection(url: url)
            try connection.execute(Self.people)
            try connection.execute(Self.deliveries)
            // The first process ends after its first step.
            try connection.execute(Self.all[12].sql)
            try connection.execute("SELECT continue_backfill('fill_words_of_deliveries')")
            _ = try connection.query(
                """
                INSERT INTO schema_migrations (number, file, checksum)
                VALUES (13, $1, encode(sha256(convert_to($2, 'UTF8')), 'hex'))
                """, [Self.all[12].file, Self.all[12].sql])
            // Meanwhile somebody edits a delivery that is not filled in yet.
            try connection.execute("UPDATE deliveries SET description = 'Kruh' WHERE reference = 'R2999'")
            var steps: [Backfill] = []
            try Migrator(Self.all).migrate(url, filled: { if $0.name.hasPrefix("fill_words") { steps.append($0) } })
            #expect(
                steps.map { "\($0.name) \($0.rows.map(String.init) ?? "all")" } == [
                    "fill_words_of_couriers 1000", "fill_words_of_couriers 2000", "fill_words_of_couriers 3000",
                    "fill_words_of_couriers all", "fill_words_of_deliveries 2000", "fill_words_of_deliveries 3000",
                    "fill_words_of_deliveries all",
                ])
            for (sql, count) in [
                (
                    "SELECT count(*) FROM deliveries d JOIN delivery_words w ON delivery_id = id "
                        + "WHERE words = words_of_delivery(d.store_id, recipient_first_name, recipient_last_name, recipient_address, "
                        + "recipient_phone, description, instructions, reference)", "3000"
                ),
                ("SELECT count(*) FROM delivery_words", "3000"),
                (
                    "SELECT count(*) FROM couriers c JOIN courier_words w ON courier_id = id "
                        + "WHERE words = (words_of_courier(c, store_id)).words", "3010"
                ),
                ("SELECT count(*) FROM courier_words", "3010"), ("SELECT count(*) FROM schema_backfills", "0"),
            ] {
                #expect(try connection.query(sql) == [[count]], "\(sql)")
            }
        }
    }

    /// Ending a partnership while its words are being filled in waits for them, and removes them.
    @Test func `no words are filled in for a partnership that ends meanwhile`() async throws {
        let url = TestDatabase.current.url
        try await blocking {
            try Migrator(Array(Self.all.prefix(12))).migrate(url)
            let (filling, ending) = (try BlockingConnection(url: url), try BlockingConnection(url: url))
            try filling.execute(Self.people)
            try filling.execute(Self.all[12].sql)
            try filling.execute("BEGIN; SELECT continue_backfill('fill_words_of_couriers')")
            let end = "DELETE FROM partners WHERE courier_id = (SELECT courier_id FROM partners ORDER BY 1 LIMIT 1)"
            do {
                try ending.execute("SET lock_timeout = '50ms'; " + end)
                Issue.record("it did not wait")
            } catch PostgresError.refused(let error) {
                #expect(error.state == .lockNotAvailable)
            }
            try filling.execute("COMMIT")
            try ending.execute(end)
            #expect(
                try ending.query("SELECT count(*) FROM courier_words WHERE store_id IS NOT NULL")
                    == ending.query("SELECT count(*) FROM partners"))
        }
    }

    private static let id = "('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid"

    private static let people = """
        INSERT INTO accounts (id, kind, password_hash, language)
            SELECT \(id), 'courier', '$scrypt$none', 'hr' FROM generate_series(1, 3000) n;
        INSERT INTO couriers (id, first_name, last_name, phone)
            SELECT \(id), 'Ana' || n, 'Anić' || n, '+38590' || 20000000 + n FROM generate_series(1, 3000) n;
        INSERT INTO accounts (id, kind, password_hash, language)
            SELECT \(id), 'store', '$scrypt$none', 'hr' FROM generate_series(9000, 9000) n;
        INSERT INTO stores (id, email, tax_id, name, address, phone)
            SELECT \(id), 'a@example.com', '12345678903', 'Pekara', 'Ilica 1', '+38514828111' FROM generate_series(9000, 9000) n;
        INSERT INTO partners (store_id, courier_id) SELECT s.id, c.id FROM stores s, (SELECT id FROM couriers LIMIT 10) c;
        """

    private static let deliveries = """
        INSERT INTO deliveries (id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
            recipient_address, description, reference, created_at, updated_at)
        SELECT \(id), s.id, 'pending', 1, '{}', 'Iva', 'Ivić', 'Ilica ' || n, 'Torta', 'R' || n, now(), now()
        FROM stores s, generate_series(1, 3000) n;
        """
}
