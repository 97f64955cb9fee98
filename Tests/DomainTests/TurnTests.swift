import Testing

@testable import Domain

/// Who is offered something when, as far as the rules say.
@Suite struct TurnTests {
    private let store = ID(high: 1, low: 1)
    private let people = (0..<3).map { ID(high: 2, low: $0) }

    private func content(_ turns: Turns? = Turns(), offerAt: Moment? = nil) -> DeliveryContent {
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
        _ action: Lifecycle.Action, _ person: ID? = nil, on delivery: Delivery, edit: StepCommand.Edit? = nil,
        order: [ID] = []
    ) throws -> Change {
        var command = StepCommand(action, by: person ?? store, person == nil ? .store : .courier, edit: edit)
        command.order = order
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
        #expect(taken.after.course.waiting.isEmpty && taken.after.course.turn == nil)
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
        #expect(turned.after.offered == [people[0]] && Set(turned.withdrawn) == Set(people[1...2]))
        let again = try step(
            .edit, on: turned.after, edit: StepCommand.Edit(content: content(nil), candidates: people))
        #expect(again.after.offered == people && told(again) == Set(people[1...2]))
    }
}
