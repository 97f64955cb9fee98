import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// Accounts that an operator blocks, and lets in again.
@Suite(.database) struct BlockTests {
    private static let event = JSONB(utf8: Array(#"{"kind":"account.blocked","detail":{"as":"Ana"}}"#.utf8))

    private func block(_ person: Person, _ kind: AccountKind, _ api: ServedProduct) async throws {
        try await Departure.block(try #require(ID(person.id)), kind, noting: Self.event, api.database)
    }

    private func unblock(_ person: Person, _ api: ServedProduct) async throws {
        try await Departure.unblock(try #require(ID(person.id)), noting: Self.event, api.database)
    }

    private func ids(_ path: String, _ person: Person, _ api: ServedProduct) async throws -> Set<String> {
        Set(try await api.get(path, as: person.token).items.compactMap { $0["id"].string })
    }

    @Test func `who is blocked is signed out, and told so with the right password alone`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            try await block(courier, .courier, api)
            #expect(try await api.get("/v1/me", as: courier.token).status == 401)
            let wrong = try await api.signIn(courier.login, "not the password")
            #expect(wrong.status == 401 && wrong.code == "wrong_credentials")
            let right = try await api.signIn(courier.login)
            #expect(right.status == 403 && right.code == "blocked")
            #expect(try await api.execute("SELECT count(*) FROM sessions") == [["0"]])
            await #expect(throws: Departure.Refusal.isSo) { try await block(courier, .courier, api) }
            try await unblock(courier, api)
            #expect(try await api.signIn(courier.login).status == 201)
            await #expect(throws: Departure.Refusal.isSo) { try await unblock(courier, api) }
            let noted = try await api.execute("SELECT detail->>'as' FROM audit WHERE kind = 'account.blocked'")
            #expect(noted == [["Ana"], ["Ana"]])
        }
    }

    @Test func `what a blocked courier has goes to others, and counts for nothing`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (gone, other) = (couriers[0], couriers[1])
            for courier in couriers {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            }
            let carried = try await api.delivery(of: store, to: couriers)
            let offered = try await api.delivery(of: store, to: couriers)
            let elsewhere = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", carried, as: gone)
            try await api.act("accept", elsewhere, as: other)
            try await block(gone, .courier, api)
            #expect(try await ids("/v1/deliveries?status=pending", other, api) == [carried, offered])
            // What was under way is open again, which the store hears wherever it is.
            #expect(try await api.kinds(to: store.login) == ["delivery_returned"])
            let states = try await api.get(SampleDelivery.path(offered), as: store.token).json["candidates"].items
            #expect(states.map { $0["courier_id"].string } == [other.id])
            let history = try await api.get(SampleDelivery.path(carried, "history"), as: store.token).items
            #expect(history.last?["action"] == "release" && history.last?["status"] == "pending")
            #expect(try await api.execute("SELECT cancelled FROM couriers WHERE id = '\(gone.id)'") == [["0"]])
            #expect(try await api.execute("SELECT FROM message_queue WHERE account_id = '\(gone.id)'") == [])
            // It is not offered what comes back, and not found for what is new.
            #expect(try await api.act("cancel", elsewhere, as: other).status == 200)
            #expect(try await api.execute("SELECT FROM jobs WHERE courier_id = '\(gone.id)'") == [])
            #expect(try await ids("/v1/couriers", store, api) == [other.id])
            #expect(try await ids("/v1/partners", store, api) == [other.id])
            let made = try await api.post("/v1/deliveries", SampleDelivery.form(to: [gone]), as: store.token)
            #expect(made.wrong == ["courier_ids": "not_partner"])
            try await api.expectConsistency()
            try await unblock(gone, api)
            #expect(try await ids("/v1/partners", store, api) == [gone.id, other.id])
            _ = try await api.delivery(of: store, to: [gone])
        }
    }

    @Test func `nobody sees what a blocked store offers, and what is under way goes on`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            let hidden = try await api.delivery(of: store, to: couriers)
            let delivered = try await api.delivery(of: store, to: [ana])
            let returned = try await api.delivery(of: store, to: couriers)
            for id in [delivered, returned] { try await api.act("accept", id, as: ana) }
            try await block(store, .store, api)
            #expect(try await ids("/v1/deliveries", ivo, api) == [])
            #expect(try await ids("/v1/deliveries", ana, api) == [delivered, returned])
            #expect(try await ids("/v1/deliveries?status=pending&q=torta", ivo, api) == [])
            #expect(try await ids("/v1/partners", ivo, api) == [])
            for (path, method) in [("", "GET"), ("history", "GET"), ("accept", "POST"), ("decline", "POST")] {
                #expect(try await api.call(method, SampleDelivery.path(hidden, path), as: ivo.token).status == 404)
            }
            try await api.numberEvents()
            let told = try await api.get("/v1/events", as: ivo.token).items.filter {
                $0["delivery_id"].string == hidden
            }
            #expect(told.last?["type"] == "delivery.withdrawn")
            #expect(told.allSatisfy { !$0["delivery"].names.contains("recipient") })
            #expect(try await api.act("deliver", delivered, as: ana).status == 200)
            // What comes back is hidden, too.
            #expect(try await api.act("cancel", returned, as: ana).status == 200)
            #expect(try await ids("/v1/deliveries", ivo, api) == [])
            #expect(try await api.execute("SELECT FROM message_queue WHERE kind = 'delivery_offered'") == [])
            try await unblock(store, api)
            #expect(try await ids("/v1/deliveries", ivo, api) == [hidden, returned])
            #expect(try await api.act("accept", hidden, as: ivo).status == 200)
            try await api.numberEvents()
            let types = try await api.get("/v1/events", as: ivo.token).items
                .filter { $0["delivery_id"].string == hidden }.compactMap { $0["type"].string }
            #expect(types == ["delivery.offered", "delivery.withdrawn", "delivery.offered", "delivery.accepted"])
        }
    }

    @Test func `a blocked store gets no mail about what is under way`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let other = try await api.store()
            try await api.join(other, couriers[0])
            for (sender, isBlocked) in [(store, true), (other, false)] {
                let id = try await api.delivery(of: sender, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                if isBlocked { try await block(sender, .store, api) }
                try await api.execute("UPDATE deliveries SET due_at = now(), late_at = now() WHERE id = '\(id)'")
                try await eventually {
                    try await api.execute("SELECT FROM deliveries WHERE id = '\(id)' AND late_at IS NULL").count == 1
                }
                try await api.act("fail", id, as: couriers[0], ["reason": "nobody_home"])
                let kinds = try await api.kinds(to: sender.login)
                #expect(isBlocked ? kinds.isEmpty : kinds.contains("delivery_late"), "\(kinds)")
            }
        }
    }

    @Test func `turns of what a blocked store offers are told to nobody`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers, ["offer": ["mode": "in_turn"]])
            try await block(store, .store, api)
            try await api.execute("UPDATE delivery_extras SET turn_at = now()")
            try await eventually {
                try await api.execute("SELECT FROM delivery_extras WHERE turn_id = '\(couriers[1].id)'").count == 1
            }
            try await api.numberEvents()
            #expect(try await api.get("/v1/events", as: couriers[1].token).items.isEmpty)
            try await unblock(store, api)
            // Whoever had its turn meanwhile learns of it now.
            try await api.expectEvents(["delivery.offered"], of: couriers[1], about: id)
            try await api.expectConsistency()
        }
    }

    @Test func `invites of whoever is blocked are void`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            try await block(store, .store, api)
            let redeemed = try await api.post("/v1/partners", ["code": made["code"]], as: courier.token)
            #expect(redeemed.status == 410 && redeemed.code == "code_revoked")
            #expect(try await api.execute("SELECT FROM message_queue WHERE kind = 'invite'") == [])
            // One that somehow is open is good for nothing, either.
            try await api.execute("UPDATE invites SET state = 'open'")
            #expect(
                try await api.post("/v1/partners", ["code": made["code"]], as: courier.token).code == "code_revoked")
        }
    }

    /// The block is under way, and what comes meanwhile waits for its end.
    private func during(
        _ block: String, _ api: ServedProduct, _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let blocking = try await OpenTransaction.begin()
        try await blocking.query(block)
        async let answer = body()
        try await api.untilSomebodyWaits()
        try await blocking.commit()
        return try await answer
    }

    @Test func `who accepts while the store is blocked comes before it, or not at all`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let late = try await during("SELECT step_back('\(store.id)')::text", api) {
                try await api.act("accept", id, as: couriers[0])
            }
            #expect(late.status == 404)
            #expect(try await api.execute("SELECT status, version FROM deliveries") == [["pending", "1"]])
        }
    }

    @Test func `who accepts while it is blocked itself has nothing afterwards`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<8 {
                let id = try await api.delivery(of: store, to: couriers)
                async let accepted = api.act("accept", id, as: couriers[0])
                async let blocked: Void = block(couriers[0], .courier, api)
                _ = try await (accepted, blocked)
                #expect(try await api.execute("SELECT FROM jobs") == [])
                #expect(try await api.execute("SELECT status FROM deliveries WHERE id = '\(id)'") == [["pending"]])
                try await unblock(couriers[0], api)
                try await api.execute(
                    """
                    INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
                    VALUES (gen_random_uuid(), '\(couriers[0].id)', sha256('\(couriers[0].token)'), now() + interval '1 day', '::1')
                    """)
            }
            try await api.expectConsistency()
        }
    }

    @Test func `no session begins while an account is blocked`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            let answer = try await during(
                """
                WITH blocked AS (UPDATE accounts SET blocked_at = now() WHERE id = '\(courier.id)')
                SELECT step_back('\(courier.id)')::text
                """, api
            ) { try await api.signIn(courier.login) }
            #expect(answer.status == 403 && answer.code == "blocked")
            #expect(try await api.execute("SELECT count(*) FROM sessions") == [["0"]])
        }
    }

    @Test func `nobody joins a store while it is blocked`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            let joined = try await during("SELECT step_back('\(store.id)')::text", api) {
                try await api.post("/v1/partners", ["code": made["code"]], as: courier.token)
            }
            #expect(joined.status == 410)
            #expect(try await api.execute("SELECT FROM partners") == [])
        }
    }
}
