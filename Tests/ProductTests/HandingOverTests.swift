import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

/// What all steps between accepting and delivering have in common, and who learns what of them.
@Suite(.database) struct HandingOverTests {
    private func ahead(_ seconds: Int64) -> JSON {
        .string(Timestamp(microseconds: Timestamp.now.microseconds + seconds * 1_000_000).text)
    }

    @Test func `the PIN is the store's alone`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let ana = couriers[0]
            for (number, person) in ([store] + couriers).enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: person.token)
            }
            let id = try await api.delivery(of: store, to: couriers, ["proof": ["pin": true]])
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            var told = [try await api.act("accept", id, as: ana), try await api.act("pick_up", id, as: ana)]
            told.append(try await api.act("fail", id, as: ana, ["reason": "nobody_home"]))
            #expect(try await api.act("deliver", id, as: ana, ["pin": .string(pin)]).status == 200)
            try await api.numberEvents()
            for path in ["", "history", "proof"] {
                told.append(try await api.get(SampleDelivery.path(id, path), as: ana.token))
            }
            for person in [store, ana] {
                for path in ["/v1/deliveries", "/v1/events?limit=200", SampleDelivery.path(id, "history")] {
                    told.append(try await api.get(path, as: person.token))
                }
            }
            for answer in told {
                #expect(answer.status == 200)
                let text = String(decoding: answer.reply.body, as: UTF8.self)
                #expect(!text.contains("\"\(pin)\""), "\(text)")
            }
            #expect(
                try await api.execute(
                    "SELECT FROM messages WHERE concat_ws(' ', title, body, sms, data) ~ '\\m\(pin)\\M'") == [])
        }
    }

    /// A delivery as it is for that step, and who takes it.
    private static let steps: [(action: String, before: [String], body: JSON?, isOfStore: Bool)] = [
        ("edit", [], ["description": "Dvije torte"], true), ("edit", ["accept"], ["instructions": "Zvonite"], true),
        ("accept", [], nil, false), ("decline", [], nil, false), ("cancel", ["accept"], nil, false),
        ("cancel", [], nil, true), ("cancel", ["accept"], ["reason": "kasno"], true),
        ("pick_up", ["accept"], nil, false), ("fail", ["accept"], ["reason": "refused"], false),
        ("deliver", ["accept"], nil, false), ("reassign", ["accept"], nil, true),
        ("reopen", ["accept", "deliver"], ["note": "nije stiglo"], true),
    ]

    @Test(arguments: 0..<steps.count)
    func `a step is taken once for each key, and not of another version than was meant`(place: Int) async throws {
        let (action, before, body, isOfStore) = Self.steps[place]
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            for action in before { try await api.act(action, id, as: couriers[0]) }
            let actor = isOfStore ? store : couriers[0]
            let isEdit = action == "edit"
            @Sendable func take(_ headers: [String: String]) async throws -> Answer {
                try await api.call(
                    isEdit ? "PATCH" : "POST", SampleDelivery.path(id, isEdit ? "" : action), body, as: actor.token,
                    headers: headers)
            }
            let stale = try await take(["If-Match": "\"9\""])
            #expect(stale.status == 412 && stale.code == "version_mismatch")
            let version = before.count + 1
            let headers = ["If-Match": "\"\(version)\"", "Idempotency-Key": "once"]
            let answers = try await together(4) { try await take(headers) }
            let done = answers.filter { $0.status == 200 }
            #expect(!done.isEmpty && done.allSatisfy { $0.json == done[0].json })
            #expect(answers.allSatisfy { $0.status == 200 || $0.code == "request_in_progress" })
            #expect(done[0].json["version"] == .integer(version + 1))
            let again = try await take(headers)
            #expect(again.status == 200 && again.json == done[0].json)
            #expect(again.reply.header("idempotent-replayed") == "true")
            let steps = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items
            #expect(steps.count { $0["action"].string == action } == 1)
            if !isEdit { #expect(try await take(headers.merging(["If-Match": "*"]) { $1 }).status == 200) }
            try await api.expectConsistency()
        }
    }

    @Test func `a delivery that was handed over already is so whatever is sent again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            let broken: JSON = ["pin": 12, "note": false, "photo_ids": "none"]
            let first = try await api.act("deliver", id, as: couriers[0], broken)
            #expect(first.wrong == ["pin": "wrong_type", "note": "wrong_type", "photo_ids": "wrong_type"])
            #expect(try await api.act("deliver", id, as: couriers[0], ["note": "susjedu"]).status == 200)
            for body in [broken, [], "delivered"] as [JSON] {
                let again = try await api.act("deliver", id, as: couriers[0], body)
                #expect(again.status == 200 && again.json["version"] == 3)
            }
            // Who never carried it learns nothing by a body.
            let stranger = try await api.courier()
            #expect(try await api.act("deliver", id, as: stranger, broken).status == 404)
        }
    }

    @Test func `what cannot be opened again is not offered to be`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            for action in ["accept", "deliver"] { try await api.act(action, id, as: couriers[0]) }
            func allowed() async throws -> JSON {
                let alone = try await api.get(SampleDelivery.path(id), as: store.token).json["allowed_actions"]
                let listed = try await api.get("/v1/deliveries?status=delivered", as: store.token).items[0]
                let told = try await api.get("/v1/events?limit=200", as: store.token).items.last {
                    $0["delivery_id"] != .null
                }
                #expect(listed["allowed_actions"] == alone && told?["delivery"]["allowed_actions"] == alone)
                return alone
            }
            try await api.numberEvents()
            #expect(try await allowed() == ["reopen"])
            #expect(try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token).status == 204)
            #expect(try await allowed() == [])
            #expect(try await api.act("reopen", id, as: store, ["note": "nije stiglo"]).code == "not_partner")
        }
    }

    @Test func `an offer says by when it is to arrive`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: couriers[0].token)
            let until = ahead(3600)
            _ = try await api.delivery(of: store, to: couriers, ["window": ["until": until]])
            let due = try await api.execute("SELECT data->>'due_at' FROM messages WHERE kind = 'delivery_offered'")
            #expect(due == [[until.string]])
        }
    }

    @Test func `a time that is over stays with what else is changed, and no other past one is taken`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["window": ["until": ahead(3600)]])
            try await api.execute(
                "UPDATE deliveries SET due_at = date_trunc('milliseconds', now()) - interval '1 minute'")
            let path = SampleDelivery.path(id)
            let window = try await api.get(path, as: store.token).json["window"]
            let kept = try await api.call("PATCH", path, ["window": window, "description": "Kruh"], as: store.token)
            #expect(kept.status == 200 && kept.json["window"] == window && kept.json["description"] == "Kruh")
            let other = try await api.call("PATCH", path, ["window": ["until": ahead(-5)]], as: store.token)
            #expect(other.status == 422 && other.wrong == ["window.until": "time_is_past"])
            let offered = try await api.call("PATCH", path, ["offer_at": ahead(-5)], as: store.token)
            #expect(offered.status == 422 && offered.wrong == ["offer_at": "time_is_past"])
        }
    }

    @Test func `times are to come, in their order, and no more than thirty days ahead`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (day, soon): (Int64, JSON) = (86_400, ahead(600))
            for (form, wrong) in [
                (["window": ["until": ahead(-5)]], ["window.until": "time_is_past"]),
                (["window": ["from": soon, "until": soon]], ["window.until": "ends_before_it_begins"]),
                (["window": ["until": ahead(31 * day)]], ["window.until": "too_far_ahead"]),
                (["window": ["from": ahead(31 * day)]], ["window.from": "too_far_ahead"]),
                (["offer_at": ahead(31 * day)], ["offer_at": "too_far_ahead"]),
            ] as [([String: JSON], [String: String])] {
                let refused = try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: couriers, form), as: store.token)
                #expect(refused.status == 422 && refused.wrong == wrong, "\(refused.json)")
            }
            let until = ahead(29 * day)
            let made = try await api.post(
                "/v1/deliveries",
                SampleDelivery.form(to: couriers, ["window": ["from": ahead(-600), "until": until]]), as: store.token)
            #expect(made.status == 201 && made.json["due_at"] == until && made.json["window"]["until"] == until)
        }
    }

    @Test func `who is concerned is told of what the other did`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let ana = couriers[0]
            for (number, person) in [store, ana].enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: person.token)
            }
            func told(_ person: Person, _ kind: String, of id: String) async throws -> Bool {
                try await api.execute(
                    """
                    SELECT FROM messages WHERE account_id = '\(person.id)' AND kind = '\(kind)'
                        AND data->>'delivery_id' = '\(id)'
                    """
                ).count == 1
            }
            let id = try await api.delivery(of: store, to: couriers)
            for action in ["accept", "pick_up"] { try await api.act(action, id, as: ana) }
            try await api.act("fail", id, as: ana, ["reason": "nobody_home"])
            #expect(try await told(store, "attempt_failed", of: id))
            try await api.act("deliver", id, as: ana)
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            #expect(try await told(ana, "delivery_reopened", of: id))
            try await api.act("reassign", id, as: store)
            #expect(try await told(ana, "delivery_reassigned", of: id))
            try await api.expectEvents(
                [
                    "created", "accepted", "picked_up", "attempt_failed", "delivered", "reopened", "reassigned",
                ].map { "delivery.\($0)" }, of: store, about: id)
            try await api.expectEvents(
                [
                    "offered", "accepted", "picked_up", "attempt_failed", "delivered", "reopened", "reassigned",
                ].map { "delivery.\($0)" }, of: ana, about: id)
        }
    }

    @Test func `what is opened again is carried on, with the tries of the PIN that it had`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["proof": ["pin": true]])
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            try await api.act("accept", id, as: couriers[0])
            let wrong: JSON = ["pin": pin == "0000" ? "0001" : "0000"]
            for _ in 0..<3 { #expect(try await api.act("deliver", id, as: couriers[0], wrong).code == "wrong_pin") }
            #expect(try await api.act("deliver", id, as: couriers[0], ["pin": .string(pin)]).status == 200)
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            // Three wrong ones and the right one.
            #expect(try await api.act("deliver", id, as: couriers[0], wrong).code == "wrong_pin")
            #expect(try await api.act("deliver", id, as: couriers[0], ["pin": .string(pin)]).code == "too_many_pins")
        }
    }

    @Test func `a wrong PIN that is sent again is one try`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["proof": ["pin": true]])
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
            try await api.act("accept", id, as: couriers[0])
            func deliver(_ pin: String, _ key: String) async throws -> Answer {
                try await api.post(
                    SampleDelivery.path(id, "deliver"), ["pin": .string(pin)], as: couriers[0].token,
                    headers: ["Idempotency-Key": key])
            }
            let wrong = pin == "0000" ? "0001" : "0000"
            for count in 0..<8 {
                let answer = try await deliver(wrong, "one")
                #expect(answer.code == "wrong_pin")
                #expect((answer.reply.header("idempotent-replayed") == "true") == (count > 0))
            }
            #expect(try await api.execute("SELECT tries FROM pin_tries") == [["1"]])
            #expect(try await deliver(pin, "one").code == "idempotency_key_reused")
            #expect(try await deliver(pin, "another").status == 200)
        }
    }

    @Test func `a cancellation that is excused is none that was not`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: couriers[0])
            let cancellation = try #require(try await api.execute("SELECT id FROM cancellations")[0][0])
            #expect(try await api.post("/v1/cancellations/\(cancellation)/excuse", as: store.token).status == 200)
            let refused = try await api.act("accept", id, as: couriers[0])
            #expect(refused.status == 403 && refused.code == "forfeited")
            let named: JSON = ["courier_ids": .array([.string(couriers[0].id)])]
            let edited = try await api.call("PATCH", SampleDelivery.path(id), named, as: store.token)
            #expect(edited.wrong == ["courier_ids": "courier_forfeited"])
        }
    }
}
