import Testing

@testable import Domain

/// Who is offered something when, as far as the rules say.
@Suite struct TurnTests {
    private let store = ID(high: 1, low: 1)
    private let people = (0..<3).map { ID(high: 2, low: $0) }

    private func content(_ turns: OfferTurns? = OfferTurns(), offerAt: Moment? = nil) -> DeliveryContent {
        var content = DeliveryContent(
            recipient: Recipient(firstName: "Iva", lastName: "Ivić", address: "x", phone: nil, location: nil),
            description: "x", instructions: nil, reference: nil)
        (content.terms.turns, content.terms.offerAt) = (turns, offerAt)
        return content
    }

    private func made(_ content: DeliveryContent, order: [ID] = []) -> Change {
        Lifecycle.create(ID(high: 3, low: 1), content: content, candidates: people, by: store, order: order)
    }

    private func step(
        _ action: Lifecycle.Action, _ person: ID? = nil, about courier: ID? = nil, on delivery: Delivery,
        edit: StepCommand.Edit? = nil, order: [ID] = [], at: Moment = Moment(milliseconds: 0)
    ) throws -> Change {
        var command = StepCommand(
            action, by: person ?? store, person == nil ? .store : .courier, about: courier, edit: edit)
        (command.order, command.at) = (order, at)
        guard case .change(let change) = try Lifecycle.decide(command, on: delivery, isPartner: true) else {
            throw Lifecycle.Refusal.notFound
        }
        return change
    }

    private func told(_ change: Change) -> Set<ID> {
        Set(change.notices.filter { $0.kind == .deliveryOffered }.map(\.account))
    }

    @Test func `turns follow on each other, and then all are told once more`() throws {
        var change = made(content())
        #expect(change.after.offered == [people[0]] && told(change) == [people[0]])
        change = try step(.offer, on: change.after)
        #expect(change.after.offered == Array(people[0...1]) && told(change) == [people[1]])
        change = try step(.offer, on: change.after)
        #expect(change.after.offered == people && told(change) == [people[2]])
        change = try step(.offer, on: change.after)
        #expect(change.after.offered == people && told(change) == Set(people) && change.after.course.turn == nil)
        #expect(throws: Lifecycle.Refusal.self) { try step(.offer, on: change.after) }
    }

    @Test func `a turn is over with whoever declines in it, and with nobody else`() throws {
        let second = try step(.offer, on: made(content()).after).after
        let earlier = try step(.decline, people[0], on: second)
        #expect(earlier.after.course.turn == people[1] && told(earlier).isEmpty)
        let third = try step(.decline, people[1], on: earlier.after)
        #expect(third.after.course.turn == people[2] && told(third) == [people[2]])
        let last = try step(.decline, people[2], on: third.after)
        #expect(last.events.contains { $0.type == EventType.stranded })
    }

    @Test func `the last who declines in its turn has the others told once more`() throws {
        var delivery = made(content()).after
        for _ in 0..<2 { delivery = try step(.offer, on: delivery).after }
        let last = try step(.decline, people[2], on: delivery)
        #expect(told(last) == Set(people[0...1]))
    }

    @Test func `turns begin anew when it is given back, without whoever gave it back`() throws {
        let taken = try step(.accept, people[0], on: made(content()).after)
        #expect(taken.after.course.waiting == Array(people[1...2]) && taken.after.course.turn == nil)
        let back = try step(.cancel, people[0], on: taken.after, order: [people[2], people[1], people[0]])
        #expect(back.after.offered == [people[2]] && back.after.course.waiting == [people[1]])
    }

    @Test func `who is named later waits for its turn, or has it at once when all turns are over`() throws {
        let two = Array(people[0...1])
        let first = Lifecycle.create(ID(high: 3, low: 1), content: content(), candidates: two, by: store).after
        let edit = StepCommand.Edit(content: content(), candidates: people, named: Set(people))
        #expect(try step(.edit, on: first, edit: edit).after.course.waiting == [people[1], people[2]])
        var over = first
        for _ in 0..<2 { over = try step(.offer, on: over).after }
        let added = try step(.edit, on: over, edit: edit)
        #expect(added.after.course.turn == people[2] && told(added) == [people[2]])
    }

    @Test func `whoever had no turn learns nothing of what another has, and nothing of what became of it`() throws {
        let second = try step(.offer, on: made(content()).after).after
        let taken = try step(.accept, people[0], on: second).after
        #expect(throws: Lifecycle.Refusal.alreadyTaken) { try step(.accept, people[1], on: taken) }
        let over = [taken, try step(.deliver, people[0], on: taken).after, try step(.cancel, on: taken).after]
        for delivery in over {
            #expect(throws: Lifecycle.Refusal.notFound) { try step(.accept, people[2], on: delivery) }
        }
        // Nor does one who is named no more.
        let gone = try step(.withdraw, about: people[2], on: taken).after
        #expect(gone.course.waiting.isEmpty && gone.candidates == Array(people[0...1]))
    }

    @Test func `a time that is told while somebody has it holds it back when that courier leaves it`() throws {
        let (early, late) = (Moment(milliseconds: 10), Moment(milliseconds: 20))
        let taken = try step(.accept, people[0], on: made(content(nil)).after).after
        let edit = StepCommand.Edit(content: content(nil, offerAt: late), candidates: people)
        let edited = try step(.edit, on: taken, edit: edit).after
        #expect(!edited.course.isHeld)
        for (action, person) in [(.reassign, nil), (.cancel, people[0])] as [(Lifecycle.Action, ID?)] {
            let held = try step(action, person, on: edited, at: early)
            #expect(held.after.course.isHeld && held.after.offered.isEmpty && told(held).isEmpty)
            #expect(told(try step(.offer, on: held.after, at: late)) == Set(people[1...2]))
            // One that is over by then holds nothing back.
            let free = try step(action, person, on: edited, at: late)
            #expect(!free.after.course.isHeld && told(free) == Set(people[1...2]))
        }
    }

    @Test func `nobody has a turn before its time`() throws {
        let held = made(content(offerAt: Moment(milliseconds: 1)))
        #expect(
            held.after.offered.isEmpty && told(held).isEmpty && !held.events.contains { $0.type == EventType.stranded })
        let begun = try step(.offer, on: held.after)
        #expect(begun.after.offered == [people[0]] && told(begun) == [people[0]])
        let all = made(content(nil, offerAt: Moment(milliseconds: 1)))
        #expect(told(try step(.offer, on: all.after)) == Set(people))
    }

    @Test func `who may be offered it by turns or not is as the store says last`() throws {
        let all = made(content(nil)).after
        let turned = try step(.edit, on: all, edit: StepCommand.Edit(content: content(), candidates: people))
        #expect(
            turned.after.offered == [people[0]]
                && turned.untrue == people[1...2].map { Change.Untruth(.deliveryOffered, to: $0) })
        let again = try step(
            .edit, on: turned.after, edit: StepCommand.Edit(content: content(nil), candidates: people))
        #expect(again.after.offered == people && told(again) == Set(people[1...2]))
    }
}
