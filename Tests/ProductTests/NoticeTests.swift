import Domain
import Foundation
import HTTP
import TestSupport
import Testing

/// A store sees who was told what, and is itself told of what needs a hand.
@Suite(.database) struct NoticeTests {
    private func notices(_ api: ServedProduct, _ id: String, _ store: Person) async throws -> [JSON] {
        try await api.get("/v1/deliveries/\(id)/notices", as: store.token).items
    }

    private func states(_ notices: [JSON]) -> [[String?]] {
        notices.map { [$0["kind"].string, $0["channel"].string, $0["to"]["name"].string, $0["state"].string] }
    }

    @Test func `how each message stands is told`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            for name in ["d0", "d1"] {
                _ = try await api.call("PUT", "/v1/me/devices/\(name)", ["platform": "fcm"], as: couriers[0].token)
            }
            let id = try await api.delivery(of: store, to: couriers)
            let offered = ["delivery_offered", "push", "Ana Anić"]
            #expect(try await states(notices(api, id, store)) == [offered + ["waiting"], offered + ["waiting"]])
            let taken = try await api.claim(key, channel: "push")
            #expect(try await Set(states(notices(api, id, store)).map { $0[3] }) == ["with_gateway"])
            _ = try await api.tell(key, "ack", [taken[0]])
            _ = try await api.tell(key, "nack", [taken[1]], ["reason": "no such device", "permanent": true])
            let told = try await notices(api, id, store)
            #expect(Set(told.compactMap { $0["state"].string }) == ["arrived", "given_up"])
            let dead = try #require(told.first { $0["state"].string == "given_up" })
            #expect(dead["reason"].string == "no such device" && dead["attempts"].integer == 1)
            let second = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", second, as: couriers[0])
            #expect(
                try await states(notices(api, second, store)).filter { $0[0] == "delivery_offered" }.map { $0[3] }
                    == ["withdrawn", "withdrawn"])
        }
    }

    @Test func `pages follow each other`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(7)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: courier.token)
            }
            let id = try await api.delivery(of: store, to: couriers)
            var (pages, cursor) = ([Int](), "")
            repeat {
                let page = try await api.get("/v1/deliveries/\(id)/notices?limit=3" + cursor, as: store.token).json
                pages.append(page["items"].items.count)
                cursor = page["next_cursor"].string.map { "&cursor=" + $0 } ?? ""
            } while !cursor.isEmpty
            #expect(pages == [3, 3, 1])
        }
    }

    /// A delivery that nobody is left for.
    private func strand(_ api: ServedProduct, _ store: Person, _ courier: Person) async throws -> String {
        let id = try await api.delivery(of: store, to: [courier])
        try await api.act("decline", id, as: courier)
        return id
    }

    /// Has the next gathered mail be due now.
    private func hurry(_ api: ServedProduct) async throws {
        try await api.execute("UPDATE gathered_mails SET next_at = now()")
        try await api.execute("UPDATE message_queue SET ready_at = now() WHERE kind = 'delivery_stranded'")
    }

    private func told(_ mail: JSON) -> Int {
        (mail["body"].string ?? "").components(separatedBy: "has no courier left").count - 1
    }

    @Test func `a store without a device hears by mail what needs a hand, at once and then gathered`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            let before = try #require(try await api.execute("SELECT clock_timestamp()")[0][0])
            _ = try await strand(api, store, couriers[0])
            let first = try await api.claim(key, channel: "email")
            #expect(first.map { $0["kind"] } == ["delivery_stranded"])
            let wait = """
                SELECT next_at - interval '5 minutes' BETWEEN '\(before)'::timestamptz AND clock_timestamp() FROM gathered_mails
                """
            #expect(try await api.execute(wait) == [["t"]])
            _ = try await api.tell(key, "ack", first)
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await strand(api, store, couriers[0])) }
            #expect(try await api.claim(key, channel: "email").isEmpty)
            #expect(try await states(notices(api, ids[2], store)).map { $0[3] } == ["waiting"])
            // What is asked for meanwhile does not wait for it.
            _ = try await api.post("/v1/password_resets", ["email": .string(store.login)])
            #expect(try await api.claim(key, channel: "email", wait: 10).map { $0["kind"] } == ["password_reset"])
            try await hurry(api)
            let gathered = try await api.claim(key, channel: "email")
            #expect(gathered.count == 1 && gathered[0]["title"].string == "No courier left (+2)")
            #expect(told(gathered[0]) == 3)
            for id in ids { #expect(try await states(notices(api, id, store)).map { $0[3] } == ["with_gateway"]) }
            _ = try await api.tell(key, "ack", gathered)
            for id in ids { #expect(try await states(notices(api, id, store)).map { $0[3] } == ["arrived"]) }
            // The next one waits its five minutes, too.
            _ = try await strand(api, store, couriers[0])
            #expect(try await api.claim(key, channel: "email").isEmpty)
        }
    }

    @Test func `what has become untrue is in no gathered mail, and takes nothing else with it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            _ = try await strand(api, store, couriers[0])
            _ = try await api.tell(key, "ack", api.claim(key, channel: "email"))
            var ids: [String] = []
            for _ in 0..<4 { ids.append(try await strand(api, store, couriers[0])) }
            // The first and one in the middle are taken after all.
            for id in [ids[0], ids[2]] { try await api.act("accept", id, as: couriers[0]) }
            try await hurry(api)
            let gathered = try await api.claim(key, channel: "email")
            #expect(gathered.count == 1 && gathered[0]["title"].string == "No courier left (+1)")
            #expect(told(gathered[0]) == 2)
            for id in ids {
                let state = id == ids[0] || id == ids[2] ? "withdrawn" : "with_gateway"
                let alerts = try await states(notices(api, id, store)).filter { $0[0] == "delivery_stranded" }
                #expect(alerts.map { $0[3] } == [state])
            }
            // Once a gateway has it, it goes on for the sake of what is still so.
            try await api.act("accept", ids[1], as: couriers[0])
            #expect(
                try await api.tell(key, "nack", gathered, ["reason": "busy", "retry_after_seconds": 0]) == ["retry"])
            let again = try await api.claim(key, channel: "email", wait: 10)
            #expect(again.map { $0["body"] } == gathered.map { $0["body"] })
            #expect(try await api.tell(key, "nack", again, ["reason": "no", "permanent": true]) == ["dead"])
            let retry = "/v1/outbox/dead/\(again[0]["id"].string ?? "")/retry"
            #expect(try await api.post(retry, as: key).status == 204)
            #expect(try await api.claim(key, channel: "email", wait: 10).map { $0["id"] } == again.map { $0["id"] })
        }
    }

    @Test func `a store with a device gets no mail, and one that wants no notices gets none`() async throws {
        try await ServedProduct.serving { api in
            for form in [nil, ["notifications_enabled": false]] as [JSON?] {
                let (store, couriers) = try await api.team(1)
                if let form {
                    _ = try await api.call("PATCH", "/v1/me", form, as: store.token)
                } else {
                    _ = try await api.call("PUT", "/v1/me/devices/shop", ["platform": "fcm"], as: store.token)
                }
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("decline", id, as: couriers[0])
                #expect(try await states(notices(api, id, store)).map { $0[1] } == (form == nil ? ["push"] : []))
            }
        }
    }

    @Test func `what needs a hand, and nothing else, goes by mail to a store without a device`() async throws {
        try await ServedProduct.serving { api in
            var mailed: Set<NotificationKind> = []
            for kind in NotificationKind.allCases
            where try await api.execute("SELECT reach_of('\(kind.rawValue)')") == [["else_email"]] {
                mailed.insert(kind)
            }
            #expect(
                mailed == [
                    .deliveryStranded, .deliveryReturned, .deliveryLate, .deliveryUnaccepted, .attemptFailed,
                    .cancellationContested,
                ])
        }
    }

    /// Gateways that come at the same moment send one mail, with everything in it, once.
    @Test func `what strands at the same moment is gathered without loss`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(20)
            let key = try await api.key()
            var ids: [String] = []
            for courier in couriers { ids.append(try await api.delivery(of: store, to: [courier])) }
            let claimed = try await withThrowingTaskGroup(of: [JSON].self) { group in
                for (id, courier) in zip(ids, couriers) {
                    group.addTask {
                        let answer = try await api.act("decline", id, as: courier)
                        #expect(answer.status == 200)
                        return try await api.claim(key, channel: "email")
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claimed.count == 1)
            #expect(try await api.tell(key, "ack", claimed) == ["done"])
            #expect(try await api.claim(key, channel: "email").isEmpty)
            try await hurry(api)
            let rest = try await api.claim(key, channel: "email")
            #expect(rest.count <= 1 && (claimed + rest).map(told).reduce(0, +) == 20)
        }
    }
}
