import HTTP
import TestSupport
import Testing

/// Messages to browsers are Kurir's own to send, while it does.
@Suite(.database) struct LaneTests {
    private func subscribed(_ api: ServedProduct) async throws -> (store: Person, couriers: [Person]) {
        let (store, couriers) = try await api.team(1)
        _ = try await api.call(
            "PUT", "/v1/me/devices/browser", Subscription.json("https://push.example/1"), as: couriers[0].token)
        _ = try await api.call("PUT", "/v1/me/devices/phone", ["platform": "fcm"], as: couriers[0].token)
        return (store, couriers)
    }

    private func take(_ api: ServedProduct, _ channel: String) async throws -> [[String?]] {
        try await api.execute("SELECT platform, expires_at IS NULL FROM outbox_take('\(channel)', 10, 60)")
    }

    @Test func `others get messages to browsers only while no node sends them`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await subscribed(api)
            let key = try await api.key("push")
            _ = try await api.delivery(of: store, to: couriers)
            let all = try await api.claim(key, channel: "push")
            #expect(Set(all.compactMap { $0["platform"].string }) == ["fcm", "webpush"])
            #expect(all.allSatisfy { $0["channel"].string == "push" })
            #expect(try await api.tell(key, "ack", all) == ["done", "done"])
            // A node asks for them.
            #expect(try await take(api, "webpush").isEmpty)
            _ = try await api.delivery(of: store, to: couriers)
            #expect(try await api.claim(key, channel: "push").map { $0["platform"] } == ["fcm"])
            #expect(try await take(api, "webpush") == [["webpush", "t"]])
            let stats = try await api.get("/v1/outbox/stats", as: key).json["channels"].items
            #expect(stats.first { $0["channel"] == "push" }?["leased"] == .integer(2))
            // None does any more.
            try await api.execute("UPDATE channel_claims SET claimed_at = now() - interval '6 minutes'")
            _ = try await api.delivery(of: store, to: couriers)
            try await api.execute("UPDATE message_queue SET lease = NULL, ready_at = now(), attempt = 0")
            #expect(try await api.claim(key, channel: "push").count == 2)
        }
    }

    @Test func `push is live while anybody sends it`() async throws {
        try await ServedProduct.serving { api in
            func isLive() async throws -> JSON { try await api.get("/v1/about").json["channels"]["push"] }
            #expect(try await isLive() == "silent")
            _ = try await take(api, "webpush")
            #expect(try await isLive() == "live")
        }
    }

    @Test(arguments: [
        "https://10.0.0.1/x", "https://127.0.0.1/x", "https://[::1]/x", "https://localhost/x", "https://push/x",
        "https://push.internal/x", "http://push.example/x", "https://user@push.example/x", "https://2130706433/",
        "https://0x7f.1/", "ftp://push.example/", "push.example", "https://push..example/x", "https://push.example:0/x",
        "https://[::ffff:10.0.0.1]/x", "https://push.example.:443/x",
    ])
    func `an endpoint of a network of one's own is refused`(_ endpoint: String) async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let answer = try await api.call(
                "PUT", "/v1/me/devices/browser", Subscription.json(endpoint), as: courier.token)
            #expect(answer.status == 422 && answer.code == "bad_endpoint")
            #expect(answer.wrong == ["endpoint": "bad_endpoint"])
            // Beside others it is one of what is wrong.
            let both = try await api.call(
                "PUT", "/v1/me/devices/browser", Subscription.json("http://x").without("keys"), as: courier.token)
            #expect(both.code == "validation_failed" && both.wrong["endpoint"] == "bad_endpoint")
        }
    }

    @Test func `keys that are none are refused`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let form = Subscription.json("https://push.example/1").with(["keys": ["p256dh": "BPk", "auth": "s3"]])
            let answer = try await api.call("PUT", "/v1/me/devices/browser", form, as: courier.token)
            #expect(answer.status == 422 && answer.wrong == ["keys": "invalid_value"])
        }
    }

    @Test func `a browser belongs to whoever claims it last, and is given up by its name`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.courier(), try await api.courier())
            for person in [one, other] {
                let claimed = try await api.call(
                    "PUT", "/v1/me/devices/browser", Subscription.json("https://push.example/1"), as: person.token)
                #expect(claimed.status == 204)
            }
            #expect(try await api.execute("SELECT account_id::text, name FROM devices") == [[other.id, "browser"]])
            #expect(try await api.call("DELETE", "/v1/me/devices/browser", as: one.token).status == 404)
            #expect(
                try await api.call("DELETE", "/v1/sessions/current?device=browser", as: other.token).status == 204)
            #expect(try await api.execute("SELECT FROM devices").isEmpty)
        }
    }
}
