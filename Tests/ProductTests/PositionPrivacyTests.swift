import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// Who sees where a courier is, and when: page 4 of the contract, cell by cell.
@Suite(.database) struct PositionPrivacyTests {
    /// What holds of a courier.
    private enum Situation: String, CaseIterable {
        case onDuty, offDuty, carryingForThis, carryingForThisOffDuty, carryingForAnother, carryingForAnotherOffDuty
    }

    /// Who asks.
    private enum Asking: String, CaseIterable { case partner, other, stranger, formerPartner }

    /// A courier who carries something is seen by whose it is; one who always shares it, by its partners while it is on duty.
    private func isSeen(by asking: Asking, _ situation: Situation, sharing: PositionSharing) -> Bool {
        let isOnDuty = [.onDuty, .carryingForThis, .carryingForAnother].contains(situation)
        return switch asking {
        case .stranger, .formerPartner: false
        case .partner:
            [.carryingForThis, .carryingForThisOffDuty].contains(situation) || sharing == .always && isOnDuty
        case .other:
            [.carryingForAnother, .carryingForAnotherOffDuty].contains(situation) || sharing == .always && isOnDuty
        }
    }

    @Test(arguments: PositionSharing.allCases) func `a store sees whom it may, and nobody else`(
        _ sharing: PositionSharing
    )
        async throws
    {
        try await ServedProduct.serving { api in
            let (store, other) = (try await api.store(), try await api.store())
            let (stranger, former) = (try await api.store(), try await api.store())
            let all = [(Asking.partner, store), (.other, other), (.stranger, stranger), (.formerPartner, former)]
            var couriers: [Situation: Person] = [:]
            for situation in Situation.allCases {
                let courier = try await api.courier()
                for one in [store, other, former] { try await api.join(one, courier) }
                try await api.share(sharing.rawValue, by: courier)
                let owner: Person? =
                    switch situation {
                    case .onDuty, .offDuty: nil
                    case .carryingForThis, .carryingForThisOffDuty: store
                    case .carryingForAnother, .carryingForAnotherOffDuty: other
                    }
                if let owner {
                    let id = try await api.delivery(of: owner, to: [courier])
                    try await api.act("accept", id, as: courier)
                }
                #expect(try await api.say(SamplePlace.fix(), by: courier).json["taken"] == 1)
                if situation.rawValue.lowercased().contains("offduty") { try await api.setDuty(false, of: courier) }
                _ = try await api.call("DELETE", "/v1/partners/\(courier.id)", as: former.token)
                couriers[situation] = courier
                for (asking, person) in all {
                    let seen = try await api.seen(by: person).contains { $0["courier_id"].string == courier.id }
                    #expect(
                        seen == isSeen(by: asking, situation, sharing: sharing), "\(asking), \(situation), \(sharing)")
                }
            }
            for (asking, person) in all {
                let seen = try await watched(by: person, couriers.values.map(\.self), api)
                let expected = couriers.filter { isSeen(by: asking, $0.key, sharing: sharing) }.map(\.value.id)
                #expect(seen == Set(expected), "\(asking), \(sharing)")
            }
        }
    }

    /// Whom a store is told of that watches, at first and as they move. One more courier, whom it sees, says when that is all.
    private func watched(by store: Person, _ couriers: [Person], _ api: ServedProduct) async throws -> Set<String> {
        let last = try await api.courier()
        try await api.join(store, last)
        try await api.share("always", by: last)
        let stream = try await EventStream(api, as: store, of: "/v1/positions")
        defer { stream.close() }
        for courier in couriers { try await api.say(SamplePlace.fix(SamplePlace.door), by: courier) }
        var seen: Set<String> = []
        // What is told of it the second time is a round later than the first, and so behind whatever was said before.
        for _ in 0..<2 {
            try await api.say(SamplePlace.fix(SamplePlace.door), by: last)
            var told: String?
            while told != last.id, let event = try await stream.next() {
                guard event.type == "position" else { continue }
                told = JSON(Array((event.data ?? "").utf8))?["courier_id"].string
                if let told { seen.insert(told) }
            }
        }
        return seen.subtracting([last.id])
    }

    @Test func `who ends duty, partnership or delivery is not seen any more, at once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(4)
            var ids: [String] = []
            for courier in couriers {
                if courier.id != couriers[0].id {
                    ids.append(try await api.delivery(of: store, to: [courier]))
                    try await api.act("accept", ids.last ?? "", as: courier)
                } else {
                    try await api.share("always", by: courier)
                }
                try await api.say(SamplePlace.fix(), by: courier)
            }
            func seen() async throws -> Set<String> {
                Set(try await api.seen(by: store).compactMap { $0["courier_id"].string })
            }
            #expect(try await seen() == Set(couriers.map(\.id)))
            try await api.setDuty(false, of: couriers[0])
            #expect(try await seen() == Set(couriers[1...].map(\.id)))
            try await api.act("deliver", ids[0], as: couriers[1])
            #expect(try await seen() == Set(couriers[2...].map(\.id)))
            try await api.act("cancel", ids[1], as: couriers[2])
            #expect(try await seen() == [couriers[3].id])
            _ = try await api.call("DELETE", "/v1/partners/\(couriers[3].id)?release=true", as: store.token)
            #expect(try await seen().isEmpty)
        }
    }

    @Test func `who is blocked or erased is nowhere`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let event = JSONB(utf8: Array(#"{"kind":"account.erased"}"#.utf8))
            for courier in couriers {
                let id = try await api.delivery(of: store, to: [courier])
                try await api.act("accept", id, as: courier)
                try await api.say(SamplePlace.fix(), by: courier)
                if courier.id == couriers[1].id { try await api.act("deliver", id, as: courier) }
                try await api.share("always", by: courier)
            }
            #expect(try await api.seen(by: store).count == 2)
            let ids = try couriers.map { try #require(ID($0.id)) }
            try await Departure.block(ids[0], .courier, noting: event, api.database)
            #expect(try await api.seen(by: store).map { $0["courier_id"].string } == [couriers[1].id])
            _ = try await Departure.leave(ids[1], .courier, in: 0, noting: event, api.database)
            #expect(try await api.seen(by: store).isEmpty)
            #expect(try await api.execute("SELECT FROM positions") == [])
            while try await Departure.erase(in: api.database) {}
            #expect(try await api.execute("SELECT courier_id FROM trails") == [[couriers[0].id]])
        }
    }

    @Test func `a courier takes along where it is and was`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for courier in couriers {
                let id = try await api.delivery(of: store, to: [courier])
                try await api.act("accept", id, as: courier)
                try await api.execute("UPDATE jobs SET since = since - interval '20 seconds'")
                try await api.say(SamplePlace.fix(ago: 10), SamplePlace.fix(SamplePlace.door), by: courier)
            }
            func export(_ person: Person) async throws -> JSON {
                let reply = try await Client(api.port).get(
                    "/v1/me/export", "Authorization: Bearer \(person.token)\r\n")
                return try #require(JSON(reply.body))
            }
            let own = try await export(couriers[0])
            #expect(own["positions"].items.map { $0["lat"].double } == [SamplePlace.door.lat])
            #expect(own["trail"].items.map { $0["lat"].double } == [SamplePlace.north.lat, SamplePlace.door.lat])
            #expect(own["account"].items[0]["share_position"] == "carrying")
            let stores = try await export(store)
            #expect(stores["positions"].items.isEmpty && stores["trail"].items.isEmpty)
        }
    }

    /// Its phone keeps where it was, and says it once it may.
    @Test func `where somebody was before duty is not told afterwards`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let courier = couriers[0]
            try await api.share("always", by: courier)
            try await api.setDuty(false, of: courier)
            let past = SamplePlace.fix(ago: 5)
            #expect(try await api.say(past, by: courier).status == 409)
            try await api.setDuty(true, of: courier)
            let late = try await api.say(past, by: courier)
            #expect(late.json["taken"] == 0 && late.json["refused"].items[0]["code"] == "older_than_known")
            #expect(try await api.seen(by: store).allSatisfy { $0["position"] == .null })
            #expect(try await api.say(SamplePlace.fix(), by: courier).json["taken"] == 1)
            // What was taken while duty ended may be there still; that was another duty.
            try await api.execute("UPDATE couriers SET duty_since = now() + interval '2 s'")
            #expect(try await api.seen(by: store).allSatisfy { $0["position"] == .null })
            try await api.execute("UPDATE couriers SET duty_since = now() - interval '1 minute'")
            #expect(try await api.seen(by: store).contains { $0["position"] != .null })
            // Duty that goes on is the same duty, and one that began by itself began then.
            try await api.setDuty(true, of: courier)
            #expect(try await api.say(SamplePlace.fix(), by: courier).json["taken"] == 1)
            try await api.execute(
                "UPDATE couriers SET on_duty = false, duty_until = now() - interval '60 s', duty_since = NULL")
            try await api.execute("DELETE FROM positions")
            #expect(try await api.say(SamplePlace.fix(ago: 120), by: courier).json["taken"] == 0)
            #expect(try await api.say(SamplePlace.fix(ago: 30), by: courier).json["taken"] == 1)
        }
    }
}
