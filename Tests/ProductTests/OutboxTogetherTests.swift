import HTTP
import TestSupport
import Testing

/// Two transactions change the same messages: one has not committed yet when the other comes.
@Suite(.database) struct OutboxTogetherTests {
    /// An offer to one courier who has a phone, not taken yet.
    private func offer(_ api: ServedProduct) async throws -> (store: Person, courier: Person, id: String) {
        let (store, couriers) = try await api.team(1)
        _ = try await api.call("PUT", "/v1/me/devices/phone", ["platform": "fcm"], as: couriers[0].token)
        return (store, couriers[0], try await api.delivery(of: store, to: couriers))
    }

    @Test func `a withdrawal sees the claim that it waited for`() async throws {
        try await ServedProduct.serving { api in
            let (_, courier, id) = try await offer(api)
            let gateway = try await OpenTransaction.begin()
            let claimed = try await gateway.query("SELECT id, lease FROM outbox_claim('push', 1, 60)")
            try #require(claimed.count == 1)
            async let accepted = api.act("accept", id, as: courier)
            try await api.untilSomebodyWaits()
            try await gateway.commit()
            #expect(try await accepted.status == 200)
            // It was sent out already, so it stays until its gateway answers, and is not tried again.
            let held: JSON = ["id": .string(claimed[0][0] ?? ""), "lease": .string(claimed[0][1] ?? "")]
            #expect(try await api.tell(try await api.key(), "nack", [held], ["reason": "busy"]) == ["dead"])
        }
    }

    @Test func `a withdrawal sees the lease that was extended meanwhile`() async throws {
        try await ServedProduct.serving { api in
            let (_, courier, id) = try await offer(api)
            let key = try await api.key()
            let held = try await api.claim(key, channel: "push")
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 second'")
            let gateway = try await OpenTransaction.begin()
            let extended = try await gateway.query(
                "SELECT result FROM message_queue, outbox_extend(ARRAY[message_queue.id], ARRAY[lease], 60)")
            #expect(extended == [["extended"]])
            async let accepted = api.act("accept", id, as: courier)
            try await api.untilSomebodyWaits()
            try await gateway.commit()
            #expect(try await accepted.status == 200)
            #expect(try await api.tell(key, "ack", held) == ["done"])
        }
    }

    @Test func `a lapsed lease of an invite is withdrawn with it`() async throws {
        try await ServedProduct.serving { api in
            let (key, store) = (try await api.key(), try await api.store())
            let invite = try await api.post("/v1/invites", ["phone": "091 765-4321"], as: store.token).json
            let held = try await api.claim(key)
            try #require(held.count == 1)
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 second'")
            let path = "/v1/invites/\(invite["id"].string ?? "")"
            #expect(try await api.call("DELETE", path, as: store.token).status == 204)
            #expect(try await api.claim(key).isEmpty)
            #expect(try await api.tell(key, "ack", held) == ["lost"])
        }
    }

    @Test func `an ack beside its own extension is done`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111"])
            let held = try await api.claim(key)
            let gateway = try await OpenTransaction.begin()
            try await gateway.query("SELECT outbox_extend(ARRAY[id], ARRAY[lease], 60) FROM message_queue")
            async let acked = api.tell(key, "ack", held)
            try await api.untilSomebodyWaits()
            try await gateway.commit()
            #expect(try await acked == ["done"])
            #expect(try await api.execute("SELECT FROM message_queue").isEmpty)
        }
    }

    /// Gateways count what they did. If they counted in the same rows, they would wait for each other, or deadlock.
    @Test func `gateways of the same channels do not wait for each other`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385912222222"])
            try await api.put(to: ["one", "other"], channel: "push")
            let texts = try await api.claim(key)
            let pushes = try await api.claim(key, channel: "push")
            let slow = try await OpenTransaction.begin()
            for held in [texts[0], pushes[0]] {
                let (id, lease) = (held["id"].string ?? "", held["lease"].string ?? "")
                let acked = try await slow.query("SELECT result FROM outbox_ack('{\(id)}', '{\(lease)}')")
                #expect(acked == [["done"]])
            }
            // It is answered although the other one has not committed.
            #expect(try await api.tell(key, "ack", [pushes[1]]) == ["done"])
            #expect(
                try await api.tell(key, "nack", [texts[1]], ["reason": "no such number", "permanent": true]) == [
                    "dead"
                ])
            try await slow.commit()
            let counted = try await api.execute(
                "SELECT what, sum(count) FROM message_counts GROUP BY what ORDER BY what")
            #expect(counted == [["dead", "1"], ["delivered", "3"]])
        }
    }
}
