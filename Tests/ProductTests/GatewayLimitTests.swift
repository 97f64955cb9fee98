import Glibc
import HTTP
import Postgres
import TestSupport
import Testing

/// Gateways in the database are bound like those that come with a key.
@Suite(.database) struct GatewayLimitTests {
    /// A role of a gateway that can sign in, while `body` works with it: roles belong to all databases.
    private func withRole(_ api: ServedProduct, _ body: (_ role: String, _ url: String) async throws -> Void)
        async throws
    {
        let role = "gateway_" + api.server.address.port.description
        try await api.execute("CREATE ROLE \(role) LOGIN IN ROLE kurir_gateway")
        let url = TestDatabase.current.url.replacing("//kurir@", with: "//\(role)@")
        let result = await Result { try await body(role, url) }
        try await api.execute("DROP ROLE \(role)")
        try result.get()
    }

    private func limit(_ api: ServedProduct, _ role: String, to channels: String) async throws {
        try await api.execute(
            """
            INSERT INTO gateway_keys (id, name, channels, role)
            VALUES (uuid_v7(), 'ours', string_to_array('\(channels)', ','), '\(role)')
            """)
    }

    private func query(_ url: String, _ sql: String) async throws -> [[String?]] {
        try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    @Test func `a role takes messages of its channels alone`() async throws {
        try await ServedProduct.serving { api in
            try await withRole(api) { role, url in
                try await api.put(to: ["+385911111111"])
                try await api.put(to: ["a@kurir.example"], channel: "email")
                let held = try await api.execute("SELECT id, lease FROM outbox_claim('email', 1, 60)")[0]
                try await limit(api, role, to: "sms")
                #expect(try await query(url, "SELECT address FROM outbox_claim('sms', 1, 60)") == [["+385911111111"]])
                await #expect(throws: PostgresError.self) {
                    try await query(url, "SELECT FROM outbox_claim('email', 1, 60)")
                }
                let (id, lease) = (held[0] ?? "", held[1] ?? "")
                for call in [
                    "outbox_ack('{\(id)}', '{\(lease)}')", "outbox_extend('{\(id)}', '{\(lease)}', 60)",
                    #"outbox_nack('[{"id": "\#(id)", "lease": "\#(lease)", "reason": "x"}]')"#,
                ] {
                    #expect(try await query(url, "SELECT result FROM \(call)") == [["lost"]])
                }
                #expect(try await api.execute("SELECT used_at IS NOT NULL FROM gateway_keys") == [["t"]])
            }
        }
    }

    @Test func `a role whose time is over takes nothing, and one without limits everything`() async throws {
        try await ServedProduct.serving { api in
            try await withRole(api) { role, url in
                try await api.put(to: ["+385911111111"])
                try await limit(api, role, to: "sms")
                for end in ["revoked_at = now()", "revoked_at = NULL, expires_at = now()"] {
                    try await api.execute("UPDATE gateway_keys SET \(end)")
                    await #expect(throws: PostgresError.self, "\(end)") {
                        try await query(url, "SELECT FROM outbox_claim('sms', 1, 60)")
                    }
                }
                try await api.execute("DELETE FROM gateway_keys")
                #expect(try await query(url, "SELECT address FROM outbox_claim('sms', 1, 60)") == [["+385911111111"]])
            }
        }
    }

    @Test func `a key ends on its day`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key("sms")
            try await api.put(to: ["+385911111111", "+385912222222"])
            try await api.execute("UPDATE gateway_keys SET expires_at = now() + interval '1 hour'")
            #expect(try await api.claim(key, 1).count == 1)
            try await api.execute("UPDATE gateway_keys SET expires_at = now()")
            let form: JSON = ["channel": "sms", "max": 1, "lease_seconds": 60]
            #expect(try await api.post("/v1/outbox/claim", form, as: key).status == 401)
        }
    }

    /// Whatever it does with messages holds them until it commits.
    @Test(arguments: [
        "outbox_take('sms', 1, 60)", "outbox_ack('{%}', '{%}')", "outbox_extend('{%}', '{%}', 60)",
        #"outbox_nack('[{"id": "%", "lease": "%", "reason": "x"}]')"#,
    ])
    func `a gateway's session is ended ten seconds after it forgets its transaction`(_ call: String) async throws {
        try await ServedProduct.serving { api in
            try await withRole(api) { _, url in
                try await blocking {
                    let gateway = try BlockingConnection(url: url)
                    let call = call.replacing("%", with: "01a1fc35-081c-7c93-9601-9d67685da334")
                    try gateway.execute("BEGIN; SELECT FROM \(call)")
                    #expect(try gateway.query("SHOW idle_in_transaction_session_timeout") == [["10s"]])
                }
            }
        }
    }

    /// Everybody would wait for the messages that it has taken.
    @Test func `a gateway that forgets its transaction is ended`() async throws {
        try await ServedProduct.serving { api in
            try await withRole(api) { _, url in
                try await api.put(to: ["+385911111111"])
                let watcher = TestDatabase.current.url
                try await blocking {
                    let (forgetful, others) = (try BlockingConnection(url: url), try BlockingConnection(url: watcher))
                    try forgetful.execute("BEGIN; SELECT FROM outbox_claim('sms', 1, 60)")
                    #expect(try forgetful.query("SHOW idle_in_transaction_session_timeout") == [["10s"]])
                    let process = try forgetful.query("SELECT pg_backend_pid()")[0][0] ?? ""
                    #expect(try others.query("SELECT FROM outbox_claim('sms', 1, 60)").isEmpty)
                    for _ in 0..<1200 {
                        if try others.query("SELECT FROM pg_stat_activity WHERE pid = \(process)").isEmpty { break }
                        usleep(50_000)
                    }
                    #expect(throws: PostgresError.self) { try forgetful.query("SELECT") }
                }
                #expect(try await api.execute("SELECT address FROM outbox_claim('sms', 1, 60)") == [["+385911111111"]])
                // The server's own sessions are not bound by it.
                try await api.execute("SELECT FROM outbox_claim('sms', 1, 60)")
                let own = try await api.execute("SHOW idle_in_transaction_session_timeout")
                #expect(own != [["10s"]])
            }
        }
    }
}
