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

    @Test func `a store without a device hears by mail what needs a hand, at once and then gathered`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            func strand() async throws -> String {
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("decline", id, as: couriers[0])
                return id
            }
            _ = try await strand()
            let first = try await api.claim(key, channel: "email")
            #expect(first.map { $0["kind"] } == ["delivery_stranded"])
            _ = try await api.tell(key, "ack", first)
            let ids = [try await strand(), try await strand(), try await strand()]
            #expect(try await api.claim(key, channel: "email").isEmpty)
            #expect(try await states(notices(api, ids[2], store)).map { $0[3] } == ["waiting"])
            // What is asked for meanwhile does not wait for it.
            _ = try await api.post("/v1/password_resets", ["email": .string(store.login)])
            #expect(try await api.claim(key, channel: "email", wait: 10).map { $0["kind"] } == ["password_reset"])
            try await api.execute("UPDATE message_queue SET ready_at = now() WHERE kind = 'delivery_stranded'")
            let gathered = try await api.claim(key, channel: "email")
            #expect(gathered.count == 1 && gathered[0]["title"].string == "No courier left (+2)")
            #expect(gathered[0]["body"].string?.components(separatedBy: "has no courier left").count == 4)
            _ = try await api.tell(key, "ack", gathered)
            for id in ids { #expect(try await states(notices(api, id, store)).map { $0[3] } == ["arrived"]) }
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

    /// Whoever is first opens the mail, and all others are in it, once.
    @Test func `what strands at the same moment is gathered without loss`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(20)
            var ids: [String] = []
            for courier in couriers { ids.append(try await api.delivery(of: store, to: [courier])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (id, courier) in zip(ids, couriers) {
                    group.addTask {
                        let answer = try await api.act("decline", id, as: courier)
                        #expect(answer.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            let mails = try await api.execute("SELECT body FROM outbox WHERE channel = 'email' ORDER BY ready_at")
            #expect(mails.count == 2)
            let told = mails.compactMap { $0[0] }.map { $0.components(separatedBy: "has no courier left").count - 1 }
            #expect(told == [1, 19])
        }
    }
}
