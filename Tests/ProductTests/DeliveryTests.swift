import API
import HTTP
import Postgres
import TestSupport
import Testing

/// Deliveries as stores and couriers use them.
@Suite(.database) struct DeliveryTests {
    @Test func `a store creates a delivery, and the chosen couriers see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let form = SampleDelivery.form(to: couriers, ["reference": "A-1", "instructions": "Zvoniti\ndvaput"])
            let answer = try await api.post("/v1/deliveries", form, as: store.token)
            let made = answer.json
            #expect(answer.status == 201 && answer.reply.header("etag") == "\"1\"")
            #expect(answer.reply.header("location") == "/v1/deliveries/\(made["id"].string ?? "")")
            #expect(made["status"] == "pending" && made["version"] == 1 && made["reference"] == "A-1")
            #expect(made["recipient"]["phone"] == "+385919998877" && made["instructions"] == "Zvoniti\ndvaput")
            #expect(made["recipient"]["location"] == ["lat": .number(43.508), "lon": .number(16.44)])
            #expect(made["store"]["id"].string == store.id && made["courier"] == .null)
            #expect(made["candidates"].items.map { $0["state"] } == ["offered", "offered"])
            #expect(made["allowed_actions"] == ["edit", "cancel"] && made["accepted_at"] == .null)
            let id = made["id"].string ?? ""
            for courier in couriers {
                let seen = try await api.get(SampleDelivery.path(id), as: courier.token)
                #expect(seen.status == 200 && seen.reply.header("etag") == "\"1\"")
                #expect(seen.json["allowed_actions"] == ["accept", "decline"])
                // Only the store learns who else was asked, and how many.
                for name in ["candidates", "candidate_count", "offered_count"] {
                    #expect(!seen.json.names.contains(name))
                }
            }
            // A list says how many candidates there are, a single delivery says who.
            try await api.act("decline", id, as: couriers[1])
            let listed = try #require(try await api.get("/v1/deliveries", as: store.token).items.first)
            let event = try #require(try await api.get("/v1/events", as: store.token).items.last?["delivery"])
            for told in [listed, event] {
                #expect(told["candidate_count"] == 2 && told["offered_count"] == 1)
                #expect(!told.names.contains("candidates") && !told.names.contains("given_back_count"))
            }
            // What somebody had accepted and gave back waits for others, and its store is told so; nobody else is.
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: couriers[0])
            let back = try #require(try await api.get("/v1/deliveries", as: store.token).items.first)
            #expect(back["status"] == "pending" && back["given_back_count"] == 1 && back["offered_count"] == 0)
            let seen = try await api.get(SampleDelivery.path(id), as: couriers[1].token)
            #expect(seen.status == 200 && !seen.json.names.contains("given_back_count"))
            try await api.expectConsistency()
        }
    }

    @Test(arguments: [
        ("courier_ids", JSON.array([]), "required"), ("courier_ids", "x", "wrong_type"),
        ("courier_ids", JSON.array(["x"]), "invalid_id"), ("courier_ids", .null, "required"),
        ("courier_ids", JSON.array(["018f0000-0000-7000-8000-000000000000"]), "not_partner"),
        (
            "courier_ids", .array((0...500).map { .string("018f0000-0000-7000-8000-0000000000\($0 + 1000)".suffix36) }),
            "too_many"
        ),
        ("description", "", "required"), ("description", .null, "required"), ("description", 5, "wrong_type"),
        ("description", .string(String(repeating: "x", count: 1001)), "too_long"),
        ("reference", .string(String(repeating: "x", count: 101)), "too_long"),
        ("instructions", "a\u{0}b", "control_characters"), ("recipient", "x", "wrong_type"),
        ("recipient", .null, "required"),
    ])
    func `a wrong field is named`(_ field: String, _ value: JSON, _ code: String) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let form = SampleDelivery.form(to: couriers).with([field: value])
            let answer = try await api.post("/v1/deliveries", form, as: store.token)
            #expect(answer.status == 422 && answer.wrong == [field: code], "\(answer.json)")
            #expect(try await api.execute("SELECT id FROM deliveries").isEmpty)
        }
    }

    /// Nobody is offered it yet, or only the first.
    @Test(
        arguments: [
            ["offer_at": .string(Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text)],
            ["offer": ["mode": "in_turn", "order": "given"]],
        ] as [[String: JSON]])
    func `whoever is to be offered it later is a partner, too`(_ later: [String: JSON]) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let stranger = try await api.courier()
            let form = SampleDelivery.form(to: couriers + [stranger], later)
            let answer = try await api.post("/v1/deliveries", form, as: store.token)
            #expect(answer.status == 422 && answer.wrong == ["courier_ids": "not_partner"], "\(answer.json)")
            #expect(try await api.execute("SELECT id FROM deliveries").isEmpty)
        }
    }

    @Test func `everything wrong with the recipient is named at once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let recipient: JSON = ["first_name": "", "phone": "12", "location": ["lat": 91, "lon": 0]]
            let form = SampleDelivery.form(to: couriers).with(["recipient": recipient])
            let answer = try await api.post("/v1/deliveries", form, as: store.token)
            #expect(
                answer.wrong == [
                    "recipient.first_name": "required", "recipient.last_name": "required",
                    "recipient.address": "required", "recipient.phone": "invalid_phone",
                    "recipient.location": "invalid_location",
                ])
        }
    }

    @Test func `a reference is unique within its store`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (other, others) = try await api.team(1)
            _ = try await api.delivery(of: store, to: couriers, ["reference": "A-1"])
            _ = try await api.delivery(of: other, to: others, ["reference": "A-1"])
            let again = try await api.post(
                "/v1/deliveries", SampleDelivery.form(to: couriers, ["reference": "A-1"]), as: store.token)
            #expect(again.status == 409 && again.code == "reference_taken")
            let id = try await api.delivery(of: store, to: couriers, ["reference": "A-2"])
            let edited = try await api.call("PATCH", SampleDelivery.path(id), ["reference": "A-1"], as: store.token)
            #expect(edited.status == 409 && edited.code == "reference_taken")
            // One of twenty requests at once succeeds.
            let statuses = try await together(20) {
                try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: couriers, ["reference": "A-3"]), as: store.token
                ).status
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 19))
            try await api.expectConsistency()
        }
    }

    @Test func `an edit changes what it names and nothing else`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            let id = try await api.delivery(of: store, to: Array(couriers[0...1]), ["reference": "A-1"])
            let change: JSON = [
                "recipient": ["address": "Nova 1", "phone": .null], "reference": .null,
                "courier_ids": [.string(couriers[1].id), .string(couriers[2].id)],
            ]
            let edited = try await api.call("PATCH", SampleDelivery.path(id), change, as: store.token)
            #expect(edited.status == 200 && edited.json["version"] == 2 && edited.reply.header("etag") == "\"2\"")
            let recipient = edited.json["recipient"]
            #expect(recipient["address"] == "Nova 1" && recipient["phone"] == .null)
            #expect(recipient["first_name"] == "Iva" && edited.json["description"] == "Torta za rođendan")
            #expect(edited.json["reference"] == .null)
            var seen: [Int] = []
            for courier in couriers {
                seen.append(try await api.get(SampleDelivery.path(id), as: courier.token).status)
            }
            #expect(seen == [404, 200, 200])
            try await api.expectEvents(["delivery.offered", "delivery.withdrawn"], of: couriers[0], about: id)
            try await api.expectEvents(["delivery.offered", "delivery.updated"], of: couriers[1], about: id)
            try await api.expectEvents(["delivery.offered"], of: couriers[2], about: id)
            for (body, wrong) in [
                (["courier_ids": []], ["courier_ids": "required"]),
                (["description": .null], ["description": "required"]),
                (["recipient": ["address": ""]], ["recipient.address": "required"]),
                (["courier_ids": [.string(try await api.courier().id)]], ["courier_ids": "not_partner"]),
            ] as [(JSON, [String: String])] {
                let answer = try await api.call("PATCH", SampleDelivery.path(id), body, as: store.token)
                #expect(answer.status == 422 && answer.wrong == wrong)
            }
            try await api.expectConsistency()
        }
    }

    @Test func `a change meant for another version is refused`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            let path = SampleDelivery.path(id)
            for tag in ["\"2\"", "1", "W/\"1\"", "\"0\", \"2\""] {
                let answer = try await api.call(
                    "PATCH", path, ["description": "x"], as: store.token, headers: ["If-Match": tag])
                #expect(answer.status == 412 && answer.code == "version_mismatch", "\(tag)")
            }
            for tag in ["\"1\"", "\"7\", \"2\"", "*"] {
                let answer = try await api.call(
                    "PATCH", path, ["description": .string(tag)], as: store.token, headers: ["If-Match": tag])
                #expect(answer.status == 200, "\(tag)")
            }
            let accept = try await api.act("accept", id, as: couriers[0], headers: ["If-Match": "\"1\""])
            #expect(accept.status == 412)
            #expect(try await api.act("accept", id, as: couriers[0], headers: ["If-Match": "\"4\""]).status == 200)
            // A step that is refused, or done already, does not depend on the version that was meant.
            #expect(
                try await api.act("accept", id, as: couriers[1], headers: ["If-Match": "\"4\""]).code == "already_taken"
            )
            #expect(try await api.act("accept", id, as: couriers[0], headers: ["If-Match": "\"4\""]).status == 200)
            // An account that may not see it does not learn its version.
            let stranger = try await api.courier()
            #expect(try await api.act("accept", id, as: stranger, headers: ["If-Match": "\"1\""]).status == 404)
        }
    }

    @Test func `the history has every step and hides who else was asked`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: couriers[0], ["reason": "vehicle", "note": "kod mosta"])
            try await api.act("accept", id, as: couriers[1])
            try await api.act("deliver", id, as: couriers[1], ["note": "susjedi"])
            let steps = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items
            #expect(steps.map { $0["seq"].integer } == [1, 2, 3, 4, 5])
            #expect(
                steps.map { $0["action"].string ?? "" } == ["create", "accept", "cancel", "accept", "deliver"])
            #expect(steps[2]["reason"] == "vehicle" && steps[2]["note"] == "kod mosta" && steps[4]["note"] == "susjedi")
            #expect(steps[2]["actor"]["id"].string == couriers[0].id)
            #expect(steps[0]["added"].items.count == 2)
            let seen = try await api.get(SampleDelivery.path(id, "history"), as: couriers[1].token).items
            #expect(seen.count == 5 && seen[1]["actor"] == ["kind": "courier"])
            // Others' notes are only for the store; one's own are there.
            #expect(seen[2]["reason"] == .null && seen[2]["note"] == .null && seen[4]["note"] == "susjedi")
            #expect(seen[0]["actor"] == ["kind": "store", "id": .string(store.id)])
            #expect(seen[4]["actor"]["name"].string?.isEmpty == false)
            #expect(seen[3]["actor"]["id"].string == couriers[1].id && !seen[0].names.contains("added"))
            #expect(try await api.get(SampleDelivery.path(id, "history"), as: couriers[0].token).status == 404)
            let page = try await api.get(SampleDelivery.path(id, "history") + "?limit=2", as: store.token)
            let cursor = try #require(page.json["next_cursor"].string)
            let rest = try await api.get(
                SampleDelivery.path(id, "history") + "?cursor=\(cursor)", as: store.token)
            #expect(rest.items.map { $0["seq"].integer } == [3, 4, 5] && rest.json["next_cursor"] == .null)
            await expectRefusal(by: "delivery_history_never_rewritten") {
                try await api.execute("UPDATE delivery_history SET reason = 'x'")
            }
            let counted = try await api.get("/v1/couriers/\(couriers[0].id)/cancellations", as: store.token).items
            #expect(counted.map { $0["reason"] } == ["vehicle"] && counted[0]["delivery_id"].string == id)
            // The id has version 7, like all ids.
            #expect(counted[0]["id"].string?.dropFirst(14).first == "7")
            try await api.expectConsistency()
        }
    }

    @Test func `couriers are counted by what they did`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let ids = try await [
                api.delivery(of: store, to: couriers), api.delivery(of: store, to: couriers),
                api.delivery(of: store, to: couriers),
            ]
            try await api.act("accept", ids[0], as: couriers[0])
            try await api.act("deliver", ids[0], as: couriers[0])
            try await api.act("accept", ids[1], as: couriers[0])
            try await api.act("cancel", ids[1], as: couriers[0])
            try await api.act("decline", ids[2], as: couriers[0])
            // Repeated steps are not counted again.
            try await api.act("deliver", ids[0], as: couriers[0])
            try await api.act("decline", ids[2], as: couriers[0])
            #expect(
                try await api.stats(of: couriers[0]) == [
                    "accepted": 2, "delivered": 1, "cancelled": 1, "declined": 1, "excused": 0,
                ])
            try await api.expectConsistency()
        }
    }

    @Test func `the lifecycle is told as data`() async throws {
        try await ServedProduct.serving { api in
            let told = try await api.get("/v1/lifecycle")
            #expect(told.status == 200)
            let accept = told.json["transitions"].items.first { $0["action"] == "accept" && $0["state"] == "pending" }
            #expect(accept?["actor"] == "candidate" && accept?["next_state"] == "in_progress")
            let codes = Set((accept?["refusals"].items ?? []).compactMap { $0["code"].string })
            #expect(codes == ["already_taken", "not_pending", "forfeited", "not_in_progress"])
            #expect(told.json["states"] == ["pending", "in_progress", "delivered", "cancelled"])
        }
    }

    @Test func `a key gives the first answer, also when twins come together`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let form = SampleDelivery.form(to: couriers)
            let key = ["Idempotency-Key": "create-1"]
            let answers = try await together(10) {
                try await api.post("/v1/deliveries", form, as: store.token, headers: key)
            }
            for answer in answers {
                let isTwin = answer.status == 409 && answer.code == "request_in_progress"
                #expect(answer.status == 201 || isTwin, "\(answer.json)")
            }
            #expect(Set(answers.compactMap { $0.json["id"].string }).count == 1)
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == [["1"]])
            let id = answers.first { $0.status == 201 }?.json["id"].string ?? ""
            let accept = ["Idempotency-Key": "accept-1"]
            let first = try await api.act("accept", id, as: couriers[0], headers: accept)
            try await api.act("deliver", id, as: couriers[0])
            // Later steps do not change the kept answer.
            let again = try await api.act("accept", id, as: couriers[0], headers: accept)
            #expect(again.status == 200 && again.reply.header("idempotent-replayed") == "true")
            #expect(again.json == first.json && again.reply.header("etag") == first.reply.header("etag"))
            let refused = try await api.act("accept", id, as: couriers[0], headers: ["Idempotency-Key": "accept-2"])
            #expect(refused.status == 409 && refused.code == "not_pending")
            let changed = try await api.post(
                "/v1/deliveries", form.with(["description": "x"]), as: store.token, headers: key)
            #expect(changed.status == 422 && changed.code == "idempotency_key_reused")
            try await api.execute("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'")
            let later = try await api.post("/v1/deliveries", form, as: store.token, headers: key)
            let latest =
                later.status == 409 ? try await api.post("/v1/deliveries", form, as: store.token, headers: key) : later
            #expect(latest.status == 201 && latest.json["id"].string != id)
            try await api.expectConsistency()
        }
    }

    @Test func `a delivery for five hundred candidates is one statement`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await api.execute(
                """
                WITH made AS (INSERT INTO accounts (id, kind, password_hash, language)
                    SELECT gen_random_uuid(), 'courier', '$scrypt$nobody', 'hr' FROM generate_series(1, 500)
                    RETURNING id, kind),
                couriers AS (INSERT INTO couriers (id, first_name, last_name, phone)
                    SELECT id, 'Ana', 'Anić', '+3859' || 90000000 + row_number() OVER () FROM made RETURNING id)
                SELECT count(*) FROM couriers
                """)
            try await api.execute("INSERT INTO partners SELECT '\(store.id)', id FROM couriers")
            try await api.execute("INSERT INTO devices SELECT id::text, id, 'fcm' FROM couriers")
            let ids = try await api.execute("SELECT id FROM couriers").compactMap { $0[0] }
            let form = SampleDelivery.form(to: []).with(["courier_ids": .array(ids.map(JSON.string))])
            let made = try await api.post("/v1/deliveries", form, as: store.token)
            #expect(made.status == 201 && made.json["candidates"].items.count == 500)
            #expect(try await api.execute("SELECT count(*), count(DISTINCT address) FROM outbox") == [["500", "500"]])
            // One transaction wrote all of it.
            let writers = "SELECT xmin FROM deliveries UNION SELECT xmin FROM jobs UNION SELECT xmin FROM messages"
            #expect(try await api.execute(writers).count == 1)
            let cancelled = try await api.act("cancel", made.json["id"].string ?? "", as: store)
            #expect(cancelled.status == 200)
            #expect(try await api.execute("SELECT count(*) FROM outbox") == [["0"]])
            try await api.expectConsistency()
        }
    }
}

extension String {
    /// The text of an id whose number grew beyond its last digits.
    fileprivate var suffix36: String { String(prefix(24)) + String(suffix(12)) }
}
