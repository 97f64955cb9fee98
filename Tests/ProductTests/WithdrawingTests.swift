import HTTP
import Postgres
import TestSupport
import Testing

@testable import Outbox

/// Every kind of message that became untrue is withdrawn in the same way: one that waits is removed, and one that a
/// gateway has is not tried again.
@Suite(.database) struct WithdrawingTests {
    /// The result for the gateway that holds a message and could not send it.
    private func outcome(_ key: String, _ held: [JSON], _ api: ServedProduct) async throws -> [String] {
        try await api.tell(key, "nack", held, ["reason": "busy", "retry_after_seconds": 0])
    }

    private func waiting(_ api: ServedProduct) async throws -> [[String?]] {
        try await api.execute("SELECT kind FROM outbox WHERE lease IS NULL")
    }

    private func invite(_ store: Person, _ courier: Person, _ api: ServedProduct) async throws -> JSON {
        try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
    }

    @Test func `an invite that is revoked is not tried again`() async throws {
        try await ServedProduct.serving { api in
            let (key, store) = (try await api.key(), try await api.store())
            let invites = [
                try await invite(store, api.courier(), api), try await invite(store, api.courier(), api),
            ]
            let held = try await api.claim(key, 1)
            #expect(held.count == 1)
            for invite in invites {
                let revoked = try await api.call("DELETE", "/v1/invites/\(invite["id"].string ?? "")", as: store.token)
                #expect(revoked.status == 204)
            }
            #expect(try await waiting(api) == [])
            #expect(try await outcome(key, held, api) == ["dead"])
        }
    }

    @Test func `an invite that is redeemed is not tried again`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, courier) = (try await api.key(), try await api.store(), try await api.courier())
            let code = try await invite(store, courier, api)["code"]
            let held = try await api.claim(key)
            #expect(try await api.post("/v1/partners", ["code": code], as: courier.token).status == 201)
            #expect(try await outcome(key, held, api) == ["dead"])
        }
    }

    @Test func `an invite revoked by the end of a partnership is not tried again`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, courier) = (try await api.key(), try await api.store(), try await api.courier())
            _ = try await invite(store, courier, api)
            let held = try await api.claim(key)
            try await api.join(store, courier)
            #expect(try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token).status == 204)
            #expect(try await outcome(key, held, api) == ["dead"])
        }
    }

    @Test func `when a code is used, it and the others are not tried again`() async throws {
        try await ServedProduct.serving { api in
            let (key, courier) = (try await api.key(), try await api.courier())
            func ask() async throws {
                let asked = try await api.post("/v1/password_resets", ["phone": .string(courier.login)])
                #expect(asked.status == 202)
            }
            try await ask()
            let first = try await api.claim(key)
            #expect(try await api.tell(key, "ack", first) == ["done"])
            try await ask()
            try await ask()
            let second = try await api.claim(key)
            #expect(second.count == 1)
            let used = try await api.call(
                "PUT", "/v1/password_resets",
                [
                    "phone": .string(courier.login), "code": second[0]["data"]["code"],
                    "new_password": "palačinke-s-orasima",
                ])
            #expect(used.status == 204)
            #expect(try await outcome(key, second, api) == ["dead"])
            #expect(try await api.execute("SELECT FROM outbox WHERE kind = 'password_reset'").isEmpty)
        }
    }

    @Test func `an offer that is taken is not tried again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for courier in couriers {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            }
            let key = try await api.key()
            let (taken, kept) = (
                try await api.delivery(of: store, to: couriers), try await api.delivery(of: store, to: couriers)
            )
            let held = try await api.claim(key, 1, channel: "push")
            try await api.act("accept", taken, as: couriers[0])
            #expect(try await outcome(key, held, api) == ["dead"])
            // The other delivery's messages are not affected.
            let left = try await api.execute("SELECT subject FROM outbox WHERE kind = 'delivery_offered'")
            #expect(left == [[kept], [kept]])
        }
    }

    /// Nobody serves the channel, but expired and too old messages are still given up.
    @Test func `a message that nobody takes is given up by age`() async throws {
        try await ServedProduct.serving { api in
            try await api.put(to: ["+385911111111", "+385911111112", "+385911111113", "+385911111114"])
            try await api.execute(
                "UPDATE message_queue SET expires_at = now() WHERE id = (SELECT min(id::text)::uuid FROM message_queue)"
            )
            // One is as old as its id, which contains its time.
            try await api.execute(
                """
                UPDATE message_queue SET id = first_uuid(now() - interval '40 days')
                WHERE id = (SELECT max(id::text)::uuid FROM message_queue)
                """)
            // The gateway that has a message decides what becomes of it.
            try await api.execute(
                """
                UPDATE message_queue SET expires_at = now(), lease = gen_random_uuid(), ready_at = now() + interval '1 minute'
                WHERE id = (SELECT id FROM message_queue WHERE expires_at IS NULL ORDER BY id DESC LIMIT 1)
                """)
            #expect(try await api.database.run(BuryOutdated(days: 30)) == [2])
            #expect(try await api.database.run(BuryOutdated(days: 30)) == [0])
            #expect(try await api.execute("SELECT count(*) FROM message_queue") == [["2"]])
            #expect(try await api.execute("SELECT DISTINCT reason FROM messages_dead") == [["expired"]])
        }
    }
}
