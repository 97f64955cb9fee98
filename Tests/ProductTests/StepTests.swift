import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// What happens between accepting and delivering, and around it.
@Suite(.database) struct StepTests {
    /// A delivery that a courier carries, of a store with two.
    private func carried(
        _ api: ServedProduct, _ more: [String: JSON] = [:]
    ) async throws -> (id: String, store: Person, ana: Person, ivo: Person) {
        let (store, couriers) = try await api.team(2)
        let id = try await api.delivery(of: store, to: couriers, more)
        try #require(try await api.act("accept", id, as: couriers[0]).status == 200)
        return (id, store, couriers[0], couriers[1])
    }

    @Test func `fetching is told once, and shown to the store`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            let fetched = try await api.act("pick_up", id, as: ana, ["note": "još topla"])
            #expect(fetched.status == 200 && fetched.json["picked_up_at"].string != nil)
            #expect(fetched.json["allowed_actions"] == ["fail", "deliver", "cancel"])
            let again = try await api.act("pick_up", id, as: ana)
            #expect(again.status == 200 && again.json["version"] == fetched.json["version"])
            #expect(try await api.get(SampleDelivery.path(id), as: store.token).json["picked_up_at"].string != nil)
            try await api.expectEvents(
                ["delivery.offered", "delivery.accepted", "delivery.picked_up"], of: ana, about: id)
        }
    }

    @Test func `who brought it in vain may give it back freely`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            try await api.act("pick_up", id, as: ana)
            let failed = try await api.act(
                "fail", id, as: ana,
                ["reason": "nobody_home", "at_location": ["lat": .number(43.5), "lon": .number(16.4)]])
            #expect(failed.status == 200 && failed.json["status"] == "in_progress" && failed.json["attempts"] == 1)
            #expect(failed.json["last_attempt"]["reason"] == "nobody_home" && failed.json["cancel_is_free"] == true)
            let returned = try await api.act("cancel", id, as: ana, ["reason": "other"])
            #expect(returned.status == 200 && returned.json["allowed_actions"] == ["accept"])
            let stats = try await api.stats(of: ana)
            #expect(stats["cancelled"] == 0 && stats["declined"] == 0)
            let kept = try await api.get(SampleDelivery.path(id), as: store.token).json
            #expect(kept["attempts"] == 1 && kept["picked_up_at"] == .null)
            #expect(try await api.act("accept", id, as: ana).status == 200)
            let steps = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items
            #expect(steps.first { $0["action"] == "fail" }?["at_location"]["lat"] == .number(43.5))
            try await api.expectConsistency()
        }
    }

    @Test func `it is brought in vain fifty times, and then no more`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            func fail() async throws -> Answer { try await api.act("fail", id, as: ana, ["reason": "nobody_home"]) }
            for number in 1...50 { #expect(try await fail().json["attempts"] == .integer(number)) }
            let over = try await fail()
            #expect(over.status == 409 && over.code == "too_many_attempts")
            #expect(
                try await api.get(SampleDelivery.path(id), as: ana.token).json["allowed_actions"] == [
                    "pick_up", "deliver", "cancel",
                ])
            #expect(try await api.act("deliver", id, as: ana).status == 200)
            #expect(try await api.get(SampleDelivery.path(id, "proof"), as: store.token).status == 200)
        }
    }

    /// Reading them costs what there is, and only who carries something can hand it over.
    @Test func `all steps are read for who carries it alone`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, ivo) = try await carried(api)
            let stranger = try await api.courier()
            func read() async throws -> [String: Int] {
                var read: [String: Int] = [:]
                let asked = try [store, ana, ivo, stranger].map {
                    AskedDelivery(account: try #require(ID($0.id)), id: try #require(ID(id)))
                }
                for row in try await api.database.run(FindWithSteps(asked: asked)) {
                    read[row.asked.account.description] = row.found.steps?.count
                }
                return read
            }
            #expect(try await read() == [ana.id: 2])
            try await api.act("deliver", id, as: ana)
            #expect(try await read() == [:])
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(try await read() == [ana.id: 4])
        }
    }

    @Test func `a reason that there is not is refused`() async throws {
        try await ServedProduct.serving { api in
            let (id, _, ana, _) = try await carried(api)
            let refused = try await api.act("fail", id, as: ana, ["reason": "rain"])
            #expect(refused.status == 422 && refused.wrong["reason"] == "invalid_value")
        }
    }

    @Test func `handing over needs what the store wants shown`() async throws {
        try await ServedProduct.serving { api in
            let wanted: [String: JSON] = [
                "proof": ["pin": true], "cash": ["amount": 1200, "currency": "EUR"],
            ]
            let (id, store, ana, _) = try await carried(api, wanted)
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            #expect(pin.count == 4)
            let seen = try await api.get(SampleDelivery.path(id), as: ana.token).json
            #expect(seen["proof"] == ["pin": true, "photo": false, "signature": false] && seen["pin"] == .null)
            let listed = try await api.get("/v1/deliveries", as: store.token).items
            #expect(listed.first?["pin"] == .null)
            let missing = try await api.act("deliver", id, as: ana, [:])
            #expect(missing.status == 422 && missing.code == "proof_missing")
            #expect(missing.wrong == ["pin": "required", "cash_collected": "required"])
            let less: JSON = ["amount": 1000, "currency": "EUR"]
            let unexplained = try await api.act("deliver", id, as: ana, ["pin": .string(pin), "cash_collected": less])
            #expect(unexplained.wrong == ["note": "required"])
            let handed = try await api.act(
                "deliver", id, as: ana,
                ["pin": .string(pin), "cash_collected": less, "note": "popust", "received_by": "Ivo"])
            #expect(handed.status == 200 && handed.json["status"] == "delivered")
            let last = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items.last
            #expect(last?["cash_collected"] == less && last?["received_by"] == "Ivo")
        }
    }

    @Test func `a sixth PIN is not looked at`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api, ["proof": ["pin": true]])
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            let wrong: JSON = ["pin": pin == "0000" ? "0001" : "0000"]
            // Who means another version has tried none.
            for _ in 0..<5 {
                let stale = try await api.act("deliver", id, as: ana, wrong, headers: ["If-Match": "\"1\""])
                #expect(stale.status == 412)
            }
            for _ in 0..<5 {
                let refused = try await api.act("deliver", id, as: ana, wrong)
                #expect(refused.status == 422 && refused.code == "wrong_pin")
            }
            let over = try await api.act("deliver", id, as: ana, ["pin": .string(pin)])
            #expect(over.status == 429 && over.code == "too_many_pins")
            try await api.execute("UPDATE pin_tries SET tried_at = now() - interval '9 minutes'")
            let soon = try await api.act("deliver", id, as: ana, ["pin": .string(pin)])
            let seconds = try #require(soon.reply.header("retry-after").flatMap { Int($0) })
            #expect(soon.status == 429 && (1...60).contains(seconds))
            try await api.execute("UPDATE pin_tries SET tried_at = now() - interval '11 minutes'")
            #expect(try await api.act("deliver", id, as: ana, ["pin": .string(pin)]).status == 200)
            // A delivery that is delivered asks for nothing any more.
            #expect(try await api.act("deliver", id, as: ana, wrong).status == 200)
        }
    }

    @Test func `lists that a step may leave out may be null`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            for (action, body) in [
                ("pick_up", ["photo_ids": .null]), ("fail", ["reason": "other", "photo_ids": .null]),
                ("deliver", ["photo_ids": .null, "signature_id": .null]),
            ] as [(String, JSON)] {
                #expect(try await api.act(action, id, as: ana, body).status == 200, "\(action)")
            }
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(try await api.act("reassign", id, as: store, ["courier_ids": .null, "note": .null]).status == 200)
        }
    }

    @Test func `another carry has tries of its own`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, ivo) = try await carried(api, ["proof": ["pin": true]])
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            let wrong: JSON = ["pin": pin == "0000" ? "0001" : "0000"]
            for _ in 0..<5 { try await api.act("deliver", id, as: ana, wrong) }
            try await api.act("reassign", id, as: store)
            try await api.act("accept", id, as: ivo)
            #expect(try await api.act("deliver", id, as: ivo, ["pin": .string(pin)]).status == 200)
        }
    }

    @Test func `null says nothing of a new delivery`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let usual: JSON = ["offer": ["mode": "in_turn"], "proof": ["photo": true]]
            #expect(try await api.call("PATCH", "/v1/me", usual, as: store.token).status == 200)
            let names = [
                "window", "pickup", "parcel", "cash", "pay", "offer_at", "offer", "proof", "instructions", "reference",
            ]
            let made = try await api.post(
                "/v1/deliveries",
                SampleDelivery.form(to: couriers, Dictionary(uniqueKeysWithValues: names.map { ($0, .null) })),
                as: store.token)
            #expect(made.status == 201, "\(made.json)")
            for name in names.prefix(6) { #expect(made.json[name] == .null) }
            // What the store wants unless it says otherwise.
            #expect(made.json["offer"]["mode"] == "in_turn" && made.json["proof"]["photo"] == true)
            for name in ["window", "pickup", "parcel", "offer", "proof"] {
                let refused = try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: couriers, [name: "x"]), as: store.token)
                #expect(refused.status == 422 && refused.wrong == [name: "wrong_type"], "\(refused.json)")
            }
        }
    }

    @Test func `pictures that nobody has sent are unknown`() async throws {
        try await ServedProduct.serving { api in
            let (id, _, ana, _) = try await carried(api, ["proof": ["photo": true]])
            let missing = try await api.act("deliver", id, as: ana)
            #expect(missing.wrong == ["photo_ids": "required"])
            let photos: JSON = ["photo_ids": ["018f0000-0000-7000-8000-000000000000"]]
            let unknown = try await api.act("deliver", id, as: ana, photos)
            #expect(unknown.status == 422 && unknown.code == "unknown_file")
            #expect(try await api.act("pick_up", id, as: ana, photos).code == "unknown_file")
        }
    }

    @Test func `what the store takes back is another's, and its former holder knows what to do with it`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, ivo) = try await carried(api, ["instructions": "treći kat"])
            let taken = try await api.act("reassign", id, as: store, ["note": "bliže je Ivi"])
            #expect(taken.status == 200 && taken.json["status"] == "pending" && taken.json["offered_count"] == 1)
            let former = try await api.get(SampleDelivery.path(id), as: ana.token)
            #expect(former.status == 200 && former.json["recipient"] == .null && former.json["instructions"] == .null)
            #expect(former.json["description"].string != nil && former.json["allowed_actions"] == [])
            #expect(try await api.act("deliver", id, as: ana).code == "not_in_progress")
            #expect(try await api.stats(of: ana)["cancelled"] == 0)
            try await api.act("accept", id, as: ivo)
            #expect(try await api.get(SampleDelivery.path(id), as: ana.token).status == 404)
            try await api.expectConsistency()
        }
    }

    /// A search would say piece by piece what is no longer shown.
    @Test(arguments: ["cancel", "reassign"])
    func `what was taken from a courier is found by no words`(_ action: String) async throws {
        try await ServedProduct.serving { api in
            let texts: [String: JSON] = ["instructions": "šifra 8833", "description": "Zvjezdana torta"]
            let (id, store, ana, _) = try await carried(api, texts)
            func found(_ text: String) async throws -> [String] {
                try await api.get("/v1/deliveries?q=\(text)", as: ana.token).items.compactMap { $0["id"].string }
            }
            let words = ["8833", "zvjezdana"]
            for word in words {
                let before = try await found(word)
                #expect(before == [id])
            }
            #expect(try await api.act(action, id, as: store).status == 200)
            #expect(try await api.get("/v1/deliveries", as: ana.token).items.compactMap { $0["id"].string } == [id])
            for word in words {
                let after = try await found(word)
                #expect(after.isEmpty, "\(word)")
            }
        }
    }

    @Test func `a day after it was taken back its former holder sees it no more`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            try await api.act("reassign", id, as: store)
            try await api.execute("UPDATE delivery_extras SET former_at = former_at - interval '25 hours'")
            #expect(try await api.get(SampleDelivery.path(id), as: ana.token).status == 404)
        }
    }

    @Test func `a courier who gave it back cannot be named again`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, ivo) = try await carried(api)
            try await api.act("cancel", id, as: ana)
            try await api.act("accept", id, as: ivo)
            let named: JSON = ["courier_ids": .array([.string(ana.id)])]
            let refused = try await api.act("reassign", id, as: store, named)
            #expect(refused.status == 422 && refused.wrong == ["courier_ids": "courier_forfeited"])
            let stranded = try await api.act("reassign", id, as: store)
            #expect(stranded.status == 200 && stranded.json["offered_count"] == 0)
            let edited = try await api.call("PATCH", SampleDelivery.path(id), named, as: store.token)
            #expect(edited.wrong == ["courier_ids": "courier_forfeited"])
        }
    }

    @Test func `what has not arrived after all is with its courier again`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            let open = try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(open.status == 200 && open.json["status"] == "in_progress" && open.json["delivered_at"] == .null)
            #expect(open.json["courier"]["id"].string == ana.id)
            let stats = try await api.stats(of: ana)
            #expect(stats["delivered"] == 0 && stats["accepted"] == 1)
            #expect(try await api.act("deliver", id, as: ana).status == 200)
            try await api.expectConsistency()
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '25 hours'")
            let late = try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(late.status == 409 && late.code == "too_late")
            #expect(try await api.get(SampleDelivery.path(id), as: store.token).json["allowed_actions"] == [])
        }
    }

    @Test func `nothing is opened again for a courier who has left`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            _ = try await api.call("DELETE", "/v1/partners/\(ana.id)", as: store.token)
            let refused = try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(refused.status == 409 && refused.code == "not_partner")
        }
    }

    @Test func `the store changes what is on its way, but not who carries it`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api, ["pay": ["amount": 500, "currency": "EUR"]])
            func change(_ form: JSON) async throws -> Answer {
                try await api.call("PATCH", SampleDelivery.path(id), form, as: store.token)
            }
            let edited = try await change(["recipient": ["address": "Nova ulica 5, Split"]])
            #expect(edited.status == 200 && edited.json["status"] == "in_progress")
            #expect(
                try await api.get(SampleDelivery.path(id), as: ana.token).json["recipient"]["address"]
                    == "Nova ulica 5, Split")
            #expect(try await change(["courier_ids": .array([.string(ana.id)])]).code == "not_pending")
            #expect(try await change(["offer_again": true]).code == "not_pending")
            #expect(try await change(["pay": ["amount": 400, "currency": "EUR"]]).code == "pay_fixed")
            #expect(try await change(["pay": .null]).code == "pay_fixed")
            let raised = try await change(["pay": ["amount": 600, "currency": "EUR"]])
            #expect(raised.status == 200 && raised.json["pay"]["amount"] == 600)
        }
    }

    @Test func `what was earned is told by day and store, and not while it is open again`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, ana, _) = try await carried(api, ["pay": ["amount": 500, "currency": "EUR"]])
            func earned() async throws -> [JSON] { try await api.get("/v1/me/earnings?days=1", as: ana.token).items }
            #expect(try await earned().isEmpty)
            try await api.act("deliver", id, as: ana)
            let first = try await earned()
            #expect(first.count == 1 && first[0]["amount"] == 500 && first[0]["currency"] == "EUR")
            #expect(first[0]["deliveries"] == 1 && first[0]["store"]["id"].string == store.id)
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(try await earned().isEmpty)
            _ = try await api.call(
                "PATCH", SampleDelivery.path(id), ["pay": ["amount": 700, "currency": "EUR"]], as: store.token)
            try await api.act("deliver", id, as: ana)
            #expect(try await earned().first?["amount"] == 700)
            #expect(try await api.get("/v1/me/earnings?days=93", as: ana.token).status == 422)
            try await api.expectConsistency()
        }
    }

    @Test func `a store says once what it always wants shown`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let set = try await api.call("PATCH", "/v1/me", ["proof": ["pin": true]], as: store.token)
            #expect(set.status == 200 && set.json["proof"] == ["pin": true, "photo": false, "signature": false])
            let made = try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token)
            #expect(made.json["pin"].string?.count == 4)
            let without = try await api.post(
                "/v1/deliveries", SampleDelivery.form(to: couriers, ["proof": ["pin": false]]), as: store.token)
            #expect(without.json["pin"] == .null && without.json["proof"] == .null)
        }
    }

    @Test func `who declined may be asked again, or accept after all`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            for courier in couriers { try await api.act("decline", id, as: courier) }
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.isEmpty)
            let again = try await api.call("PATCH", SampleDelivery.path(id), ["offer_again": true], as: store.token)
            #expect(again.status == 200 && again.json["offered_count"] == 2)
            try await api.act("decline", id, as: couriers[0])
            #expect(try await api.stats(of: couriers[0])["declined"] == 1)
            #expect(try await api.act("accept", id, as: couriers[0]).status == 200)
            #expect(try await api.stats(of: couriers[0])["declined"] == 0)
            try await api.expectConsistency()
        }
    }

    @Test func `what a parcel is and what is paid is told as it was said`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let said: [String: JSON] = [
                "pickup": [
                    "ready_at": "2027-01-01T10:00:00.000Z", "address": "Ilica 7", "location": .null,
                    "instructions": .null,
                ],
                "parcel": [
                    "pieces": 2, "weight_g": 1500, "size": "small", "fragile": true, "cold": false,
                    "value": ["amount": 4500, "currency": "EUR"],
                ],
                "cash": ["amount": 1200, "currency": "EUR"], "pay": ["amount": 350, "currency": "EUR"],
            ]
            let id = try await api.delivery(of: store, to: couriers, said)
            let kept = try await api.get(SampleDelivery.path(id), as: store.token).json
            for (name, value) in said { #expect(kept[name] == value, "\(name)") }
            let offered = try await api.get(SampleDelivery.path(id), as: couriers[0].token).json
            #expect(
                offered["pay"] == said["pay"] && offered["parcel"]["pieces"] == 2 && offered["parcel"]["value"] == .null
            )
            let erased = try await api.call(
                "PATCH", SampleDelivery.path(id), ["parcel": .null, "cash": .null], as: store.token)
            #expect(erased.json["parcel"] == .null && erased.json["cash"] == .null && erased.json["pay"] == said["pay"])
            for (field, wrong) in [
                ("parcel", ["pieces": 100]), ("cash", ["amount": -1, "currency": "EUR"]),
                ("pay", ["amount": 1, "currency": "euro"]), ("pay", ["amount": 1, "currency": "ZZZ"]),
                ("cash", ["amount": 1, "currency": "XAU"]), ("pay", ["amount": 1, "currency": "HRK"]),
            ] as [(String, JSON)] {
                let refused = try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: couriers, [field: wrong]), as: store.token)
                #expect(refused.status == 422, "\(field)")
            }
        }
    }
}
