import Domain
import Testing

@testable import Simulation

@Suite struct StoryTests {
    /// Plays by the rules alone, and notes what is done and what comes of it.
    private struct Rules: Stage {
        var ledger: Ledger
        var told: [String] = []
        var networks: [Act.Network] = []
        var deeds: [Act.Deed] = []
        private var made: UInt64 = 0

        init(_ cast: Cast) {
            let ids = cast.everybody.enumerated().map { ($1, ID(high: 1, low: UInt64($0))) }
            ledger = Ledger(of: cast, Dictionary(uniqueKeysWithValues: ids))
        }

        func look(as person: Person) -> [SeenJob] { ledger.sights(of: person) }

        mutating func perform(_ act: Act) {
            networks.append(act.network)
            guard act.network != .isBack else { return }
            deeds.append(act.deed)
            made += 1
            let outcome: String
            switch ledger.note(act, creating: ID(high: 2, low: made)) {
            case .change(let change): outcome = change.command.action.rawValue
            case .stays: outcome = "stays"
            case .isRouted: outcome = "routed"
            case .refused(let refusal): outcome = refusal.rawValue
            }
            told.append("\(act.at) \(act.person) \(outcome)")
        }
    }

    private func play(seed: UInt64, days: Int, hasTurns: Bool = true) throws -> Rules {
        var chance = Chance(seed: seed)
        let cast = Cast(stores: 4, couriers: 20, seed: seed, &chance)
        var (story, rules) = (Story(of: cast, hasTurns: hasTurns, chance), Rules(cast))
        while story.next < days * 86_400 { try story.goOn(&rules) }
        return rules
    }

    @Test func `a seed gives one story, and another seed another`() throws {
        let first = try play(seed: 7, days: 2)
        #expect(first.told.count > 100)
        #expect(try play(seed: 7, days: 2).told == first.told)
        #expect(try play(seed: 8, days: 2).told != first.told)
    }

    @Test func `everything happens that can happen to a delivery`() throws {
        let rules = try play(seed: 1, days: 28)
        let outcomes = Set(rules.told.map { $0.split(separator: " ").last.map(String.init) ?? "" })
        let usual = Set(Lifecycle.Action.asked.map(\.rawValue)).union(["create", "stays", "routed"])
        // A delivery that is over is on nobody's list any more, so that nobody cancels a delivered one; and nobody rings so often.
        let refusals = Set(Lifecycle.Refusal.allCases.map(\.rawValue))
            .subtracting(["already_delivered", "too_many_attempts"])
        #expect(outcomes.isSuperset(of: usual.union(refusals)), "\(usual.union(refusals).subtracting(outcomes))")
        #expect(Set(rules.networks) == [.works, .losesAnswer, .breaks, .isBack])
    }

    @Test func `some are offered in turn, some are paid at the door, and some want a PIN`() throws {
        let ledger = try play(seed: 2, days: 7).ledger
        let delivered = ledger.created.compactMap { ledger[$0] }.filter { $0.status == .delivered }
        #expect(
            delivered.contains { $0.content.terms.cash != nil }
                && delivered.contains { $0.content.terms.proof.pin != nil })
        let acts = ledger.news.values.joined().map(\.type)
        #expect(acts.count { $0 == "delivery.routed" } > 10)
        let told = try play(seed: 2, days: 2)
        let without = try play(seed: 2, days: 2, hasTurns: false)
        #expect(told.told != without.told)
        #expect(without.ledger.created.allSatisfy { without.ledger[$0]?.content.terms.turns == nil })
    }

    @Test func `what is wanted, and how it is offered and handed over, is of every kind`() throws {
        let deeds = try play(seed: 2, days: 14).deeds
        let wanted = deeds.compactMap { if case .create(let content, _, _) = $0 { content.terms } else { nil } }
        #expect(wanted.contains { $0.proof.wantsPhoto } && wanted.contains { $0.proof.wantsSignature })
        #expect(wanted.contains { $0.pickup != nil } && wanted.contains { $0.offerAt != nil })
        #expect(Set(wanted.compactMap { $0.turns?.order }) == Set(OfferTurns.Order.allCases))
        let receivers = deeds.compactMap { if case .deliver(_, let receiver, _) = $0 { receiver } else { nil } }
        #expect(Set(receivers).count > 1)
        let payments = deeds.compactMap { if case .deliver(_, _, let paysLess) = $0 { paysLess } else { nil } }
        #expect(payments.contains(true) && payments.contains(false))
        let named = deeds.compactMap { if case .reassign(_, let couriers) = $0 { couriers.count } else { nil } }
        #expect(named.contains(0) && named.contains { $0 > 1 })
    }

    @Test func `what is offered later is seen by its store alone until then`() throws {
        var chance = Chance(seed: 11)
        let cast = Cast(stores: 2, couriers: 8, seed: 11, &chance)
        var (story, rules, held) = (Story(of: cast, chance), Rules(cast), 0)
        while story.next < 7 * 86_400 {
            try story.goOn(&rules)
            let waiting = rules.ledger.created.filter { rules.ledger[$0]?.content.terms.offerAt != nil }
            held += waiting.count
            for id in waiting {
                #expect(cast.couriers.indices.allSatisfy { !rules.ledger.sees(.courier($0), id) })
            }
        }
        #expect(held > 0)
    }

    @Test func `most deliveries arrive, and none is with a courier who vanished for ever`() throws {
        let ledger = try play(seed: 3, days: 14).ledger
        let last = ledger.created.compactMap { ledger[$0] }
        #expect(last.count { $0.status == .delivered } * 3 > last.count * 2)
        #expect(last.count(where: \.status.isOpen) <= 4 * 9)
    }

    @Test func `what was sent when the network was lost is sent again once, later`() throws {
        let rules = try play(seed: 5, days: 7)
        let (lost, again) = (rules.networks.count { $0 == .losesAnswer }, rules.networks.count { $0 == .isBack })
        #expect(lost > 10 && again <= lost && again >= lost - 20)
    }

    @Test func `people have numbers and addresses of their own`() {
        var chance = Chance(seed: 9)
        let cast = Cast(stores: 100, couriers: 1000, seed: 9, &chance)
        #expect(Set(cast.couriers.map(\.phone)).count == 1000)
        #expect(Set(cast.stores.map(\.email)).count == 100)
        #expect(Set(cast.stores.map(\.taxID)).count == 100)
        #expect(cast.stores.allSatisfy { (try? TaxID($0.taxID)) != nil && (try? EmailAddress($0.email)) != nil })
        #expect(cast.couriers.allSatisfy { (try? PhoneNumber($0.phone)) != nil })
    }
}
