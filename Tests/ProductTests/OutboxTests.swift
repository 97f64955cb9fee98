import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Observability

/// The queue as gateways use it over HTTP.
@Suite(.database) struct OutboxTests {
    @Test func `a claimed message is complete and goes to nobody else`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385912222222"])
            let messages = try await api.claim(key)
            #expect(bodies(messages) == ["message 0", "message 1"])
            #expect(
                messages[0].names == [
                    "id", "lease", "kind", "channel", "address", "platform", "language", "title", "body", "data",
                    "attempt",
                    "created_at",
                ])
            #expect(messages[0]["id"].string?.dropFirst(14).first == "7")
            #expect(messages[0]["attempt"] == 1 && messages[0]["data"] == ["n": 0] && messages[0]["platform"] == .null)
            #expect(try await api.claim(key).isEmpty)
            #expect(try await api.tell(key, "ack", messages) == ["done", "done"])
            // A second time is too late.
            #expect(try await api.tell(key, "ack", messages) == ["lost", "lost"])
            #expect(try await api.execute("SELECT FROM outbox").isEmpty)
        }
    }

    @Test func `messages to one address leave one after the other`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111", "+385912222222", "+385911111111"])
            let first = try await api.claim(key)
            #expect(bodies(first) == ["message 0", "message 2"])
            #expect(try await api.claim(key).isEmpty)
            #expect(try await api.tell(key, "ack", [first[0]]) == ["done"])
            let second = try await api.claim(key)
            #expect(bodies(second) == ["message 1"])
            // While it waits for its next try, messages behind it wait, and no others do.
            #expect(
                try await api.tell(key, "nack", second, ["reason": "busy", "retry_after_seconds": 3600]) == ["retry"])
            #expect(try await api.tell(key, "ack", [first[1]]) == ["done"])
            try await api.put(to: ["+385913333333"])
            #expect(bodies(try await api.claim(key)) == ["message 0"])
            try await api.execute("UPDATE message_queue SET ready_at = now() WHERE lease IS NULL")
            let again = try await api.claim(key)
            #expect(bodies(again) == ["message 1"] && again[0]["attempt"] == 2)
        }
    }

    /// The alarm is about gateways that do not come, and not about an address where nothing arrives.
    @Test func `the figures tell how long a gateway could have taken a message`() async throws {
        try await ServedProduct.serving { api in
            func ready() async throws -> Double {
                try await api.database.run(ReadOutboxFigures()).first { $0.channel == "sms" }?.ready ?? -1
            }
            let key = try await api.key()
            #expect(try await ready() == 0)
            try await api.put(to: ["+385911111111", "+385911111111"])
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 hour'")
            #expect(try await ready() >= 3600)
            let first = try await api.claim(key)
            #expect(try await ready() == 0)
            let later: [String: JSON] = ["reason": "busy", "retry_after_seconds": 3600]
            #expect(try await api.tell(key, "nack", first, later) == ["retry"])
            #expect(try await ready() == 0)
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 hour' WHERE attempt = 1")
            #expect(try await ready() >= 3600)
            // A gateway took it and was not heard of again.
            #expect(try await api.claim(key).count == 1)
            try await api.execute(
                "UPDATE message_queue SET ready_at = now() - interval '2 hours' WHERE lease IS NOT NULL")
            #expect(try await ready() >= 7200)
        }
    }

    @Test func `a lease that passed to another is lost`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.key(), try await api.key())
            try await api.put(to: ["+385911111111"])
            let first = try await api.claim(one)
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 second'")
            // It is late, but nobody else has the message.
            #expect(try await api.tell(one, "extend", first, [:], ["lease_seconds": 60]) == ["extended"])
            #expect(try await api.claim(other).isEmpty)
            try await api.execute("UPDATE message_queue SET ready_at = now() - interval '1 second'")
            // The message is found within a second, as if it were committed late.
            let second = try await api.claim(other, wait: 5)
            #expect(second.count == 1 && second[0]["attempt"] == 2 && second[0]["id"] == first[0]["id"])
            #expect(try await api.tell(one, "ack", first) == ["lost"])
            #expect(try await api.tell(one, "nack", first, ["reason": "late"]) == ["lost"])
            #expect(try await api.tell(one, "extend", first, [:], ["lease_seconds": 60]) == ["lost"])
            #expect(try await api.tell(other, "ack", second) == ["done"])
            #expect(try await api.tell(other, "nack", second, ["reason": "after all"]) == ["lost"])
        }
    }

    @Test func `a message that is given up has its reason and another go`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385912222222", "+385913333333"])
            let messages = try await api.claim(key)
            #expect(
                try await api.tell(key, "nack", [messages[0]], ["reason": "no such number", "permanent": true]) == [
                    "dead"
                ])
            try await api.execute(
                "UPDATE message_queue SET attempt = 12 WHERE id IN (SELECT id FROM messages WHERE body = 'message 1')")
            #expect(try await api.tell(key, "nack", [messages[1]], ["reason": "busy"]) == ["dead"])
            try await api.execute(
                "UPDATE message_queue SET expires_at = now() WHERE id IN (SELECT id FROM messages WHERE body = 'message 2')"
            )
            #expect(try await api.tell(key, "nack", [messages[2]], ["reason": "slow"]) == ["dead"])
            let dead = try await api.get("/v1/outbox/dead?limit=2", as: key)
            #expect(dead.items.map { $0["reason"] } == ["slow", "busy"])
            let cursor = try #require(dead.json["next_cursor"].string)
            let forged = try await api.get("/v1/outbox/dead?cursor=bm90IGEgY3Vyc29y", as: key)
            #expect(forged.status == 422 && forged.wrong["cursor"] != nil)
            let rest = try await api.get("/v1/outbox/dead?cursor=\(cursor)", as: key).items
            #expect(rest.map { $0["reason"] } == ["no such number"])
            let path = "/v1/outbox/dead/\(rest[0]["id"].string ?? "")/retry"
            #expect(try await api.post(path, as: key).status == 204)
            #expect(try await api.post(path, as: key).status == 404)
            let again = try await api.claim(key)
            #expect(bodies(again) == ["message 0"] && again[0]["attempt"] == 1)
        }
    }

    @Test func `an expired message is not given out`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111"])
            try await api.execute(
                "UPDATE message_queue SET expires_at = now() WHERE id IN (SELECT id FROM messages WHERE body = 'message 0')"
            )
            #expect(bodies(try await api.claim(key)) == ["message 1"])
            #expect(try await api.get("/v1/outbox/dead", as: key).items.map { $0["reason"] } == ["expired"])
        }
    }

    @Test func `a device that is gone is forgotten`() async throws {
        try await ServedProduct.serving { api in
            let (key, courier) = (try await api.key(), try await api.courier())
            _ = try await api.call("PUT", "/v1/me/devices/gone", ["platform": "fcm"], as: courier.token)
            try await api.put(to: ["gone"], channel: "push")
            let messages = try await api.claim(key, channel: "push")
            #expect(
                try await api.tell(key, "nack", messages, ["reason": "410", "unregistered": true]) == ["dead"])
            #expect(try await api.execute("SELECT FROM devices").isEmpty)
        }
    }

    @Test func `a key has to do with its channels only`() async throws {
        try await ServedProduct.serving { api in
            let (all, push) = (try await api.key(), try await api.key("push"))
            try await api.put(to: ["+385911111111"])
            let form: JSON = ["channel": "sms", "max": 1, "lease_seconds": 60]
            let refused = try await api.post("/v1/outbox/claim", form, as: push)
            #expect(refused.status == 403 && refused.code == "forbidden")
            let messages = try await api.claim(all)
            #expect(try await api.tell(push, "ack", messages) == ["lost"])
            #expect(try await api.tell(push, "nack", messages, ["reason": "x"]) == ["lost"])
            #expect(try await api.tell(push, "extend", messages, [:], ["lease_seconds": 60]) == ["lost"])
            #expect(try await api.tell(all, "nack", messages, ["reason": "x", "permanent": true]) == ["dead"])
            #expect(try await api.get("/v1/outbox/dead", as: push).items.isEmpty)
            let id = try await api.get("/v1/outbox/dead", as: all).items[0]["id"].string ?? ""
            #expect(try await api.post("/v1/outbox/dead/\(id)/retry", as: push).status == 404)
            #expect(try await api.get("/v1/outbox/stats", as: push).json["channels"].items.count == 1)
            try await api.execute("UPDATE gateway_keys SET revoked_at = now()")
            #expect(try await api.post("/v1/outbox/claim", form, as: all).status == 401)
        }
    }

    @Test func `the stats are what there is`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385912222222", "+385913333333", "+385914444444"])
            let messages = try await api.claim(key, 3)
            _ = try await api.tell(key, "ack", [messages[0]])
            _ = try await api.tell(key, "nack", [messages[1]], ["reason": "x", "permanent": true])
            let stats = try await api.get("/v1/outbox/stats", as: key).json["channels"].items
            let sms = try #require(stats.first { $0["channel"] == "sms" })
            #expect(sms["waiting"] == 1 && sms["leased"] == 1 && sms["dead"] == 1 && sms["delivered_last_hour"] == 1)
            let push = try #require(stats.first { $0["channel"] == "push" })
            #expect(push["waiting"] == 0 && push["oldest_age_seconds"] == .null)
        }
    }

    @Test(
        arguments: [
            ("claim", ["channel": "fax", "max": 1, "lease_seconds": 60], ["channel": "invalid_value"]),
            (
                "claim", ["channel": "sms", "max": 501, "lease_seconds": 4],
                ["max": "out_of_range", "lease_seconds": "out_of_range"]
            ),
            ("claim", ["max": "1"], ["channel": "required", "max": "wrong_type", "lease_seconds": "required"]),
            (
                "claim", ["channel": "sms", "max": 1, "lease_seconds": 60, "wait_seconds": 31],
                ["wait_seconds": "out_of_range"]
            ),
            ("ack", [:], ["messages": "required"]), ("ack", ["messages": []], ["messages": "required"]),
            (
                "ack", ["messages": [["id": "x"], 5]],
                [
                    "messages.0.id": "invalid_id", "messages.0.lease": "required", "messages.1": "wrong_type",
                    "messages.1.id": "required", "messages.1.lease": "required",
                ]
            ),
            ("extend", ["messages": []], ["messages": "required", "lease_seconds": "required"]),
        ] as [(String, JSON, [String: String])])
    func `a wrong field is named`(_ call: String, _ body: JSON, _ wrong: [String: String]) async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post("/v1/outbox/\(call)", body, as: try await api.key())
            #expect(answer.status == 422)
            for (field, code) in wrong where !(field.hasPrefix("messages.1.")) {
                #expect(answer.wrong[field] == code, "\(field)")
            }
        }
    }

    @Test func `waiting ends with the first message`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            let (store, couriers) = try await api.team(1)
            _ = try await api.call("PUT", "/v1/me/devices/phone", ["platform": "fcm"], as: couriers[0].token)
            async let waited = api.claim(key, channel: "push", wait: 30)
            try await Task.sleep(for: .milliseconds(300))
            let id = try await api.delivery(of: store, to: couriers)
            let messages = try await waited
            #expect(messages.map { $0["kind"] } == ["delivery_offered"])
            #expect(messages[0]["data"]["delivery_id"].string == id && messages[0]["address"] == "phone")
            #expect(try await api.claim(key, wait: 1).isEmpty)
        }
    }

    @Test func `an offer that a gateway has is not tried again once it is untrue`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            let (store, couriers) = try await api.team(2)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/p\(number)", ["platform": "fcm"], as: courier.token)
            }
            let id = try await api.delivery(of: store, to: couriers)
            let offers = try await api.claim(key, 1, channel: "push")
            try await api.act("accept", id, as: couriers[0])
            // The offer that no gateway had is gone; the other has one try, which is under way.
            #expect(try await api.claim(key, channel: "push").isEmpty)
            #expect(try await api.tell(key, "nack", offers, ["reason": "busy"]) == ["dead"])
        }
    }

    /// Many gateways claim at once, and each message goes to one of them.
    @Test func `each message goes to one of many gateways`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: (0..<60).map { "+38591\(1_000_000 + $0 % 20)" })
            var taken: [String] = []
            while taken.count < 60 {
                let claims = try await together(8) { try await api.claim(key, 10) }
                let messages = claims.flatMap(\.self)
                #expect(Set(messages.compactMap { $0["address"].string }).count == messages.count)
                let results = try await withThrowingTaskGroup(of: [String].self) { group in
                    for claim in claims where !claim.isEmpty {
                        group.addTask { try await api.tell(key, "ack", claim) }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(results.allSatisfy { $0 == "done" })
                taken += messages.compactMap { $0["id"].string }
            }
            #expect(Set(taken).count == 60)
        }
    }
}
