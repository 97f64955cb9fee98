import API
import HTTP
import Postgres
import TestSupport
import Testing

import Domain

/// How and when couriers are offered something: later, one after the other, and what they still see of what was taken away.
@Suite(.database) struct OfferTests {
    private func ahead(_ seconds: Int64) -> JSON {
        .string(Timestamp(microseconds: Timestamp.now.microseconds + seconds * 1_000_000).text)
    }

    private static let inTurn: [String: JSON] = ["offer": ["mode": "in_turn", "each_seconds": 600]]

    /// What becomes of the candidates, in their order.
    private func states(_ id: String, _ api: ServedProduct, _ store: Person) async throws -> [String] {
        try await api.get(SampleDelivery.path(id), as: store.token).json["candidates"].items.map {
            $0["state"].string ?? ""
        }
    }

    private func endTurn(_ api: ServedProduct) async throws {
        try await api.execute("UPDATE delivery_extras SET turn_at = now() WHERE turn_at IS NOT NULL")
    }

    private func status(_ id: String, _ api: ServedProduct, _ person: Person) async throws -> Int {
        try await api.get(SampleDelivery.path(id), as: person.token).status
    }

    @Test func `one after the other is offered it, and those before keep the offer`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: courier.token)
            }
            let id = try await api.delivery(of: store, to: couriers, Self.inTurn)
            #expect(try await states(id, api, store) == ["offered", "waiting", "waiting"])
            #expect(try await status(id, api, couriers[1]) == 404)
            #expect(try await api.act("accept", id, as: couriers[1]).status == 404)
            try await endTurn(api)
            try await eventually { try await states(id, api, store) == ["offered", "offered", "waiting"] }
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.count == 1)
            // The next has its turn at once when the one who has it declines.
            try await api.act("decline", id, as: couriers[1])
            #expect(try await states(id, api, store) == ["offered", "declined", "offered"])
            try await endTurn(api)
            try await eventually {
                try await api.execute("SELECT FROM delivery_extras WHERE turn_at IS NULL").count == 1
            }
            // Once more for all who did not decline.
            try await api.expectEvents(["delivery.offered", "delivery.offered"], of: couriers[0], about: id)
            try await api.expectEvents(["delivery.offered", "delivery.declined"], of: couriers[1], about: id)
            try await api.expectEvents(["delivery.offered", "delivery.offered"], of: couriers[2], about: id)
            #expect(try await api.act("accept", id, as: couriers[0]).status == 200)
            try await api.expectConsistency()
        }
    }

    @Test func `whoever is off duty comes last, and the reliable first where that is wanted`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            let (bad, off, good) = (couriers[0], couriers[1], couriers[2])
            try await api.execute("UPDATE couriers SET delivered = 10, cancelled = 5 WHERE id = '\(bad.id)'")
            try await api.execute("UPDATE couriers SET delivered = 10 WHERE id IN ('\(good.id)', '\(off.id)')")
            _ = try await api.call("PUT", "/v1/me/duty", ["on": false], as: off.token)
            let id = try await api.delivery(
                of: store, to: couriers, ["offer": ["mode": "in_turn", "order": "reliable"]])
            #expect(try await states(id, api, store) == ["waiting", "waiting", "offered"])
            try await api.act("decline", id, as: good)
            #expect(try await states(id, api, store) == ["offered", "waiting", "declined"])
            try await api.act("decline", id, as: bad)
            #expect(try await states(id, api, store) == ["declined", "offered", "declined"])
        }
    }

    @Test func `a turn goes on where all nodes were down`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers, Self.inTurn)
            try await api.execute("UPDATE delivery_extras SET turn_at = now() - interval '1 hour'")
            try await eventually { try await states(id, api, store) == ["offered", "offered"] }
            try await api.expectEvents(["delivery.created", "delivery.offered"], of: store, about: id)
        }
    }

    @Test func `what is offered later is known to its store alone until then`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers, ["offer_at": ahead(3600)])
            let held = try await api.get(SampleDelivery.path(id), as: store.token).json
            #expect(held["status"] == "pending" && held["offered"] == false && held["offered_count"] == 0)
            #expect(try await api.execute("SELECT FROM deliveries WHERE alert_at IS NOT NULL").isEmpty)
            #expect(try await states(id, api, store) == ["waiting", "waiting"])
            #expect(try await status(id, api, couriers[0]) == 404)
            for action in ["accept", "decline"] {
                #expect(try await api.act(action, id, as: couriers[0]).status == 404)
            }
            #expect(try await api.get(SampleDelivery.path(id, "history"), as: couriers[0].token).status == 404)
            try await endTurn(api)
            try await eventually { try await status(id, api, couriers[0]) == 200 }
            let offered = try await api.get(SampleDelivery.path(id), as: store.token).json
            #expect(offered["offered"] == true && offered["offered_count"] == 2)
            #expect(try await api.execute("SELECT FROM deliveries WHERE alert_at IS NOT NULL").count == 1)
            try await api.expectEvents(["delivery.offered"], of: couriers[1], about: id)
            // A time that is told anew takes the offers back.
            let later = try await api.call("PATCH", SampleDelivery.path(id), ["offer_at": ahead(60)], as: store.token)
            #expect(later.json["offered"] == false)
            #expect(try await status(id, api, couriers[0]) == 404)
            #expect(try await api.execute("SELECT FROM deliveries WHERE alert_at IS NOT NULL").isEmpty)
            let now = try await api.call("PATCH", SampleDelivery.path(id), ["offer_at": .null], as: store.token)
            #expect(now.json["offer_at"] == .null && now.json["offered_count"] == 2)
            #expect(try await api.execute("SELECT FROM deliveries WHERE alert_at IS NOT NULL").count == 1)
            try await api.expectConsistency()
        }
    }

    @Test func `what is offered later while somebody has it is held back when the store takes it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            let later = try await api.call("PATCH", SampleDelivery.path(id), ["offer_at": ahead(3600)], as: store.token)
            #expect(later.status == 200 && later.json["status"] == "in_progress")
            let taken = try await api.act("reassign", id, as: store)
            #expect(taken.json["offered"] == false && taken.json["offered_count"] == 0)
            #expect(try await status(id, api, couriers[1]) == 404)
            try await endTurn(api)
            try await eventually { try await status(id, api, couriers[1]) == 200 }
            try await api.expectConsistency()
        }
    }

    @Test func `whoever had no turn finds nothing after another has accepted`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            let id = try await api.delivery(of: store, to: couriers, Self.inTurn)
            try await endTurn(api)
            try await eventually { try await states(id, api, store) == ["offered", "offered", "waiting"] }
            try await api.act("accept", id, as: couriers[0])
            #expect(try await api.act("accept", id, as: couriers[1]).code == "already_taken")
            #expect(try await api.act("accept", id, as: couriers[2]).status == 404)
            try await api.act("deliver", id, as: couriers[0])
            #expect(try await api.act("accept", id, as: couriers[2]).status == 404)
            try await api.expectConsistency()
        }
    }

    @Test func `a time that is past, and a turn without bounds, are refused`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for (form, field) in [
                (["offer_at": ahead(-5)], "offer_at"),
                (["offer": ["mode": "in_turn", "each_seconds": 14]], "offer.each_seconds"),
                (["offer": ["mode": "first"]], "offer.mode"),
                (["offer": ["mode": "in_turn", "order": "tallest"]], "offer.order"),
            ] as [([String: JSON], String)] {
                let refused = try await api.post(
                    "/v1/deliveries", SampleDelivery.form(to: couriers, form), as: store.token)
                #expect(refused.status == 422 && refused.wrong.keys.sorted() == [field])
            }
        }
    }

    @Test func `a store says once how its couriers are offered things, where it is and when it is open`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let said: JSON = [
                "offer": ["mode": "in_turn", "order": "given", "each_seconds": 90],
                "location": ["lat": .number(45.8), "lon": .number(15.9)], "tell_recipients": true,
                "opening_hours": "Pon–Sub 8–20",
            ]
            let set = try await api.call("PATCH", "/v1/me", said, as: store.token)
            #expect(set.status == 200)
            for name in said.names { #expect(set.json[name] == said[name], "\(name)") }
            let id = try await api.delivery(of: store, to: couriers)
            #expect(try await states(id, api, store) == ["offered", "waiting"])
            let all = try await api.delivery(of: store, to: couriers, ["offer": ["mode": "all"]])
            #expect(try await states(all, api, store) == ["offered", "offered"])
            let erased = try await api.call(
                "PATCH", "/v1/me", ["offer": .null, "location": .null, "opening_hours": .null], as: store.token)
            #expect(erased.json["offer"] == ["mode": "all"] && erased.json["location"] == .null)
        }
    }

    @Test func `who held it sees it for a day, without its recipient`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            let (taken, cancelled) = (
                try await api.delivery(of: store, to: couriers), try await api.delivery(of: store, to: couriers)
            )
            for id in [taken, cancelled] { try await api.act("accept", id, as: ana) }
            try await api.act("reassign", taken, as: store)
            try await api.act("cancel", cancelled, as: store)
            let seen = try await api.get("/v1/deliveries", as: ana.token).items
            #expect(seen.map { $0["id"].string } == [taken, cancelled])
            #expect(
                seen.allSatisfy { $0["recipient"] == .null && $0["courier"] == .null && $0["allowed_actions"] == [] })
            try await api.expectConsistency()
            // Nobody else has it; then somebody has.
            try await api.act("accept", taken, as: ivo)
            #expect(try await status(taken, api, ana) == 404)
            #expect(try await api.get("/v1/deliveries", as: ana.token).items.map { $0["id"].string } == [cancelled])
            try await api.execute(
                "UPDATE deliveries SET cancelled_at = cancelled_at - interval '25 hours' WHERE status = 'cancelled'")
            try await api.execute("UPDATE jobs SET until = until - interval '25 hours'")
            #expect(try await api.get("/v1/deliveries", as: ana.token).items.isEmpty)
            #expect(try await status(cancelled, api, ana) == 404)
        }
    }

    @Test func `who held it and is named again may accept it, and stand back again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: ana)
            try await api.act("reassign", id, as: store)
            func name(_ people: [Person]) async throws {
                let ids = JSON.array(people.map { .string($0.id) })
                #expect(
                    try await api.call("PATCH", SampleDelivery.path(id), ["courier_ids": ids], as: store.token).status
                        == 200)
                try await api.expectConsistency()
            }
            try await name([ivo, ana])
            #expect(
                try await api.get(SampleDelivery.path(id), as: ana.token).json["allowed_actions"] == [
                    "accept", "decline",
                ])
            try await name([ivo])
            #expect(try await api.get(SampleDelivery.path(id), as: ana.token).json["allowed_actions"] == [])
            try await name([ivo, ana])
            #expect(try await api.act("accept", id, as: ana).status == 200)
        }
    }
}
