import HTTP
import Postgres
import TestSupport
import Testing

@testable import People

/// No message goes to somebody whom it no longer concerns, or says what is no longer true.
@Suite(.database) struct RecipientTests {
    /// A gateway's key, a store, and couriers with a device each, named by its place.
    private func team(_ api: ServedProduct, _ count: Int) async throws -> (
        key: String, store: Person, couriers: [Person]
    ) {
        let (store, couriers) = try await api.team(count)
        for (number, courier) in couriers.enumerated() { try await claim("d\(number)", api, courier) }
        return (try await api.key(), store, couriers)
    }

    private func claim(_ device: String, _ api: ServedProduct, _ person: Person) async throws {
        #expect(
            try await api.call("PUT", "/v1/me/devices/\(device)", ["platform": "fcm"], as: person.token).status == 204)
    }

    private func texts(_ api: ServedProduct) async throws -> [[String?]] {
        try await api.execute("SELECT kind, channel, address FROM outbox ORDER BY channel, kind, seq")
    }

    enum Loss: CaseIterable { case claimedByAnother, dropped, signedOut, muted, crowdedOut, unregistered }

    @Test(arguments: Loss.allCases) func `a device that is given up gets nothing more`(_ loss: Loss) async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 2)
            let (ana, ivo) = (couriers[0], couriers[1])
            for _ in 0..<3 { _ = try await api.delivery(of: store, to: [ana]) }
            let others = try await api.delivery(of: store, to: [ivo])
            switch loss {
            case .claimedByAnother: try await claim("d0", api, ivo)
            case .dropped: _ = try await api.call("DELETE", "/v1/me/devices/d0", as: ana.token)
            case .signedOut: _ = try await api.call("DELETE", "/v1/sessions/current?device=d0", as: ana.token)
            case .muted: _ = try await api.call("PATCH", "/v1/me", ["notifications_enabled": false], as: ana.token)
            case .crowdedOut: for number in 0..<20 { try await claim("new\(number)", api, ana) }
            case .unregistered:
                let first = try await api.claim(key, channel: "push").filter { $0["address"] == "d0" }
                #expect(try await api.tell(key, "nack", first, ["reason": "gone", "unregistered": true]) == ["dead"])
                try await api.execute("UPDATE message_queue SET lease = NULL, ready_at = now() - interval '1 minute'")
            }
            let left = try await api.execute("SELECT address, data->>'delivery_id' FROM outbox ORDER BY 1")
            // What has taken its place gets what waited for it.
            let later = left.filter { $0[0]?.hasPrefix("new") == true }
            #expect(left.filter { !later.contains($0) } == [["d1", others]])
            #expect((loss == .crowdedOut) == !later.isEmpty && Set(later).count == later.count)
        }
    }

    @Test func `messages that must arrive go to the number once no device is left`() async throws {
        try await ServedProduct.serving { api in
            let (_, store, couriers) = try await team(api, 1)
            let (ana, stranger) = (couriers[0], try await api.courier())
            try await claim("second", api, ana)
            try await claim("strange", api, stranger)
            let id = try await api.delivery(of: store, to: [ana])
            try await api.act("accept", id, as: ana)
            try await api.act("cancel", id, as: store)
            #expect(
                try await api.post("/v1/invites", ["courier_id": .string(stranger.id)], as: store.token).status == 201)
            #expect(try await texts(api).count == 3)
            _ = try await api.call("DELETE", "/v1/me/devices/d0", as: ana.token)
            #expect(
                try await texts(api) == [["delivery_cancelled", "push", "second"], ["invite", "push", "strange"]])
            _ = try await api.call("DELETE", "/v1/me/devices/second", as: ana.token)
            // An invite is sent in any case.
            _ = try await api.call("PATCH", "/v1/me", ["notifications_enabled": false], as: stranger.token)
            #expect(
                try await texts(api) == [["delivery_cancelled", "sms", ana.login], ["invite", "sms", stranger.login]])
        }
    }

    /// A browser's subscription is renewed, a phone is exchanged: what waits for the old one has not been with the new one.
    @Test(arguments: ["renewed", "exchanged"]) func `what waits for a device goes to the one that comes after it`(
        _ how: String
    ) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func subscribe(_ name: String, _ endpoint: String) async throws {
                let path = "/v1/me/devices/\(name)"
                let answer = try await api.call("PUT", path, Subscription.json(endpoint), as: couriers[0].token)
                #expect(answer.status == 204)
            }
            try await subscribe("page", "https://push.example.com/old")
            let carried = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", carried, as: couriers[0])
            try await api.act("cancel", carried, as: store)
            let offered = try await api.delivery(of: store, to: couriers)
            try await subscribe(how == "renewed" ? "page" : "phone", "https://push.example.com/new")
            if how == "exchanged" { _ = try await api.call("DELETE", "/v1/me/devices/page", as: couriers[0].token) }
            let waiting = try await api.execute(
                "SELECT kind, channel, address, data->>'delivery_id', data ? 'keys' FROM outbox ORDER BY seq")
            let new = "https://push.example.com/new"
            #expect(
                waiting == [
                    ["delivery_cancelled", "push", new, carried, "t"], ["delivery_offered", "push", new, offered, "t"],
                ])
        }
    }

    @Test(arguments: [true, false]) func `what was taken back goes to no other device`(isRefused: Bool) async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 2)
            let id = try await api.delivery(of: store, to: couriers)
            let held = try await api.claim(key, channel: "push").filter { $0["address"] == "d0" }
            #expect(held.map { $0["kind"] } == ["delivery_offered"])
            try await api.act("accept", id, as: couriers[1])
            try await claim("new", api, couriers[0])
            if isRefused {
                #expect(try await api.tell(key, "nack", held, ["reason": "gone", "unregistered": true]) == ["dead"])
            } else {
                _ = try await api.call("DELETE", "/v1/me/devices/d0", as: couriers[0].token)
            }
            #expect(try await api.execute("SELECT FROM outbox WHERE address = 'new'").isEmpty)
        }
    }

    @Test func `a cancellation that no device took goes to the number`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: store)
            let pushes = try await api.claim(key, channel: "push")
            #expect(pushes.map { $0["kind"] } == ["delivery_cancelled"])
            #expect(try await api.tell(key, "nack", pushes, ["reason": "gone", "unregistered": true]) == ["dead"])
            let told = try await api.claim(key)
            #expect(told.map { $0["kind"] } == ["delivery_cancelled"] && told[0]["address"].string == couriers[0].login)
            // A push says what was to be delivered, and an SMS nothing that somebody wrote but names.
            #expect(pushes[0]["body"].string?.contains("Torta") == true)
            #expect(told[0]["body"].string == "Pekara has cancelled a delivery. Do not deliver it.")
            #expect(told[0]["data"] == pushes[0]["data"])
        }
    }

    @Test(arguments: [true, false])
    func `what a store must know goes to its address once no device is left`(isGone: Bool) async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 1)
            try await claim("shop", api, store)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("decline", id, as: couriers[0])
            #expect(try await texts(api) == [["delivery_stranded", "push", "shop"]])
            if isGone {
                let pushes = try await api.claim(key, channel: "push")
                #expect(try await api.tell(key, "nack", pushes, ["reason": "gone", "unregistered": true]) == ["dead"])
            } else {
                _ = try await api.call("DELETE", "/v1/me/devices/shop", as: store.token)
            }
            #expect(try await texts(api) == [["delivery_stranded", "email", store.login]])
        }
    }

    @Test func `a device that changed hands is not forgotten for its former owner`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 2)
            _ = try await api.delivery(of: store, to: [couriers[0]])
            let late = try await api.claim(key, channel: "push")
            try await claim("d0", api, couriers[1])
            #expect(try await api.tell(key, "nack", late, ["reason": "gone", "unregistered": true]) == ["dead"])
            let owners = try await api.execute("SELECT account_id::text FROM devices WHERE token = 'd0'")
            #expect(owners == [[couriers[1].id]])
        }
    }

    /// Giving devices up, reports that they are gone, and withdrawing offers all need the same rows.
    @Test func `changes of devices and offers never deadlock`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 4)
            for round in 0..<15 {
                for (number, courier) in couriers.enumerated() { try await claim("d\(number)", api, courier) }
                var ids: [String] = []
                for _ in 0..<4 { ids.append(try await api.delivery(of: store, to: couriers)) }
                let offers = try await api.claim(key, 100, channel: "push")
                #expect(offers.count == 4)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        _ = try await api.tell(key, "nack", offers.reversed(), ["reason": "x", "unregistered": true])
                    }
                    for (number, courier) in couriers.enumerated() {
                        let (id, theirs) = (ids[(number + round) % 4], "/v1/me/devices/d\(number)")
                        group.addTask {
                            let accepted = try await api.act("accept", id, as: courier)
                            #expect(accepted.status == 200)
                        }
                        group.addTask {
                            let dropped = try await api.call("DELETE", theirs, as: courier.token)
                            #expect([204, 404].contains(dropped.status))
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await api.execute("SELECT FROM devices").isEmpty)
                #expect(try await api.execute("SELECT FROM message_queue WHERE kind = 'delivery_offered'").isEmpty)
            }
            // PostgreSQL reports them a second later.
            try await Task.sleep(for: .milliseconds(1500))
            let deadlocks = try await api.execute(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
            #expect(deadlocks == [["0"]])
        }
    }

    enum Untruth: CaseIterable { case taken, cancelled, declined, removed, ended, deviceDropped }

    @Test(arguments: Untruth.allCases) func `a message that is no longer true gets no other go`(_ untruth: Untruth)
        async throws
    {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 2)
            let (ana, ivo) = (couriers[0], couriers[1])
            let id = try await api.delivery(of: store, to: couriers)
            let offers = try await api.claim(key, channel: "push").filter { $0["address"] == "d0" }
            #expect(try await api.tell(key, "nack", offers, ["reason": "no", "permanent": true]) == ["dead"])
            let retry = "/v1/outbox/dead/\(offers[0]["id"].string ?? "")/retry"
            switch untruth {
            case .taken: try await api.act("accept", id, as: ivo)
            case .cancelled: try await api.act("cancel", id, as: store)
            case .declined: try await api.act("decline", id, as: ana)
            case .removed:
                _ = try await api.call(
                    "PATCH", SampleDelivery.path(id), ["courier_ids": [.string(ivo.id)]], as: store.token)
            case .ended: _ = try await api.call("DELETE", "/v1/partners/\(ana.id)", as: store.token)
            case .deviceDropped: _ = try await api.call("DELETE", "/v1/me/devices/d0", as: ana.token)
            }
            let refused = try await api.post(retry, as: key)
            #expect(refused.status == 410 && refused.code == "gone")
            #expect(
                try await api.execute("SELECT FROM outbox WHERE account_id = '\(ana.id)' AND kind = 'delivery_offered'")
                    .isEmpty)
        }
    }

    @Test func `a message that is still true gets another go`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 1)
            _ = try await api.delivery(of: store, to: couriers)
            let offers = try await api.claim(key, channel: "push")
            #expect(try await api.tell(key, "nack", offers, ["reason": "no", "permanent": true]) == ["dead"])
            #expect(try await api.post("/v1/outbox/dead/\(offers[0]["id"].string ?? "")/retry", as: key).status == 204)
            #expect(try await api.claim(key, channel: "push").map { $0["id"] } == [offers[0]["id"]])
        }
    }

    @Test func `codes that are over are not sent`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let invite = try await api.post("/v1/invites", ["phone": "0911234567"], as: store.token).json
            let form = SamplePeople.courierForm().with(["phone": "0911234567", "invite_code": invite["code"]])
            #expect(try await api.post("/v1/couriers", form).status == 201)
            #expect(try await texts(api).isEmpty)
            // Each request for a new password has a code of its own, and all of them are good.
            for _ in 0..<2 {
                #expect(try await api.post("/v1/password_resets", ["phone": "0911234567"]).status == 202)
            }
            try await eventually { try await texts(api).count == 2 }
        }
    }

    @Test func `a message of web push has the keys to encrypt it with`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.call(
                "PUT", "/v1/me/devices/browser", Subscription.json("https://push.example/x"), as: couriers[0].token)
            _ = try await api.delivery(of: store, to: couriers)
            let messages = try await api.claim(try await api.key(), channel: "push")
            #expect(messages.map { $0["address"] } == ["https://push.example/x"])
            #expect(messages[0]["data"]["keys"] == Subscription.keys)
        }
    }

    @Test func `an offer says nothing of the courier who gave it back`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, couriers) = try await team(api, 2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[1])
            try await api.act("cancel", id, as: couriers[1], ["reason": "guma"])
            let offers = try await api.claim(key, channel: "push").filter { $0["kind"] == "delivery_offered" }
            #expect(offers.map { $0["address"] } == ["d0"])
            #expect(offers[0]["data"].names == ["type", "delivery_id", "store_id", "store_name", "seq"])
        }
    }

    @Test func `a key that is revoked while it waits gets nothing`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            let form: JSON = ["channel": "sms", "max": 1, "lease_seconds": 60, "wait_seconds": 3]
            async let waited = api.post("/v1/outbox/claim", form, as: key)
            // The gateway has been let in.
            try await eventually {
                try await api.execute("SELECT FROM gateway_keys WHERE used_at IS NOT NULL").count == 1
            }
            try await api.execute("UPDATE gateway_keys SET revoked_at = now()")
            try await api.put(to: ["+385911111111"])
            let answer = try await waited
            #expect([200, 401].contains(answer.status) && answer.json["messages"].items.isEmpty)
            #expect(try await api.execute("SELECT attempt FROM outbox") == [["0"]])
        }
    }

    @Test func `a lease is never made shorter`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111"])
            let messages = try await api.claim(key, seconds: 600)
            #expect(try await api.tell(key, "extend", messages, [:], ["lease_seconds": 5]) == ["extended"])
            #expect(try await api.execute("SELECT FROM outbox WHERE ready_at > now() + interval '500 s'").count == 1)
            #expect(try await api.tell(key, "extend", messages, [:], ["lease_seconds": 3600]) == ["extended"])
            #expect(try await api.execute("SELECT FROM outbox WHERE ready_at > now() + interval '3500 s'").count == 1)
        }
    }
}
