import API
import HTTP
import Postgres
import TestSupport
import Testing

/// In which order lists stand, and how much a courier carries.
@Suite(.database) struct ListOrderTests {
    private func due(_ minutes: Int64) -> [String: JSON] {
        ["window": ["until": .string(Timestamp(microseconds: Timestamp.now.microseconds + minutes * 60_000_000).text)]]
    }

    private func list(_ person: Person, _ api: ServedProduct, _ query: String = "") async throws -> [String] {
        try await api.get("/v1/deliveries?limit=200" + query, as: person.token).items.compactMap { $0["id"].string }
    }

    /// The pages of two, one after the other.
    private func pages(_ person: Person, _ api: ServedProduct, _ query: String = "") async throws -> [String] {
        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let place = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await api.get("/v1/deliveries?limit=2\(place)" + query, as: person.token)
            seen += page.items.compactMap { $0["id"].string }
            cursor = page.json["next_cursor"].string
        } while cursor != nil
        return seen
    }

    @Test func `what is due stands first, soonest first, and what is over by its end`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func made(_ more: [String: JSON] = [:]) async throws -> String {
                try await api.delivery(of: store, to: couriers, more)
            }
            let (plain, late, soon) = (try await made(), try await made(due(90)), try await made(due(30)))
            let newer = try await made()
            #expect(try await list(store, api) == [soon, late, newer, plain])
            #expect(try await list(couriers[0], api) == [soon, late, newer, plain])
            #expect(try await pages(store, api, "&q=torta") == [soon, late, newer, plain])
            #expect(try await pages(couriers[0], api, "&q=torta") == [soon, late, newer, plain])
            // Another time is another place.
            _ = try await api.call("PATCH", SampleDelivery.path(plain), ["window": due(10)["window"]!], as: store.token)
            for person in [store, couriers[0]] { #expect(try await pages(person, api) == [plain, soon, late, newer]) }
            for id in [newer, soon, plain] { try await api.act("accept", id, as: couriers[0]) }
            #expect(try await list(couriers[0], api) == [late, plain, soon, newer])
            for id in [newer, plain] { try await api.act("deliver", id, as: couriers[0]) }
            for person in [store, couriers[0]] { #expect(try await pages(person, api) == [late, soon, plain, newer]) }
            for id in [soon, late] { try await api.act("cancel", id, as: store) }
            #expect(try await pages(store, api) == [plain, newer, late, soon])
            #expect(try await pages(store, api, "&status=cancelled") == [late, soon])
            try await api.expectConsistency()
        }
    }

    @Test func `a courier's own order stands before any time, and its stores see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let ana = couriers[0]
            var ids: [String] = []
            for minutes in [10, 20, 30] as [Int64] {
                ids.append(try await api.delivery(of: store, to: couriers, due(minutes)))
                try await api.act("accept", ids.last!, as: ana)
            }
            func go(_ route: [String], as person: Person) async throws -> Answer {
                let form: JSON = ["delivery_ids": .array(route.map { .string($0) })]
                return try await api.call("PUT", "/v1/me/route", form, as: person.token)
            }
            #expect(try await go([ids[2], ids[1]], as: ana).status == 204)
            #expect(try await list(ana, api) == [ids[2], ids[1], ids[0]])
            let seen = try await api.get("/v1/deliveries", as: store.token).items
            #expect(seen.map { $0["stop"]["number"].integer } == [nil, 2, 1] && seen[1]["stop"]["of"] == 2)
            // An edit of the time leaves it.
            _ = try await api.call("PATCH", SampleDelivery.path(ids[1]), ["window": due(5)["window"]!], as: store.token)
            #expect(try await list(ana, api) == [ids[2], ids[1], ids[0]])
            try await api.expectEvents(
                ["delivery.created", "delivery.accepted", "delivery.routed"], of: store, about: ids[2])
            let stranger = try await go([ids[0]], as: couriers[1])
            #expect(stranger.status == 422 && stranger.wrong == ["delivery_ids": "not_carried"])
            #expect(try await go([], as: ana).status == 204)
            #expect(try await list(ana, api) == [ids[1], ids[0], ids[2]])
            #expect(try await go([ids[0]], as: ana).status == 204)
            try await api.act("deliver", ids[0], as: ana)
            #expect(try await api.get(SampleDelivery.path(ids[0]), as: ana.token).json["stop"] == .null)
            try await api.expectConsistency()
        }
    }

    @Test func `nobody accepts more than a courier may carry, even at once`() async throws {
        try await ServedProduct.serving(mostJobs: 3) { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<10 {
                var ids: [String] = []
                for _ in 0..<6 { ids.append(try await api.delivery(of: store, to: couriers)) }
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for id in ids {
                        group.addTask {
                            try await api.act("accept", id, as: couriers[0], headers: ["Idempotency-Key": id])
                        }
                    }
                    return try await group.reduce(into: [Answer]()) { $0.append($1) }
                }
                #expect(answers.count { $0.status == 200 } == 3)
                #expect(answers.count { $0.status == 409 && $0.code == "too_many_jobs" } == 3)
                for id in ids { try await api.act("cancel", id, as: store) }
            }
            try await api.expectConsistency()
        }
    }
}
