import Domain
import HTTP
import TestSupport
import Testing

/// What couriers and stores say of deliveries that were given back.
@Suite(.database) struct CancellationTests {
    /// Gives a new delivery back, and gives the id of that cancellation.
    private func giveBack(
        _ api: ServedProduct, _ store: Person, _ courier: Person, _ said: JSON? = nil
    ) async throws -> (delivery: String, cancellation: String) {
        let delivery = try await api.delivery(
            of: store, to: [courier], ["reference": .string("R\(SamplePeople.phone())")])
        try await api.act("accept", delivery, as: courier)
        try #require(try await api.act("cancel", delivery, as: courier, said).status == 200)
        return (delivery, try await items(api, of: courier, by: store)[0]["id"].string ?? "")
    }

    private func items(_ api: ServedProduct, of courier: Person, by reader: Person) async throws -> [JSON] {
        try await api.get("/v1/couriers/\(courier.id)/cancellations", as: reader.token).items
    }

    private func contest(
        _ api: ServedProduct, _ id: String, _ courier: Person, _ note: String = "Led na cesti",
        headers: [String: String] = [:]
    ) async throws -> Answer {
        try await api.post(
            "/v1/cancellations/\(id)/contest", ["note": .string(note)], as: courier.token, headers: headers)
    }

    private func excuse(_ api: ServedProduct, _ id: String, _ store: Person) async throws -> Answer {
        try await api.post("/v1/cancellations/\(id)/excuse", as: store.token)
    }

    @Test func `a contested cancellation still counts, and an excused one counts no more`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (courier, stranger) = (couriers[0], try await api.store())
            let (delivery, id) = try await giveBack(api, store, courier, ["reason": "unsafe", "note": "Led"])
            let contested = try await contest(api, id, courier)
            #expect(contested.status == 200 && contested.json["state"] == "contested")
            #expect(contested.json["contest"]["note"] == "Led na cesti" && contested.json["note"] == "Led")
            #expect(
                try await api.stats(of: courier) == [
                    "accepted": 1, "delivered": 0, "cancelled": 1, "declined": 0, "excused": 0,
                ])
            for reader in [store, courier] {
                let item = try await items(api, of: courier, by: reader)
                #expect(item == [contested.json])
            }
            let excused = try await excuse(api, id, store)
            #expect(excused.status == 200 && excused.json["state"] == "excused" && excused.json["id"].string == id)
            #expect(try await excuse(api, id, store).json == excused.json)
            #expect(
                try await api.stats(of: courier) == [
                    "accepted": 1, "delivered": 0, "cancelled": 0, "declined": 0, "excused": 1,
                ])
            // Others learn that it counts no more, and nothing of what was said.
            let seen = try await items(api, of: courier, by: stranger)[0]
            #expect(seen.names == ["id", "at", "reason", "state"] && seen["state"] == "excused")
            // Whoever gave it back may still not have it again.
            #expect(try await api.act("accept", delivery, as: courier).code == "forfeited")
            try await api.expectConsistency()
        }
    }

    @Test func `a cancellation is contested once, in time, and before it is excused`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let first = try await giveBack(api, store, couriers[0]).cancellation
            #expect(try await contest(api, first, couriers[0]).status == 200)
            #expect(try await contest(api, first, couriers[0], "opet").code == "already_contested")
            let second = try await giveBack(api, store, couriers[0]).cancellation
            #expect(try await excuse(api, second, store).status == 200)
            let late = try await contest(api, second, couriers[0])
            #expect(late.status == 409 && late.code == "already_excused")
            try await api.execute(
                """
                INSERT INTO cancellations (id, courier_id, store_id, delivery_id, at)
                SELECT uuid_v7(), courier_id, store_id, delivery_id, now() - interval '31 days' FROM cancellations LIMIT 1
                """)
            let old = try await items(api, of: couriers[0], by: store)[0]["id"].string ?? ""
            #expect(try await contest(api, old, couriers[0]).code == "contested_too_late")
            let nothing = try await contest(api, old, couriers[0], " ")
            #expect(nothing.status == 422 && nothing.wrong == ["note": "required"])
        }
    }

    @Test func `the other side is told, in its language and in its feed`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for person in [store, couriers[0]] {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
            }
            _ = try await api.call("PATCH", "/v1/me", ["language": "hr"], as: couriers[0].token)
            let (delivery, id) = try await giveBack(api, store, couriers[0])
            func told() async throws -> [[String?]] {
                try await api.execute(
                    """
                    SELECT kind, address, title, data->>'cancellation_id', data->>'delivery_id' FROM outbox
                    WHERE kind LIKE 'cancellation_%' ORDER BY seq
                    """)
            }
            _ = try await contest(api, id, couriers[0])
            #expect(
                try await told() == [
                    ["cancellation_contested", "of-\(store.id)", "Giving back contested", id, delivery]
                ])
            _ = try await excuse(api, id, store)
            _ = try await excuse(api, id, store)
            // It need not be looked at any more.
            #expect(
                try await told() == [
                    ["cancellation_excused", "of-\(couriers[0].id)", "Vraćanje je opravdano", id, delivery]
                ])
            for person in [store, couriers[0]] {
                try await api.numberEvents()
                let events = try await api.get("/v1/events?limit=200", as: person.token).items
                    .filter { $0["type"].string?.hasPrefix("cancellation.") == true }
                #expect(events.map { $0["type"] } == ["cancellation.contested", "cancellation.excused"])
                #expect(events.allSatisfy { $0["data"]["cancellation_id"].string == id })
            }
        }
    }

    @Test func `a repeated contest with its key is answered as before`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await giveBack(api, store, couriers[0]).cancellation
            let key = ["Idempotency-Key": "one"]
            let answers = [
                try await contest(api, id, couriers[0], headers: key),
                try await contest(api, id, couriers[0], headers: key),
            ]
            #expect(answers.allSatisfy { $0.status == 200 && $0.json == answers[0].json })
        }
    }

    @Test func `whatever is said at once, each cancellation is excused and contested once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let courier = couriers[0]
            for _ in 0..<20 {
                let id = try await giveBack(api, store, courier).cancellation
                async let excusing = together(4) { try await excuse(api, id, store) }
                async let contesting = together(4) { try await contest(api, id, courier) }
                let (excused, contested) = (try await excusing, try await contesting)
                #expect(excused.allSatisfy { $0.status == 200 && $0.json["state"] == "excused" })
                #expect(contested.count { $0.status == 200 } <= 1)
                #expect(
                    contested.allSatisfy {
                        $0.status == 200 || ["already_contested", "already_excused"].contains($0.code)
                    })
            }
            let stats = try await api.stats(of: courier)
            #expect(stats["cancelled"] == 0 && stats["excused"] == 20)
            let told = try await api.execute("SELECT count(*) FROM cancellation_reviews WHERE contested_at IS NOT NULL")
            try await api.numberEvents()
            let events = try await api.execute(
                "SELECT count(*) FROM events WHERE type = 'cancellation.contested' AND account_id = '\(store.id)'")
            #expect(told == events)
            try await api.expectConsistency()
        }
    }

    // MARK: Reasons

    @Test(
        arguments: [
            (["reason": "too_far"], "too_far", nil), (["reason": "vehicle", "note": "guma"], "vehicle", "guma"),
            (nil, "other", nil), (["note": "bez razloga"], "other", "bez razloga"),
            // As clients of before say it.
            (["reason": "Probušena guma"], "other", "Probušena guma"),
            (["reason": "Guma", "note": "kod mosta"], "other", "Guma\nkod mosta"),
        ] as [(JSON?, String, String?)])
    func `a courier's reason is one of a few, and other words are a note`(
        _ said: JSON?, _ reason: String, _ note: String?
    )
        async throws
    {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let delivery = try await giveBack(api, store, couriers[0], said).delivery
            for item in [
                try await items(api, of: couriers[0], by: store)[0],
                try await api.get(SampleDelivery.path(delivery, "history"), as: store.token).items[2],
            ] {
                #expect(item["reason"].string == reason && item["note"].string == note)
            }
        }
    }

    @Test func `a store's reason stays its own words`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("cancel", id, as: store, ["reason": "Kupac odustaje"])
            let step = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items[1]
            #expect(step["reason"] == "Kupac odustaje" && step["note"] == .null)
        }
    }

    @Test(
        arguments: [
            (["reason": "vehicle"], "Reason: Trouble with the vehicle"),
            (["reason": "led na cesti"], "Reason: led na cesti"),
            ([:], "It is pending again."),
        ] as [(JSON, String)])
    func `the store is told why in its own language`(_ said: JSON, _ ending: String) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: store.token)
            _ = try await giveBack(api, store, couriers[0], said)
            let body = try await api.execute("SELECT body FROM outbox WHERE kind = 'delivery_returned'")[0][0]
            #expect(body?.hasSuffix(ending) == true, "\(body ?? "")")
        }
    }
}
