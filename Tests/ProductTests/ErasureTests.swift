import Domain
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// Who leaves is forgotten, and what they were part of goes on.
@Suite(.database) struct ErasureTests {
    private static let event = JSONB(utf8: Array(#"{"kind":"account.erased"}"#.utf8))

    private func leave(_ person: Person, _ api: ServedProduct, _ password: String = SamplePeople.password) async throws
        -> Answer
    {
        try await api.call("DELETE", "/v1/me", ["current_password": .string(password)], as: person.token)
    }

    /// Erases an account as an operator does.
    private func erase(_ person: Person, _ kind: AccountKind, _ api: ServedProduct) async throws {
        let id = try #require(ID(person.id))
        _ = try await Departure.leave(id, kind, in: 0, noting: Self.event, api.database)
        while try await Departure.erase(id, in: api.database) {}
    }

    private func dump() async throws -> String {
        let file = TemporaryDirectory.path("dump")
        let made = try await Program.run("pg_dump", ["-d", TestDatabase.current.url, "-f", file])
        try #require(made.code == 0, "\(made.complained)")
        return try String(contentsOfFile: file, encoding: .utf8).lowercased()
    }

    /// A store and its courier, all of whose words are their own, with whatever they can leave behind.
    private func world(_ api: ServedProduct) async throws -> (store: Person, courier: Person, delivered: String) {
        let store = try await api.registerStore([
            "name": "Zqstore", "address": "Zqstreet 7", "email": "zqmail@example.com", "phone": "+38514444777",
        ])
        let opening: JSON = ["opening_hours": "Zqhours", "location": ["lat": .number(45.1), "lon": .number(16.2)]]
        #expect(try await api.call("PATCH", "/v1/me", opening, as: store.token).status == 200)
        let courier = try await api.registerCourier("+385915566778", ["first_name": "Xwfirst", "last_name": "Xwlast"])
        for person in [store, courier] {
            _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
        }
        for (person, name) in [(store, "Zqplace"), (courier, "Xwplace")] {
            let kept: JSON = ["name": .string(name), "address": "Ilica 1", "note": .string(name)]
            let made = try await api.post("/v1/places", kept, as: person.token)
            _ = try await api.call("PUT", "/v1/places/selected", ["id": made.json["id"]], as: person.token)
        }
        for (person, title, lat) in [(store, "Zqroad", 45.5), (courier, "Xwroad", 46.5)] {
            let road: JSON = [
                "kind": "closure", "road_type": "city", "title": .string(title),
                "location": ["lat": .number(lat), "lon": 16],
            ]
            #expect(try await api.post("/v1/roads", road, as: person.token).status == 201)
        }
        let theirs = try await api.get("/v1/roads?near=45.5,16&radius_m=100", as: courier.token).items[0]["id"]
        #expect(try await api.post("/v1/roads/\(theirs.string ?? "")/gone", [:], as: courier.token).status == 200)
        let licence: JSON = ["raw": "B-123", "kind": "licence", "title": "Vozačka"]
        #expect(try await api.post("/v1/me/credentials", licence, as: courier.token).status == 201)
        let news: JSON = ["title": "Zqnews", "text": "Zqwords", "link": "https://zqlink.example", "urgent": true]
        #expect(try await api.post("/v1/bulletin", news, as: store.token).status == 201)
        let invite = try await api.post("/v1/invites", ["phone": "+385915566778"], as: store.token).json
        #expect(try await api.post("/v1/partners", ["code": invite["code"]], as: courier.token).status == 201)
        _ = try await api.post("/v1/invites", ["phone": "+385917770001"], as: store.token)
        let recipient: JSON = [
            "first_name": "Zqfirst", "last_name": "Zqlast", "address": "Zqlane 3", "phone": "+385918887766",
        ]
        var ids: [String] = []
        for number in 1...4 {
            let form = SampleDelivery.form(
                to: [courier],
                [
                    "recipient": recipient, "description": "Zqcake", "instructions": "Zqring",
                    "reference": .string("Zqref\(number)"),
                ])
            let made = try await api.post(
                "/v1/deliveries", form, as: store.token, headers: ["Idempotency-Key": "zqkey\(number)"])
            ids.append(made.json["id"].string ?? "")
        }
        try await api.act("accept", ids[0], as: courier, headers: ["Idempotency-Key": "xwkey"])
        try await api.act("deliver", ids[0], as: courier, ["note": "Xwnote"])
        try await api.act("accept", ids[1], as: courier)
        try await api.act("cancel", ids[1], as: courier, ["reason": "Xwreason", "note": "Xwnote"])
        try await api.act("cancel", ids[2], as: store, ["reason": "Zqreason", "note": "Zqnote"])
        _ = try await api.post("/v1/password_resets", ["email": "zqmail@example.com"])
        _ = try await api.post("/v1/password_resets", ["phone": "+385915566778"])
        #expect(try await api.signIn(courier.login, "wrong-password").status == 401)
        // A message that was given up, with what its gateway had to say.
        try await api.execute(
            """
            WITH one AS (SELECT * FROM outbox_claim('push', 1, 60))
            SELECT outbox_nack(jsonb_agg(jsonb_build_object('id', id, 'lease', lease, 'permanent', true,
                'reason', 'Zqgone Xwgone'))) FROM one
            """)
        try await api.numberEvents()
        return (store, courier, ids[0])
    }

    private static let ofStore = [
        "zqstore", "zqstreet", "zqmail", "+38514444777", "zqfirst", "zqlast", "zqlane", "918887766", "zqcake", "zqring",
        "zqref", "zqreason", "zqnote", "zqkey", "917770001", "of-", "zqplace", "zqroad", "zqgone",
    ]
    private static let ofCourier = [
        "xwfirst", "xwlast", "915566778", "xwnote", "xwreason", "xwkey", "xwplace", "xwroad", "xwgone",
    ]

    @Test func `nothing that says who it was is left of an account`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, delivered) = try await world(api)
            let before = try await dump()
            for text in Self.ofStore + Self.ofCourier { #expect(before.contains(text), "\(text) was never there") }
            let taxID = try #require(try await api.execute("SELECT tax_id FROM stores")[0][0])

            try await erase(courier, .courier, api)
            let without = try await dump()
            for text in Self.ofCourier.dropLast() { #expect(!without.contains(text), "\(text) is still there") }
            #expect(try await api.execute("SELECT FROM credentials") == [])
            // What it said of others' reports goes, and counts on.
            #expect(try await api.execute("SELECT FROM road_votes") == [])
            #expect(try await api.execute("SELECT title, gone_votes FROM road_reports") == [["Zqroad", "1"]])
            // The store's list works on, with somebody who has no name.
            let one = try await api.get(SampleDelivery.path(delivered), as: store.token).json
            #expect(one["status"] == "delivered" && one["recipient"]["last_name"] == "Zqlast")
            #expect(
                one["courier"] == [
                    "id": .string(courier.id), "first_name": "", "last_name": "", "phone": nil,
                ])
            let history = try await api.get(SampleDelivery.path(delivered, "history"), as: store.token).items
            #expect(history.map { $0["action"] } == ["create", "accept", "deliver"])
            #expect(history[1]["actor"]["name"] == "" && history[2]["note"] == .null)
            #expect(try await api.get("/v1/deliveries", as: store.token).items.count == 4)
            #expect(try await api.get("/v1/couriers", as: store.token).items.isEmpty)
            #expect(try await api.get("/v1/invites", as: store.token).status == 200)
            #expect(try await api.get("/v1/events", as: store.token).status == 200)
            #expect(try await api.get("/v1/stats", as: store.token).status == 200)
            #expect(try await api.signIn(courier.login).status == 401)

            try await erase(store, .store, api)
            let after = try await dump()
            for text in Self.ofStore + Self.ofCourier + [taxID] {
                #expect(!after.contains(text), "\(text) is still there")
            }
            // Counts, times and states stay, and what was pending is over.
            #expect(
                try await api.execute(
                    "SELECT status, count(*), count(accepted_at) FROM deliveries GROUP BY 1 ORDER BY 1")
                    == [["cancelled", "3", "0"], ["delivered", "1", "1"]])
            #expect(
                try await api.execute("SELECT accepted, delivered, cancelled FROM couriers") == [["2", "1", "1"]])
            #expect(try await api.execute("SELECT count(erased_at) FROM accounts") == [["2"]])
            #expect(try await api.execute("SELECT FROM erasures") == [])
            try await api.expectConsistency()
            // Whoever comes later may have the number, the address and the tax id.
            _ = try await api.registerCourier("+385915566778")
            _ = try await api.registerStore(["email": "zqmail@example.com", "tax_id": .string(taxID)])
        }
    }

    @Test func `pictures of what was handed over go with their store`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            try await api.join(store, courier)
            let id = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", id, as: courier)
            let photo = try await api.send(Pictures.jpeg(), as: courier).json["id"]
            try await api.act("deliver", id, as: courier, ["photo_ids": [photo]])
            #expect(try await api.execute("SELECT FROM files WHERE delivery_id IS NOT NULL").count == 1)
            try await erase(store, .store, api)
            let gone = try await api.get("/v1/files/\(photo.string ?? "")", as: courier.token)
            #expect(gone.status == 404)
            #expect(try await api.execute("SELECT FROM files") == [])
        }
    }

    @Test func `what somebody wrote about what others have now goes, too`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (gone, other) = (couriers[0], couriers[1])
            var ids: [String] = []
            for _ in 0..<3 {
                ids.append(try await api.delivery(of: store, to: couriers))
                try await api.act("accept", ids.last!, as: gone)
                try await api.act("pick_up", ids.last!, as: gone, ["note": "Xwfetched"])
                let place: JSON = ["lat": .number(43.5), "lon": .number(161.75)]
                try await api.act(
                    "fail", ids.last!, as: gone, ["reason": "nobody_home", "note": "Xwrang", "at_location": place])
            }
            // Taken from it, given back freely, and cancelled.
            try await api.act("reassign", ids[0], as: store)
            try await api.act("cancel", ids[1], as: gone, ["reason": "other", "note": "Xwback"])
            try await api.act("cancel", ids[2], as: store)
            for id in ids.prefix(2) {
                try await api.act("accept", id, as: other)
                #expect(try await api.act("deliver", id, as: other, ["note": "Zqdone"]).status == 200)
            }
            // No time of a day has such a number in it.
            let words = ["xwfetched", "xwrang", "xwback", "161.75"]
            let before = try await dump()
            for word in words { #expect(before.contains(word), "\(word) was never there") }
            try await erase(gone, .courier, api)
            let after = try await dump()
            for word in words { #expect(!after.contains(word), "\(word) is still there") }
            #expect(after.contains("zqdone"))
            // A reason is one of ours, and no word of anybody's.
            let reasons = "SELECT FROM delivery_history WHERE actor_id = '\(gone.id)' AND reason = 'nobody_home'"
            #expect(try await api.execute(reasons).count == 3)
        }
    }

    /// It was opened again, and another has handed it over since.
    @Test func `no proof names a courier who is gone`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.registerStore()
            let (gone, other) = (
                try await api.registerCourier(SamplePeople.phone(), ["first_name": "Xwfirst"]), try await api.courier()
            )
            for courier in [gone, other] { try await api.join(store, courier) }
            let id = try await api.delivery(of: store, to: [gone, other])
            for action in ["accept", "deliver"] { try await api.act(action, id, as: gone) }
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            try await api.act("reassign", id, as: store)
            for action in ["accept", "deliver"] { try await api.act(action, id, as: other) }
            let proofs = "SELECT disclosures::text ~ 'Xwfirst' FROM proofs ORDER BY seq"
            #expect(try await api.execute(proofs) == [["t"], ["f"]])
            try await erase(gone, .courier, api)
            #expect(try await api.execute(proofs) == [["f"], ["f"]])
            try await api.expectConsistency()
        }
    }

    @Test func `the reasons that stay are those that can be given`() async throws {
        try await ServedProduct.serving { api in
            let known = ReturnReason.allCases.map(\.rawValue) + FailReason.allCases.map(\.rawValue)
            for reason in known + ["Storno Ane Anić", "bolesna"] {
                let kept = try await api.execute("SELECT known_reason('\(reason)')")[0][0]
                #expect(kept == (known.contains(reason) ? reason : nil))
            }
        }
    }

    /// Counts of others' reliability say why, after those are gone who gave the reason.
    @Test func `a cancellation of somebody erased keeps its reason`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: couriers[0], ["reason": "unsafe", "note": "Xwdark"])
            try await erase(couriers[0], .courier, api)
            #expect(try await api.execute("SELECT reason, note FROM cancellations") == [["unsafe", nil]])
        }
    }

    /// The proof is about to be signed when one of those is erased whose words it tells.
    @Test func `what is erased while something is handed over is in no proof`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("fail", id, as: couriers[0], ["reason": "other", "note": "Xwrang"])
            try await api.act("reassign", id, as: store)
            try await api.act("accept", id, as: couriers[1])
            let erasing = try await OpenTransaction.begin()
            try await erasing.query("SELECT erase_words_of('\(couriers[0].id)', '{\(id)}')")
            async let delivered = api.act("deliver", id, as: couriers[1])
            // It has read the words, and waits for whoever erases them.
            try await eventually {
                try await api.execute(
                    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                ).count > 0
            }
            try await erasing.commit()
            let answer = try await delivered
            #expect(answer.status == 200 && answer.json["status"] == "delivered")
            let proof = try await api.get(SampleDelivery.path(id, "proof"), as: store.token)
            let check = try #require(ProofCheck(proof.reply.body))
            #expect(
                check.told.allSatisfy(\.holds) && !String(decoding: proof.reply.body, as: UTF8.self).contains("Xwrang"))
            try await api.expectConsistency()
        }
    }

    @Test func `the password of who leaves may be called as at signing in`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            for (form, wrong) in [
                (["password": "not-the-password"], ["password": "wrong_password"]),
                ([:], ["current_password": "required"]),
            ] as [(JSON, [String: String])] {
                let answer = try await api.call("DELETE", "/v1/me", form, as: courier.token)
                #expect(answer.status == 422 && answer.wrong == wrong)
            }
            let left = try await api.call(
                "DELETE", "/v1/me", ["password": .string(SamplePeople.password)], as: courier.token)
            #expect(left.status == 202)
        }
    }

    @Test func `who leaves is signed out, and may come back for a week`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            let store = try await api.store()
            try await api.join(store, courier)
            let id = try await api.delivery(of: store, to: [courier])
            let wrong = try await leave(courier, api, "not the password")
            #expect(wrong.status == 422 && wrong.wrong == ["current_password": "wrong_password"])
            let left = try await leave(courier, api)
            #expect(left.status == 202 && left.json.names == ["erase_at"])
            #expect(try await api.kinds(to: courier.login).filter { $0 == "account_leaving" }.count == 1)
            #expect(
                try await api.execute("SELECT due_at - now() BETWEEN '6 days 23 hours' AND '7 days' FROM erasures") == [
                    ["t"]
                ])
            #expect(try await api.get("/v1/me", as: courier.token).status == 401)
            let candidates = try await api.get(SampleDelivery.path(id), as: store.token).json["candidates"].items
            #expect(candidates.isEmpty)
            #expect(try await Departure.erase(in: api.database) == false)
            let back = try await api.signIn(courier.login)
            #expect(back.status == 201 && back.json["account"]["first_name"] == "Ana")
            #expect(try await api.execute("SELECT FROM erasures") == [])
            _ = try await api.delivery(of: store, to: [courier])
            let noted = try await api.execute("SELECT kind FROM audit WHERE kind LIKE 'account.%' ORDER BY id")
            #expect(noted == [["account.left"], ["account.returned"]])
        }
    }

    @Test func `a store that leaves hides what it offers, and has it again if it returns`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.registerStore()
            let courier = try await api.courier()
            try await api.join(store, courier)
            let id = try await api.delivery(of: store, to: [courier])
            let invite = try await api.post("/v1/invites", ["phone": "+385917770002"], as: store.token).json
            #expect(try await leave(store, api).status == 202)
            #expect(try await api.get(SampleDelivery.path(id), as: courier.token).status == 404)
            let other = try await api.registerCourier("+385917770002")
            let redeemed = try await api.post("/v1/partners", ["code": invite["code"]], as: other.token)
            #expect(redeemed.status == 410 && redeemed.code == "code_revoked")
            #expect(try await api.signIn(store.login).status == 201)
            #expect(try await api.act("accept", id, as: courier).status == 200)
        }
    }

    @Test func `nobody leaves with something under way`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.registerStore(), try await api.registerCourier())
            try await api.join(store, courier)
            let id = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", id, as: courier)
            for person in [store, courier] {
                let refused = try await leave(person, api)
                #expect(refused.status == 409 && refused.code == "deliveries_in_progress")
                #expect(try await !api.kinds(to: person.login).contains("account_leaving"))
                #expect(try await api.get("/v1/me", as: person.token).status == 200)
            }
            let carried = try #require(ID(id))
            await #expect(throws: Departure.Refusal.inProgress([carried])) { try await erase(store, .store, api) }
            #expect(try await api.execute("SELECT FROM erasures") == [])
            #expect(try await api.act("deliver", id, as: courier).status == 200)
            #expect(try await leave(courier, api).status == 202)
        }
    }

    @Test func `what is due is erased once, by whoever comes first`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            #expect(try await leave(courier, api).status == 202)
            try await api.execute("UPDATE erasures SET due_at = now() - interval '1 second'")
            _ = try await together(4) { while try await Departure.erase(in: api.database) {} }
            while try await Departure.erase(in: api.database) {}
            #expect(try await api.execute("SELECT first_name, phone FROM couriers") == [["", nil]])
            #expect(try await api.signIn(courier.login).status == 401)
        }
    }

    /// Somebody signs in at the last moment, while the erasing has begun and is not committed.
    @Test func `who signs in too late comes back to nothing`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.registerCourier()
            #expect(try await leave(courier, api).status == 202)
            try await api.execute("UPDATE erasures SET due_at = now()")
            let erasing = try await OpenTransaction.begin()
            try await erasing.query("SELECT begin_erasing('\(courier.id)')")
            async let answer = api.signIn(courier.login)
            try await api.untilSomebodyWaits()
            try await erasing.commit()
            #expect(try await answer.status == 401)
            #expect(try await api.execute("SELECT FROM sessions") == [])
        }
    }

    @Test func `a history loses its texts alone`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("cancel", id, as: store, ["reason": "storno", "note": "tekst"])
            for change in ["note = 'other'", "note = NULL, at = now()", "action = 'edit'", "reason = reason || '!'"] {
                await expectRefusal(by: "delivery_history_never_rewritten") {
                    try await api.execute("UPDATE delivery_history SET \(change)")
                }
            }
            await expectRefusal(by: "delivery_history_never_rewritten") {
                try await api.execute("DELETE FROM delivery_history")
            }
            try await api.execute("UPDATE delivery_history SET note = NULL")
            #expect(
                try await api.execute("SELECT note, reason FROM delivery_history WHERE seq = 2") == [[nil, "storno"]])
        }
    }

    /// What went there is about nobody else, and has the number or the address.
    @Test func `places that an account had before or only wished for are gone, too`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, courier) = (
                try await api.registerStore(["email": "zqmail@example.com"]),
                try await api.registerCourier("+385915566778")
            )
            let inviting = try await api.store()
            let invite = try await api.post("/v1/invites", ["phone": .string(courier.login)], as: inviting.token)
            #expect(invite.status == 201)
            _ = try await api.confirm(try await api.code(to: courier.login), as: courier)
            let joined = try await api.post("/v1/partners", ["code": invite.json["code"]], as: courier.token)
            #expect(joined.status == 201)
            _ = try await api.change(phone: "+385915566779", as: courier)
            _ = try await api.confirm(try await api.code(to: "+385915566779"), as: courier)
            _ = try await api.change(phone: "+385915566780", as: courier)
            _ = try await api.confirm(try await api.code(to: store.login), "email", as: store)
            let change: JSON = ["email": "zqnew@example.com", "current_password": .string(SamplePeople.password)]
            _ = try await api.call("PUT", "/v1/me/email", change, as: store.token)
            _ = try await api.confirm(try await api.code(to: "zqnew@example.com"), "email", as: store)
            let before = try await dump()
            for text in ["91556677", "zqmail", "zqnew"] { #expect(before.contains(text)) }
            try await erase(courier, .courier, api)
            try await erase(store, .store, api)
            let after = try await dump()
            for text in ["91556677", "zqmail", "zqnew"] { #expect(!after.contains(text), "\(text) is still there") }
        }
    }
}
