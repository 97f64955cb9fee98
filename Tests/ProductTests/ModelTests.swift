import Domain
import HTTP
import TestSupport
import Testing

/// Random commands of several stores and couriers at once, against the API on a real database, are compared with the
/// pure lifecycle. Meanwhile partnerships end and begin.
@Suite(.database) struct ModelTests {
    private enum Actor { case store, courier(Int) }

    /// Several use each delivery at once, so their answers depend on who came first. The history tells that, and the
    /// pure lifecycle, replayed in that order, must have the same outcome.
    @Test func `random commands come to what the lifecycle says`() async throws {
        var seed = Seed.forThisRun()
        print("model: \(seed)")
        let seeds = (0..<8).map { _ in seed.next() }
        try await ServedProduct.serving { api in
            let (first, second) = (try await api.team(4), try await api.team(4))
            for (number, person) in ([first.store, second.store] + first.couriers + second.couriers).enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: person.token)
            }
            var ids: [(id: String, team: (store: Person, couriers: [Person]))] = []
            for team in [first, second, first, second, first, second] {
                ids.append((try await api.delivery(of: team.store, to: team.couriers), team))
            }
            let deliveries = ids
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seed in seeds {
                    group.addTask { try await act(Seed(seed), on: deliveries, api) }
                }
                try await group.waitForAll()
            }
            try await eventually { try await api.execute("SELECT FROM partnership_endings").isEmpty }
            try await api.expectConsistency()
            #expect(try await api.execute(Self.strangersWithOffers) == [["0"]])
            for (id, team) in try await all(deliveries, api) { try await replay(id, of: team, api) }
        }
    }

    /// Couriers who are not partners have no place in open deliveries.
    private static let strangersWithOffers = """
        SELECT count(*) FROM deliveries d, unnest(d.candidates || d.courier_id) AS courier
        WHERE d.status IN ('pending', 'in_progress') AND courier IS NOT NULL
            AND NOT EXISTS (SELECT FROM partners p WHERE p.store_id = d.store_id AND p.courier_id = courier)
        """

    /// Includes the deliveries that were made on the way.
    private func all(
        _ known: [(id: String, team: (store: Person, couriers: [Person]))], _ api: ServedProduct
    ) async throws -> [(String, (store: Person, couriers: [Person]))] {
        let rows = try await api.execute("SELECT id, store_id FROM deliveries")
        return rows.compactMap { row in
            known.first { $0.team.store.id == row[1] }.map { (row[0] ?? "", $0.team) }
        }
    }

    private func act(
        _ start: Seed, on known: [(id: String, team: (store: Person, couriers: [Person]))], _ api: ServedProduct
    ) async throws {
        var (seed, deliveries) = (start, known)
        for _ in 0..<60 {
            let (id, team) = seed.pick(deliveries)
            let courier = seed.pick(team.couriers)
            let answer: Answer
            switch seed.number(0...16) {
            case 0:
                var more: [String: JSON] = ["pay": ["amount": .integer(seed.number(0...9)), "currency": "EUR"]]
                if seed.once(in: 2) { more["offer"] = ["mode": "in_turn"] }
                answer = try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: team.couriers, more), as: team.store.token)
                if let made = answer.json["id"].string { deliveries.append((made, team)) }
            case 1:
                let chosen = team.couriers.filter { _ in seed.once(in: 2) } + [courier]
                answer = try await api.call(
                    "PATCH", SampleDelivery.path(id), ["courier_ids": .array(chosen.map { .string($0.id) })],
                    as: team.store.token)
            case 2 where seed.once(in: 3): answer = try await api.act("cancel", id, as: team.store)
            case 2...5: answer = try await api.act("accept", id, as: courier)
            case 6: answer = try await api.act("decline", id, as: courier)
            case 7 where seed.once(in: 2):
                answer = try await api.call(
                    "DELETE", "/v1/partners/\(courier.id)?release=true", as: team.store.token)
                try await reunite(team.store, courier, api)
            case 7: answer = try await api.act("deliver", id, as: courier)
            case 8, 9: answer = try await api.act("pick_up", id, as: courier)
            case 10: answer = try await api.act("fail", id, as: courier, ["reason": "nobody_home"])
            case 11:
                let chosen = team.couriers.filter { _ in seed.once(in: 2) } + [courier]
                let body: JSON = ["courier_ids": .array(chosen.map { .string($0.id) })]
                answer = try await api.act("reassign", id, as: team.store, seed.once(in: 2) ? body : [:])
            case 12: answer = try await api.act("reopen", id, as: team.store, ["note": "nije stiglo"])
            case 13:
                let body: JSON = ["offer_again": true, "description": .string("\(seed.number(0...9))")]
                answer = try await api.call("PATCH", SampleDelivery.path(id), body, as: team.store.token)
            case 14:
                try await api.execute(
                    "UPDATE delivery_extras SET turn_at = now() WHERE delivery_id = '\(id)' AND turn_at IS NOT NULL")
                answer = try await api.get(SampleDelivery.path(id), as: team.store.token)
            case 15:
                let carried = try await api.get("/v1/deliveries?status=in_progress", as: courier.token).items
                answer = try await api.call(
                    "PUT", "/v1/me/route", ["delivery_ids": .array(carried.map { $0["id"] })], as: courier.token)
            default: answer = try await api.act("cancel", id, as: courier, ["reason": "slučajno"])
            }
            // Whatever happens meanwhile, the table knows the answer.
            let known = Set(Lifecycle.Refusal.allCases.map(\.rawValue))
                .union(["validation_failed", "not_found", "not_partner"])
            #expect((200...204).contains(answer.status) || known.contains(answer.code ?? ""), "\(answer.json)")
        }
    }

    /// Makes them partners again, unless somebody else does.
    private func reunite(_ store: Person, _ courier: Person, _ api: ServedProduct) async throws {
        let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
        guard let code = invite.json["code"].string else { return }
        _ = try await api.post("/v1/partners", ["code": .string(code)], as: courier.token)
    }

    /// Replays the history with the pure lifecycle, and compares.
    private func replay(_ id: String, of team: (store: Person, couriers: [Person]), _ api: ServedProduct) async throws {
        let steps = try await api.get(SampleDelivery.path(id, "history") + "?limit=200", as: team.store.token).items
        let there = try await api.get(SampleDelivery.path(id), as: team.store.token).json
        var content = DeliveryContent(
            recipient: Recipient(firstName: "Iva", lastName: "Ivić", address: "x", phone: nil, location: nil),
            description: "x", instructions: nil, reference: nil)
        if there["offer"]["mode"] == "in_turn" { content.terms.turns = OfferTurns() }
        let store = try #require(ID(team.store.id))
        var delivery = Lifecycle.create(
            try #require(ID(id)), content: content,
            candidates: steps[0]["added"].items.compactMap { ID($0.string ?? "") },
            by: store
        ).after
        for step in steps.dropFirst() {
            let action = try #require(Lifecycle.Action(rawValue: step["action"].string ?? ""))
            let actor = try #require(ID(step["actor"]["id"].string ?? ""))
            let removed = step["removed"].items.compactMap { ID($0.string ?? "") }
            let added = step["added"].items.compactMap { ID($0.string ?? "") }
            // What else is edited is not in the history: each edit changes something.
            var edited = content
            if action == .edit { edited.description = "\(step["seq"].integer ?? 0)" }
            let edit = StepCommand.Edit(
                content: edited, candidates: delivery.candidates.filter { !removed.contains($0) } + added,
                askedAgain: Set(step["asked_again"].items.compactMap { ID($0.string ?? "") }))
            let isEdit = action == .edit || action == .reassign
            let command = StepCommand(
                action, by: actor, actor == store ? .store : .courier, about: ID(step["courier_id"].string ?? ""),
                reason: step["reason"].string, edit: isEdit ? edit : nil)
            let strangers = Set(removed.filter { !isEdit && $0 != command.courier })
            guard
                case .change(let change) = try Lifecycle.decide(
                    command, on: delivery, isPartner: true, strangers: strangers)
            else {
                Issue.record("the history has a step that is none: \(step)")
                return
            }
            delivery = change.after
            #expect(delivery.status.rawValue == step["status"].string && Int(delivery.version) == step["seq"].integer)
        }
        #expect(there["status"].string == delivery.status.rawValue && there["version"].integer == Int(delivery.version))
        #expect(there["courier"]["id"].string.flatMap(ID.init) == delivery.courier)
        let states = Dictionary(
            uniqueKeysWithValues: there["candidates"].items.map {
                ($0["courier_id"].string ?? "", $0["state"].string ?? "")
            })
        let expected = Dictionary(
            uniqueKeysWithValues: delivery.candidates.map { ($0.description, delivery.state(of: $0).rawValue) })
        #expect(states == expected)
    }
}
