import HTTP
import Postgres
import TestSupport
import Testing

/// The queue as gateways use it over SQL.
@Suite(.database) struct OutboxSQLTests {
    /// The code of PostgreSQL's error for a statement with that role; nil when there is none.
    private func error(as role: String, _ sql: String) async throws -> String? {
        let transaction = try await OpenTransaction.begin(as: role)
        do {
            try await transaction.query(sql)
            return nil
        } catch PostgresError.refused(let error) {
            return error.state.code
        }
    }

    @Test func `the role of gateways may call the functions`() async throws {
        try await ServedProduct.serving { api in
            try await api.put(to: ["+385911111111"])
            let gateway = try await OpenTransaction.begin(as: "kurir_gateway")
            let claimed = try await gateway.query("SELECT id, lease, body FROM outbox_claim('sms', 10, 60)")
            try #require(claimed.count == 1 && claimed[0][2] == "message 0")
            let held = "'{\(claimed[0][0] ?? "")}', '{\(claimed[0][1] ?? "")}'"
            #expect(try await gateway.query("SELECT result FROM outbox_extend(\(held), 60)") == [["extended"]])
            #expect(try await gateway.query("SELECT result FROM outbox_nack('[]')").isEmpty)
            #expect(try await gateway.query("SELECT result FROM outbox_ack(\(held))") == [["done"]])
        }
    }

    @Test func `the role of gateways may do nothing else`() async throws {
        try await ServedProduct.serving { api in
            let views: Set = ["message_routes", "outbox"]
            let tables = try await api.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' UNION SELECT viewname FROM pg_views WHERE schemaname = 'public'"
            ).compactMap { $0[0] }
            #expect(tables.count > 15)
            let forbidden =
                tables.flatMap {
                    views.contains($0) ? ["SELECT FROM \($0)"] : ["SELECT FROM \($0)", "DELETE FROM \($0)"]
                } + [
                    "SELECT bury_messages('sms', ARRAY[gen_random_uuid()], 'x')", "SELECT outbox_pause(1)",
                    "CREATE TABLE mine (a int)",
                    "SELECT nextval('message_queue_seq_seq')", "SELECT message_partitions(0)",
                    "SELECT setval('queue_start_sms', 1)",
                    // PostgreSQL allows these to everybody by default.
                    "SELECT uuid_v7()", "SELECT throttle('{}', '{}', '{}')", "SELECT message_way('sms', 'x')",
                    "SELECT lo_create(0)", "SELECT withdraw_pushes(gen_random_uuid(), '{}')",
                ]
            for sql in forbidden {
                #expect(try await error(as: "kurir_gateway", sql) == "42501", "\(sql)")
            }
        }
    }

    /// Anybody may make temporary tables. If the functions found one, its triggers would run as the owner.
    @Test func `the functions do not touch what the role brings along`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            _ = try await api.call("PUT", "/v1/me/devices/phone", ["platform": "fcm"], as: courier.token)
            try await api.put(to: ["phone"], channel: "push")
            let gateway = try await OpenTransaction.begin(as: "kurir_gateway")
            try await gateway.query("CREATE TEMP TABLE fooled (who text)")
            try await gateway.query(
                """
                CREATE FUNCTION pg_temp.fool() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO pg_temp.fooled SELECT current_user; RETURN NULL; END $$
                """)
            let tables = ["devices", "message_queue", "messages", "messages_dead", "messages_done", "message_counts"]
            for table in tables {
                try await gateway.query("CREATE TEMP TABLE \(table) (id uuid, token text)")
                try await gateway.query("GRANT ALL ON pg_temp.\(table) TO PUBLIC")
                try await gateway.query(
                    """
                    CREATE TRIGGER fool AFTER INSERT OR UPDATE OR DELETE ON pg_temp.\(table)
                    FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.fool()
                    """)
            }
            let claimed = try await gateway.query("SELECT id, lease FROM outbox_claim('push', 1, 60)")
            try #require(claimed.count == 1)
            let nacked = try await gateway.query(
                """
                SELECT result FROM outbox_nack('[{"id": "\(claimed[0][0] ?? "")", "lease": "\(claimed[0][1] ?? "")",
                    "unregistered": true, "reason": "410"}]')
                """)
            #expect(nacked == [["dead"]])
            #expect(try await gateway.query("SELECT who FROM pg_temp.fooled").isEmpty)
            try await gateway.commit()
            #expect(try await api.execute("SELECT FROM devices").isEmpty)
            // Each of them, including future ones, searches the schema before temporary objects.
            let loose = try await api.execute(
                """
                SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace
                    AND NOT coalesce('search_path=public, pg_temp' = ANY (proconfig), false)
                """)
            #expect(loose.isEmpty)
        }
    }

    @Test(
        arguments: [
            "outbox_claim('sms', 0, 60)", "outbox_claim('sms', 501, 60)", "outbox_claim('sms', NULL, 60)",
            "outbox_claim('sms', 1, 4)", "outbox_claim('sms', 1, 3601)", "outbox_claim('sms', 1, NULL)",
            "outbox_extend('{}', '{}', 4)", "outbox_extend('{}', '{}', 3601)", "outbox_extend('{}', '{}', NULL)",
        ])
    func `a call that is out of bounds is refused`(_ call: String) async throws {
        try await ServedProduct.serving { _ in
            let state = try await error(as: "kurir_gateway", "SELECT * FROM \(call)")
            #expect(state == "22023")
        }
    }

    @Test func `a pause is never longer than a day`() async throws {
        try await ServedProduct.serving { api in
            try await api.put(to: ["+385911111111", "+385912222222"])
            let gateway = try await OpenTransaction.begin(as: "kurir_gateway")
            for (claimed, seconds) in zip(
                try await gateway.query("SELECT id, lease FROM outbox_claim('sms', 2, 60)"), [2_147_483_647, -1])
            {
                let nacked = try await gateway.query(
                    """
                    SELECT result FROM outbox_nack('[{"id": "\(claimed[0] ?? "")", "lease": "\(claimed[1] ?? "")",
                        "retry_after_seconds": \(seconds), "reason": "busy"}]')
                    """)
                #expect(nacked == [["retry"]])
            }
            try await gateway.commit()
            let pauses = try await api.execute(
                "SELECT ready_at - now() BETWEEN '0 s' AND '86400 s' FROM message_queue ORDER BY seq")
            #expect(pauses == [["t"], ["t"]])
        }
    }

    @Test func `a wrong lease does not spoil the right one`() async throws {
        try await ServedProduct.serving { api in
            try await api.put(to: ["+385911111111"])
            let gateway = try await OpenTransaction.begin(as: "kurir_gateway")
            let held = try await gateway.query("SELECT id, lease FROM outbox_claim('sms', 1, 60)")[0].compactMap(\.self)
            let ids = "'{\(held[0]), \(held[0]), \(held[0])}'"
            let leases = "ARRAY[gen_random_uuid(), '\(held[1])', NULL]"
            #expect(
                try await gateway.query("SELECT result FROM outbox_extend(\(ids), \(leases), 60)") == [
                    ["lost"], ["extended"], ["lost"],
                ])
            #expect(
                try await gateway.query("SELECT result FROM outbox_ack(\(ids), \(leases))") == [
                    ["lost"], ["done"], ["lost"],
                ])
        }
    }
}

/// Only the migrations can do this, because a copy of a database does not have it.
@Suite(.emptyDatabase) struct GatewayRoleTests {
    @Test func `the role of gateways may make nothing temporary`() async throws {
        let url = TestDatabase.current.url
        try await blocking { try Migrator(.all).migrate(url) }
        let gateway = try await OpenTransaction.begin(as: "kurir_gateway")
        await #expect(throws: PostgresError.self) { try await gateway.query("CREATE TEMP TABLE mine (a int)") }
    }
}
