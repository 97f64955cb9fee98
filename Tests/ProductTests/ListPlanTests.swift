import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries
@testable import Feed

/// At a million deliveries, no list reads more than its page, wherever that begins.
@Suite(.database, .timeLimit(.minutes(10))) struct ListPlanTests {
    @Test func `no list reads more than its page`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await fill(api, store, couriers[0])
            let lists: [(name: String, sql: String, owner: String, driving: String)] = [
                ("store", ListOfStore.sql, store.id, "deliveries"),
                ("courier", ListOfCourier.sql, couriers[0].id, "jobs"),
                ("search of store", WalkDeliveries<SearchOfStore>.sql, store.id, "deliveries"),
                ("search of courier", WalkDeliveries<SearchOfCourier>.sql, couriers[0].id, "jobs"),
            ]
            for (name, sql, owner, driving) in lists {
                let isSearch = sql.contains("$7")
                for start in Self.starts {
                    let plan = try await explain(
                        api, sql,
                        [
                            "'\(owner)'", "'\(start.status)'", start.place, "'\(start.id)'", "51",
                            "'\(start.through)'",
                        ] + (isSearch ? ["'nothing of the kind'", "1000"] : []))
                    let read = rows(of: driving, in: plan)
                    #expect(
                        (1...(isSearch ? 1000 : 51)).contains(read),
                        "\(name) from \(start.status): \(read) rows\n\(plan)")
                    #expect(!plan.contains("Seq Scan"), "\(name)\n\(plan)")
                }
            }
            let feed = try await explain(api, ReadFeed<FeedDelivery>.sql, ["'\(store.id)'", "'1970-01-01'", "0", "51"])
            #expect(rows(of: "events", in: feed) <= 51 && !feed.contains("Seq Scan"), "\(feed)")
            let history = try await explain(
                api, ListHistory.sql, ["'018f0000-0000-7000-8000-000000000000'", "0", "51", "true"])
            #expect(!history.contains("Seq Scan"))
        }
    }

    private static let starts = [
        (
            status: "pending", place: "9223372036854775807", id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
            through: "cancelled"
        ),
        (status: "in_progress", place: "0", id: "00000000-0000-7000-8000-000000000000", through: "cancelled"),
        // The middle of the whole list.
        (
            status: "delivered", place: "753815200000000", id: "00000000-0000-7000-8000-000000500000",
            through: "cancelled"
        ),
        // Only pending deliveries, behind half of them.
        (status: "pending", place: "0", id: "00000000-0000-7000-8000-000000500000", through: "pending"),
    ]

    /// A hundred thousand are pending, and the rest is delivered. All belong to one store and one courier.
    private func fill(_ api: ServedProduct, _ store: Person, _ courier: Person) async throws {
        for table in ["deliveries", "jobs"] { try await api.execute("ALTER TABLE \(table) DISABLE TRIGGER ALL") }
        // It is done in parts, so that no connection is silent for too long.
        for part in 0..<20 {
            try await api.execute(
                """
                WITH made AS (
                    INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name,
                        recipient_last_name, recipient_address, description, created_at, updated_at, accepted_at,
                        delivered_at)
                    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '\(store.id)',
                        CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'delivered' END::delivery_status, 1,
                        CASE WHEN n % 10 > 0 THEN '\(courier.id)'::uuid END, ARRAY['\(courier.id)'::uuid], 'Iva', 'Ivić',
                        'Ilica 1', 'Torta', now(), now(), CASE WHEN n % 10 > 0 THEN now() END,
                        CASE WHEN n % 10 > 0 THEN to_timestamp(1700000000 + n) END
                    FROM generate_series(\(part * 50_000 + 1), \((part + 1) * 50_000)) n
                    RETURNING *
                ), opened AS (INSERT INTO jobs
                    SELECT '\(courier.id)', status, id, '\(store.id)',
                        place_in_list(status, due_at, delivered_at, cancelled_at)
                    FROM made)
                INSERT INTO events (account_id, numbered_at, number, type, delivery_id, seq, at)
                SELECT '\(store.id)', date_trunc('milliseconds', now()), \(part * 10_000) + row_number() OVER (),
                    'delivery.created', id, 1, now()
                FROM made LIMIT 10000
                """)
        }
        try await api.execute("ANALYZE deliveries, jobs, events")
    }

    /// The plan and the figures of the statement, prepared as Kurir's sessions prepare it.
    private func explain(_ api: ServedProduct, _ sql: String, _ parameters: [String]) async throws -> String {
        let url = TestDatabase.current.url
        return try await blocking {
            let connection = try BlockingConnection(url: url)
            for setting in [
                "plan_cache_mode = force_generic_plan", "jit = off", "max_parallel_workers_per_gather = 0",
                "enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off",
            ] {
                try connection.execute("SET \(setting)")
            }
            try connection.execute("PREPARE list AS \(sql)")
            let lines = try connection.query(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE list(\(parameters.joined(separator: ", ")))"
            )
            return lines.compactMap { $0[0] }.joined(separator: "\n")
        }
    }

    /// How many rows of a table were read, including those that a filter removed.
    private func rows(of table: String, in plan: String) -> Int {
        let lines = plan.split(separator: "\n")
        guard let place = lines.firstIndex(where: { $0.contains("Scan") && $0.contains(" on \(table) ") }) else {
            return 0
        }
        let read = lines[place].firstMatch(of: /rows=(\d+) loops=(\d+)/).map { Int($0.1)! * Int($0.2)! } ?? 0
        let removed = lines[place...].prefix(5).compactMap { $0.firstMatch(of: /Rows Removed by Filter: (\d+)/) }.first
        return read + (removed.flatMap { Int($0.1) } ?? 0)
    }
}
