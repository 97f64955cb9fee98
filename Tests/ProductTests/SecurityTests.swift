import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

/// Security events: what is noted, who sees it, and that nobody changes it or fills the disk with it.
@Suite(.database) struct SecurityTests {
    private func signIn(_ api: ServedProduct, _ form: JSON, _ password: String) async throws -> Answer {
        try await api.post("/v1/sessions", ["email": form["email"], "password": .string(password)])
    }

    private func kinds(_ api: ServedProduct, as token: String) async throws -> [String] {
        try await api.get("/v1/me/security", as: token).items.compactMap { $0["kind"].string }
    }

    @Test func `an account sees what happened to it, and nobody else does`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.storeForm()
            let registered = try await api.post("/v1/stores", form)
            let token = try #require(registered.json["session"]["token"].string)
            for _ in 0..<3 { #expect(try await signIn(api, form, "wrong-password").status == 401) }
            let other = try #require(try await signIn(api, form, SamplePeople.password).json["token"].string)
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: other).status == 204)
            let change: JSON = ["current_password": "wrong-password", "new_password": "palačinke-s-orasima"]
            #expect(try await api.call("PUT", "/v1/me/password", change, as: token).status == 422)
            #expect(
                try await api.call(
                    "PUT", "/v1/me/password", change.with(["current_password": .string(SamplePeople.password)]),
                    as: token
                ).status == 204)
            try await api.execute("UPDATE stores SET email = 'new@example.com'")
            #expect(
                try await kinds(api, as: token) == [
                    "email.changed", "password.changed", "password.failed", "session.ended", "session.created",
                    "session.failed", "session.created",
                ])
            let items = try await api.get("/v1/me/security", as: token).items
            #expect(items.first { $0["kind"] == "session.failed" }?["count"] == 3)
            #expect(items.filter { $0["kind"] != "email.changed" }.allSatisfy { $0["address"] == "127.0.0.1" })
            let stranger = try await api.store()
            #expect(try await kinds(api, as: stranger.token).isEmpty)
            // Page by page it is the same.
            let page = try await api.get("/v1/me/security?limit=4", as: token)
            let cursor = try #require(page.json["next_cursor"].string)
            let rest = try await api.get("/v1/me/security?limit=4&cursor=\(cursor)", as: token)
            #expect(page.items + rest.items == items)
        }
    }

    @Test func `what is proven, guessed, undone, blocked and stopped is noted, and names no place`() async throws {
        try await ServedProduct.serving(looseness: 1, verifies: true) { api in
            let courier = try await api.registerCourier()
            #expect(try await api.confirm("000000", as: courier).status == 422)
            #expect(try await api.confirm(try await api.code(to: courier.login), as: courier).status == 200)
            let place = SamplePeople.phone()
            #expect(try await api.change(phone: place, as: courier).status == 202)
            #expect(try await api.confirm(try await api.code(to: place), as: courier).status == 200)
            try await api.execute("SELECT stop_sms('\(place)')")
            #expect(
                try await kinds(api, as: courier.token) == [
                    "sms.stopped", "login.proven", "phone.changed", "login.proven", "code.failed", "session.created",
                ])
            let url = try await api.execute("SELECT data->>'url' FROM outbox WHERE kind = 'login_changed'")[0][0] ?? ""
            #expect(try await api.post("/undo/" + (url.split(separator: "/").last ?? "")).status == 200)
            while try await api.signIn(courier.login, "wrong-password").status == 401 {}
            let noted = try await api.execute(
                """
                SELECT e::text FROM audit e WHERE kind = 'login.undone'
                UNION ALL SELECT e::text FROM audit_failures e WHERE kind = 'session.blocked'
                """)
            #expect(noted.count == 2)
            let all = try await api.execute(
                "SELECT e::text FROM audit e UNION ALL SELECT e::text FROM audit_failures e")
            #expect(!all.contains { $0[0]?.contains("+385") == true })
        }
    }

    /// Who was meant is told by a hash, the same for each spelling of a name, and never by the name.
    @Test func `a failure tells from where, and of whom without a name`() async throws {
        try await ServedProduct.serving { api in
            for name in ["Somebody@example.com", "somebody@EXAMPLE.com", "else@example.com"] {
                #expect(try await signIn(api, ["email": .string(name)], "wrong-password").status == 401)
            }
            let rows = try await api.execute(
                "SELECT address, length(who), count, account_id FROM audit_failures ORDER BY id")
            #expect(rows == [["127.0.0.1", "16", "2", nil], ["127.0.0.1", "16", "1", nil]])
            let all = try await api.execute("SELECT e::text FROM audit_failures e")
            #expect(!all.contains { $0[0]?.lowercased().contains("example") == true })
        }
    }

    @Test func `nothing is noted of what did not happen`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let session = try await api.get("/v1/sessions", as: store.token).items[0]["id"].string ?? ""
            #expect(try await api.call("DELETE", "/v1/sessions/\(session)", as: courier.token).status == 404)
            #expect(try await api.execute("SELECT FROM audit").isEmpty)
        }
    }

    /// Each of them claims another address and another name.
    @Test func `strangers cannot fill the disk with failures`() async throws {
        try await ServedProduct.serving { api in
            try await api.execute(
                """
                SELECT note_failure('session.failed', NULL, n::text, substr(sha256(n::text::bytea), 1, 16))
                FROM generate_series(1, 2000) n
                """)
            let counted = try await api.execute("SELECT count(*) <= 501, sum(count) FROM audit_failures")
            #expect(counted == [["t", "2000"]])
            let rest = try await api.execute("SELECT count FROM audit_failures WHERE address = '' AND who = ''")
            #expect(rest == [["1500"]])
            // They become lines when their hour is over.
            try await api.execute("UPDATE audit_failures SET hour = hour - interval '1 hour'")
            try await api.database.run(RenewAudit())
            #expect(try await api.execute("SELECT count(*), sum(count) FROM audit") == [["501", "2000"]])
            #expect(try await api.execute("SELECT FROM audit_failures").isEmpty)
        }
    }

    /// So many failures, each of another name.
    private func fail(
        _ api: ServedProduct, _ count: Int, at account: String = "NULL", from address: String
    ) async throws {
        try await api.execute(
            """
            SELECT note_failure('session.failed', \(account), \(address), substr(sha256(n::text::bytea), 1, 16))
            FROM generate_series(1, \(count)) n
            """)
    }

    @Test func `one address has fifty lines, and one more for all others whom it meant`() async throws {
        try await ServedProduct.serving { api in
            try await fail(api, 200, from: "'192.0.2.7'")
            try await fail(api, 1, from: "'192.0.2.8'")
            let lines = try await api.execute(
                "SELECT address, who = '', count(*), sum(count) FROM audit_failures GROUP BY 1, 2 ORDER BY 1, 2")
            #expect(
                lines == [
                    ["192.0.2.7", "f", "50", "50"], ["192.0.2.7", "t", "1", "150"], ["192.0.2.8", "f", "1", "1"],
                ])
        }
    }

    /// The attack: whoever is about to guess makes so much noise that nothing is told apart any more.
    @Test func `what is tried at an account is not hidden behind what is tried elsewhere`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.storeForm()
            let registered = try await api.post("/v1/stores", form)
            let store = try #require(registered.json["account"]["id"].string)
            let token = try #require(registered.json["session"]["token"].string)
            try await fail(api, 2000, from: "n::text")
            // Neither at nobody's nor at another account.
            try await fail(api, 100, at: "'\(try await api.store().id)'", from: "n::text || '.'")
            #expect(try await signIn(api, form, "wrong-password").status == 401)
            let seen = try await api.get("/v1/me/security", as: token).items.first { $0["kind"] == "session.failed" }
            #expect(seen?["address"] == "127.0.0.1")
            let lines = try await api.execute(
                """
                SELECT count(*) FROM audit_failures WHERE account_id IS NOT NULL GROUP BY account_id = '\(store)' ORDER BY 1
                """)
            #expect(lines == [["1"], ["20"]])
        }
    }

    @Test func `what is noted is not rewritten, and kept for 400 days`() async throws {
        try await ServedProduct.serving { api in
            try await api.execute(
                """
                INSERT INTO audit (id, at, kind)
                SELECT overlay(uuid_v7()::text PLACING left(first_uuid(now() - make_interval(days => d))::text, 13) FROM 1)::uuid,
                    now() - make_interval(days => d), 'test.days_' || CASE d WHEN 399 THEN 'few' ELSE 'many' END
                FROM unnest('{399,401}'::integer[]) d
                """)
            for change in [
                "UPDATE audit SET count = 2", "DELETE FROM audit WHERE kind = 'test.days_few'", "TRUNCATE audit",
            ] {
                let database = TestDatabase.current
                await #expect(throws: PostgresError.self, "\(change)") {
                    try await blocking { try database.connect().execute(change) }
                }
            }
            #expect(try await api.database.run(RenewAudit()) == [false])
            #expect(try await api.execute("SELECT kind FROM audit") == [["test.days_few"]])
        }
    }
}
