import Domain

/// What the rules make of a story: every delivery as it stands, every step, and what everybody is told of it.
package struct Ledger: Sendable {
    private let cast: Cast
    private let people: [Person: ID]
    private let accounts: [ID: Person]
    /// The ids of what is still open, oldest first.
    private var open: [ID] = []
    private var deliveries: [ID: Delivery] = [:]
    /// Every delivery in the order of creation.
    package private(set) var created: [ID] = []
    /// The steps of each.
    package private(set) var steps: [ID: [Step]] = [:]
    /// Which stop of how many of its courier's route each is.
    private var stops: [ID: Stop] = [:]
    /// What was counted of each courier.
    private var counts: [ID: [Lifecycle.Counter: Int32]] = [:]
    /// What each account reads of deliveries in its feed.
    package private(set) var news: [Person: [News]] = [:]

    /// A line of a history.
    package struct Step: Equatable, Sendable {
        package let action: String, status: String, actor: ID

        /// Who did what, and where that left the delivery.
        package init(action: String, status: String, actor: ID) {
            (self.action, self.status, self.actor) = (action, status, actor)
        }
    }

    /// An event of a feed.
    package struct News: Hashable, Sendable {
        package let type: String, delivery: ID, seq: Int

        /// What is told of which step.
        package init(type: String, delivery: ID, seq: Int) {
            (self.type, self.delivery, self.seq) = (type, delivery, seq)
        }
    }

    private struct Stop: Equatable {
        let number, of: Int
    }

    /// What comes of an act.
    package enum Outcome: Sendable {
        case change(Change)
        case isRouted
        case stays(Delivery)
        case refused(Lifecycle.Refusal)
    }

    /// Nothing has happened yet among these people.
    package init(of cast: Cast, _ people: [Person: ID]) {
        (self.cast, self.people) = (cast, people)
        accounts = Dictionary(uniqueKeysWithValues: people.map { ($1, $0) })
    }

    /// A delivery as it stands.
    package subscript(id: ID) -> Delivery? { deliveries[id] }

    /// The id of somebody.
    package func id(of person: Person) -> ID { people[person]! }

    private func person(_ account: ID) -> Person { accounts[account]! }

    /// The open deliveries that somebody sees, oldest first.
    package func sights(of person: Person) -> [SeenJob] {
        let account = id(of: person)
        return open.compactMap { deliveries[$0] }.filter { delivery in
            let standing = Lifecycle.standing(of: account, to: delivery, isPartner: isPartner(person, of: delivery))
            return Lifecycle.isListed(delivery.status, for: standing)
        }.map {
            let terms = $0.content.terms
            return SeenJob(
                id: $0.id, status: $0.status,
                keepsWaiting: $0.store == account && (terms.turns != nil || terms.offerAt != nil))
        }
    }

    /// Whether somebody sees a delivery for sure. Who had it before sees it for a day, by a clock that is none of a story's.
    package func sees(_ person: Person, _ id: ID) -> Bool {
        guard let delivery = deliveries[id] else { return false }
        let isPartner = isPartner(person, of: delivery)
        let standing = Lifecycle.standing(of: self.id(of: person), to: delivery, isPartner: isPartner)
        return standing != .formerHolder && Lifecycle.isVisible(delivery.status, to: standing)
    }

    /// Takes note of an act. What it creates gets that id.
    package mutating func note(_ act: Act, creating new: ID) -> Outcome {
        let actor = id(of: act.person)
        switch act.deed {
        case .create(let content, let candidates, _):
            created.append(new)
            open.append(new)
            let candidates = ids(of: candidates)
            return note(
                Lifecycle.create(
                    new, content: content, candidates: candidates, by: actor,
                    order: order(of: candidates, content.terms.turns)))
        case .instruct(let id, let text):
            return note(.edit, id, act.person) { delivery in
                var content = delivery.content
                content.instructions = text
                return StepCommand.Edit(content: content, candidates: delivery.candidates)
            }
        case .offer(let id, let candidates):
            let candidates = ids(of: candidates)
            return note(.edit, id, act.person) {
                StepCommand.Edit(content: $0.content, candidates: candidates, named: Set(candidates))
            }
        case .offerToAll(let id):
            return note(.edit, id, act.person) { delivery in
                var content = delivery.content
                (content.terms.turns, content.terms.offerAt) = (nil, nil)
                return StepCommand.Edit(content: content, candidates: delivery.candidates)
            }
        case .route(let ids): return route(ids, of: actor)
        case .deliver(let id, let receiver, let paysLess):
            let terms = deliveries[id]?.content.terms ?? DeliveryTerms()
            return note(
                .deliver, id, act.person, note: paysLess && terms.cash != nil ? Act.whyLess : nil,
                shown: shown(id, terms, to: receiver, paysLess)
            ) { _ in nil }
        case .reassign(let id, let couriers):
            let named = ids(of: couriers)
            return note(.reassign, id, act.person) {
                named.isEmpty
                    ? nil
                    : StepCommand.Edit(
                        content: $0.content, candidates: named, askedAgain: Set(named), named: Set(named))
            }
        case .step(let action, let id, let reason): return note(action, id, act.person, reason) { _ in nil }
        }
    }

    /// Those whose stop is another one then are told of, to the courier and to their stores.
    private mutating func route(_ ids: [ID], of courier: ID) -> Outcome {
        for delivery in open.compactMap({ deliveries[$0] }) where delivery.courier == courier {
            let stop = ids.firstIndex(of: delivery.id).map { Stop(number: $0 + 1, of: ids.count) }
            guard stops[delivery.id] != stop else { continue }
            stops[delivery.id] = stop
            for account in [courier, delivery.store] { tell(account, .routed, delivery) }
        }
        return .isRouted
    }

    private mutating func tell(_ account: ID, _ type: EventType, _ delivery: Delivery) {
        news[person(account), default: []].append(
            News(type: type.rawValue, delivery: delivery.id, seq: Int(delivery.version)))
    }

    private mutating func note(
        _ action: Lifecycle.Action, _ id: ID, _ person: Person, _ reason: String? = nil, note: String? = nil,
        shown: StepCommand.Shown = StepCommand.Shown(), _ edit: (Delivery) -> StepCommand.Edit?
    ) -> Outcome {
        guard let delivery = deliveries[id] else { return .refused(.notFound) }
        let kind = if case .store = person { AccountKind.store } else { AccountKind.courier }
        let about = [.reassign, .reopen].contains(action) ? delivery.courier : nil
        let edit = edit(delivery)
        var command = StepCommand(
            action, by: self.id(of: person), kind, about: about, reason: reason, note: note, edit: edit, shown: shown)
        command.order = order(
            of: edit.map(delivery.candidates(after:)) ?? delivery.candidates,
            (edit?.content ?? delivery.content).terms.turns)
        do {
            let decision = try Lifecycle.decide(command, on: delivery, isPartner: isPartner(person, of: delivery))
            guard case .change(let change) = decision else { return .stays(delivery) }
            return self.note(change)
        } catch {
            return .refused(error)
        }
    }

    /// Recipients tell their PIN and pay, at their door.
    private func shown(_ id: ID, _ terms: DeliveryTerms, to receiver: String?, _ paysLess: Bool) -> StepCommand.Shown {
        var shown = StepCommand.Shown()
        shown.isPinRight = terms.proof.pin == nil ? nil : true
        shown.collected =
            paysLess ? terms.cash.flatMap { try? Money(Act.lessToPay(than: $0.amount), $0.currency) } : terms.cash
        shown.receivedBy = receiver
        shown.location = deliveries[id]?.content.recipient.location
        return shown
    }

    /// The order of turns: as it was given, unless the most reliable come first. Nobody in a story is nearer than others, since
    /// nobody says where it is.
    private func order(of candidates: [ID], _ turns: OfferTurns?) -> [ID] {
        guard turns?.order == .reliable else { return candidates }
        return candidates.enumerated().sorted {
            (shortfall(of: $0.element), $0.offset) < (shortfall(of: $1.element), $1.offset)
        }.map(\.element)
    }

    /// How many in a hundred somebody did not deliver, rounded up, and more than that where it would tell too little.
    private func shortfall(of courier: ID) -> Int32 {
        let (delivered, cancelled) = (counts[courier]?[.delivered] ?? 0, counts[courier]?[.cancelled] ?? 0)
        let ended = delivered + cancelled
        return ended < 5 ? 101 : (100 * cancelled + ended - 1) / ended
    }

    private mutating func note(_ change: Change) -> Outcome {
        let after = change.after
        deliveries[after.id] = after
        if after.status != .inProgress { stops[after.id] = nil }
        if !after.status.isOpen {
            open.removeAll { $0 == after.id }
        } else if !open.contains(after.id) {
            open = created.filter { deliveries[$0]?.status.isOpen == true }
        }
        steps[after.id, default: []].append(
            Step(
                action: change.command.action.rawValue, status: after.status.rawValue, actor: change.command.actor))
        if let count = change.count { counts[count.courier, default: [:]].merge(count.changes) { $0 + $1 } }
        for (account, type) in change.events { tell(account, type, after) }
        return .change(change)
    }

    private func ids(of couriers: [Int]) -> [ID] { couriers.map { id(of: .courier($0)) } }

    private func isPartner(_ person: Person, of delivery: Delivery) -> Bool {
        guard case .courier(let number) = person, case .store(let store) = self.person(delivery.store) else {
            return false
        }
        return cast.stores[store].partners.contains(number)
    }
}
