import HTTP
import TestSupport
import Testing

/// The same key and body give the first answer again, whatever happens.
@Suite(.database) struct IdempotencyTests {
    private func invite(_ api: ServedProduct, _ store: Person, _ body: JSON, key: String) async throws -> Answer {
        try await api.post("/v1/invites", body, as: store.token, headers: ["Idempotency-Key": key])
    }

    @Test func `a repeated key gives the first answer again`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let body: JSON = ["phone": .string(SamplePeople.phone())]
            let first = try await invite(api, store, body, key: "one")
            let again = try await invite(api, store, body, key: "one")
            #expect(first.status == 201 && first.reply.header("idempotent-replayed") == nil)
            #expect(again.status == 201 && again.reply.header("idempotent-replayed") == "true")
            #expect(again.reply.body == first.reply.body)
            #expect(again.reply.header("content-type") == first.reply.header("content-type"))
            // Without the key the answer says that there is a live invite already.
            #expect(try await api.post("/v1/invites", body, as: store.token).status == 200)
        }
    }

    @Test func `another body is refused under the same key`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            _ = try await invite(api, store, ["phone": .string(SamplePeople.phone())], key: "one")
            let other = try await invite(api, store, ["phone": .string(SamplePeople.phone())], key: "one")
            #expect(other.status == 422 && other.code == "idempotency_key_reused")
            #expect(try await api.execute("SELECT FROM invites").count == 1)
        }
    }

    @Test func `each account has keys of its own`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.store(), try await api.store())
            let body: JSON = ["phone": .string(SamplePeople.phone())]
            let answers = [
                try await invite(api, one, body, key: "same"), try await invite(api, other, body, key: "same"),
            ]
            #expect(answers.map(\.status) == [201, 201] && answers[0].json["id"] != answers[1].json["id"])
        }
    }

    /// A refusal that tells the state of things is kept like an answer; one that a better body would avoid is not.
    @Test func `refusals are kept as far as they are final`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            try await api.join(store, courier)
            let body: JSON = ["courier_id": .string(courier.id)]
            let refused = try await invite(api, store, body, key: "one")
            #expect(refused.status == 409 && refused.code == "already_partner")
            try await api.execute("DELETE FROM partners")
            let again = try await invite(api, store, body, key: "one")
            #expect(again.status == 409 && again.reply.body == refused.reply.body)
            #expect(again.reply.header("content-type") == "application/problem+json")
            #expect(try await invite(api, store, [:], key: "two").status == 422)
            #expect(try await invite(api, store, body, key: "two").status == 201)
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 256), "žlica"])
    func `a key is short and visible`(_ key: String) async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await invite(api, store, ["phone": .string(SamplePeople.phone())], key: key)
            #expect(answer.status == 400 && answer.code == "bad_request")
        }
    }

    /// One of the twins does the work. The others are told that it is under way, or get its answer.
    @Test func `twin requests do the work once`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for round in 0..<100 {
                let body: JSON = ["phone": .string(SamplePeople.phone())]
                let answers = try await together(6) { try await invite(api, store, body, key: "round \(round)") }
                #expect(answers.allSatisfy { $0.status == 201 || $0.code == "request_in_progress" })
                let firsts = answers.filter { $0.status == 201 && $0.reply.header("idempotent-replayed") == nil }
                #expect(firsts.count == 1)
                #expect(Set(answers.filter { $0.status == 201 }.map(\.reply.body)).count == 1)
            }
            #expect(try await api.execute("SELECT FROM invites").count == 100)
            #expect(try await api.execute("SELECT FROM outbox").count == 100)
        }
    }

    /// Answers contain codes, so the table must not reveal them.
    @Test func `kept answers are encrypted`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await invite(api, store, ["phone": .string(SamplePeople.phone())], key: "one")
            let code = try #require(answer.json["code"].string)
            let kept = try await api.execute("SELECT position('\(code)'::bytea IN body) FROM idempotency_keys")
            #expect(kept == [["0"]])
        }
    }

    /// What somebody may no longer see is not told once more, and nothing is done once more either.
    @Test func `of what is gone, a repeated key tells nothing`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let delivery = try await api.delivery(of: store, to: couriers)
            let tracking = SampleDelivery.path(delivery, "tracking")
            func post(_ path: String, _ form: JSON?, as person: Person = store) async throws -> Answer {
                try await api.post(path, form, as: person.token, headers: ["Idempotency-Key": "one \(path)"])
            }
            let things: [(path: String, form: JSON?, removed: (JSON) -> String)] = [
                ("/v1/places", ["name": "Baka", "address": "Ilica 1"], { "/v1/places/\($0["id"].string ?? "")" }),
                ("/v1/bulletin", ["title": "Novo", "text": "Radimo"], { "/v1/bulletin/\($0["id"].string ?? "")" }),
                (tracking, nil, { _ in tracking }),
            ]
            for thing in things {
                let first = try await post(thing.path, thing.form)
                let again = try await post(thing.path, thing.form)
                #expect(
                    first.status < 300 && again.status == first.status && again.json == first.json, "\(thing.path)")
                #expect(again.reply.header("idempotent-replayed") == "true")
                let gone = try await api.call("DELETE", thing.removed(first.json), nil, as: store.token)
                #expect(gone.status == 204)
                let untold = try await post(thing.path, thing.form)
                #expect(untold.status == 404, "\(thing.path)")
            }
            // Another link than that one is no reason to tell it.
            #expect(try await api.post(tracking, nil, as: store.token).status == 200)
            let untold = try await post(tracking, nil)
            #expect(untold.status == 404)

            let other = try await api.courier()
            let invited = try await api.post("/v1/invites", ["courier_id": .string(other.id)], as: store.token)
            let accepting = "/v1/invites/\(invited.json["id"].string ?? "")/accept"
            for _ in 0..<2 {
                let joined = try await post(accepting, nil, as: other)
                #expect(joined.status == 201)
            }
            #expect(try await api.call("DELETE", "/v1/partners/\(other.id)", nil, as: store.token).status == 204)
            let over = try await post(accepting, nil, as: other)
            #expect(over.status == 404)
        }
    }

    @Test func `a key is forgotten after a day`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let body: JSON = ["phone": .string(SamplePeople.phone())]
            _ = try await invite(api, store, body, key: "one")
            try await api.execute("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'")
            let later = try await invite(api, store, body, key: "one")
            #expect(later.status == 200 && later.reply.header("idempotent-replayed") == nil)
            #expect(try await invite(api, store, body, key: "one").status == 200)
        }
    }

    /// With one connection a loop, nobody may wait for a second one while holding it.
    @Test func `a pool of one connection is enough`() async throws {
        try await ServedProduct.serving(looseness: 1, poolSize: 1) { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            @Sendable func post(_ path: String, _ body: JSON?, _ person: Person) async throws -> JSON {
                let answer = try await api.post(
                    path, body, as: person.token, headers: ["Idempotency-Key": "\(path) \(person.id)"])
                #expect(answer.status / 100 == 2, "\(path): \(answer.json)")
                return answer.json
            }
            let invite = try await post("/v1/invites", ["courier_id": .string(courier.id)], store)
            _ = try await post("/v1/partners", ["code": invite["code"]], courier)
            let id = try await post("/v1/deliveries", SampleDelivery.form(to: [courier]), store)["id"].string ?? ""
            for action in ["accept", "cancel"] { _ = try await post(SampleDelivery.path(id, action), nil, courier) }
            _ = try await together(16) {
                _ = try await post("/v1/invites", ["phone": .string(SamplePeople.phone())], try await api.store())
            }
        }
    }

    /// A failure counts towards the throttle, although everything else that it did is rolled back.
    @Test func `a try that fails is throttled all the same`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let courier = try await api.courier()
            var statuses: [Int] = []
            for number in 0..<11 {
                statuses.append(
                    try await api.post(
                        "/v1/partners", ["code": "00000-00000"], as: courier.token,
                        headers: ["Idempotency-Key": "guess \(number)"]
                    ).status)
            }
            #expect(statuses == Array(repeating: 404, count: 10) + [429])
            // A request that was answered before still gets its answer.
            let again = try await api.post(
                "/v1/partners", ["code": "00000-00000"], as: courier.token, headers: ["Idempotency-Key": "guess 0"])
            #expect(again.status == 404 && again.reply.header("idempotent-replayed") == "true")
        }
    }
}
