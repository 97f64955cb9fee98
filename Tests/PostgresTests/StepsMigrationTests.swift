import Postgres
import Schema
import TestSupport
import Testing

@Suite(.emptyDatabase) struct StepsMigrationTests {
    private static let all = Schema.migrations.map { Migration(file: $0.file, sql: $0.sql) }

    /// What a node of before writes meanwhile is placed, too.
    @Test func `entries of couriers' lists from before get their place, and lists their indexes`() async throws {
        let url = TestDatabase.current.url
        try await blocking {
            try Migrator(Array(Self.all.prefix(21))).migrate(url)
            let connection = try BlockingConnection(url: url)
            try connection.execute(Self.rows)
            var isWritten = false
            var unplaced: [[String?]]?
            try Migrator(
                Self.all, functions: Schema.functions.map { FunctionFile(file: $0.file, sql: $0.sql) }, revision: 1
            ).migrate(
                url,
                filled: { step in
                    guard step.name == "fill_places", !isWritten else { return }
                    unplaced = try? connection.query(
                        "SELECT DISTINCT status FROM jobs WHERE place IS NULL")
                    isWritten = (try? connection.execute(Self.later)) != nil
                })
            #expect(isWritten && unplaced == [["delivered"]])
            for (sql, count) in [
                (
                    """
                    SELECT count(*) FROM jobs j JOIN deliveries d ON d.id = delivery_id
                    WHERE j.place = place_in_list(d.status, due_at, delivered_at, cancelled_at)
                    """, "3001"
                ),
                ("SELECT count(*) FROM jobs", "3001"), ("SELECT count(*) FROM schema_indexes", "0"),
                (
                    """
                    SELECT count(*) FROM pg_index WHERE indisvalid
                        AND indexrelid::regclass::text IN ('deliveries_in_order', 'jobs_in_order', 'jobs_kept')
                    """, "3"
                ),
            ] {
                #expect(try connection.query(sql) == [[count]], "\(sql)")
            }
        }
    }

    private static let id = "('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid"

    private static let rows = """
        INSERT INTO accounts (id, kind, password_hash, language)
            SELECT \(id), CASE n WHEN 9000 THEN 'store' ELSE 'courier' END, '$scrypt$none', 'hr' FROM generate_series(9000, 9001) n;
        INSERT INTO stores (id, email, tax_id, name, address, phone)
            SELECT \(id), 'a@example.com', '12345678903', 'Pekara', 'Ilica 1', '+38514828111' FROM generate_series(9000, 9000) n;
        INSERT INTO couriers (id, first_name, last_name, phone)
            SELECT \(id), 'Ana', 'Anić', '+385911234567' FROM generate_series(9001, 9001) n;
        """ + deliveries("1, 3000")

    private static let later = deliveries("3001, 3001")

    private static func deliveries(_ range: String) -> String {
        """
        INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name,
            recipient_last_name, recipient_address, description, created_at, updated_at, due_at, accepted_at, delivered_at)
        SELECT \(id), s.id, CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'delivered' END::delivery_status, 1,
            CASE WHEN n % 2 = 1 THEN c.id END, ARRAY[c.id], 'Iva', 'Ivić', 'Ilica ' || n, 'Torta', now(), now(),
            CASE WHEN n % 4 = 0 THEN now() + n * interval '1 second' END,
            CASE WHEN n % 2 = 1 THEN now() END, CASE WHEN n % 2 = 1 THEN now() - n * interval '1 second' END
        FROM stores s, couriers c, generate_series(\(range)) n;
        INSERT INTO jobs (courier_id, status, delivery_id, store_id)
            SELECT candidates[1], status, id, store_id FROM deliveries ON CONFLICT DO NOTHING;
        """
    }
}
