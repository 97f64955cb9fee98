import Testing

@testable import Domain

/// The lifecycle, cell by cell, as the contract has it: written down a second time, by hand.
@Suite struct LifecycleTests {
    private typealias L = Lifecycle

    /// The expected outcome of an action by an account with that standing, for each status: pending, in progress,
    /// delivered, cancelled. It is a status, `=` for no change, or a refusal.
    private static let table: [String: [String: String]] = [
        "edit": ["store": "pending !not_pending !not_pending !not_pending"],
        "accept": [
            "candidate": "in_progress !already_taken !not_pending !not_pending",
            "forfeited": "!forfeited !forfeited !forfeited !forfeited",
            "holder": "- = !not_pending -",
            "former_holder": "- - - !not_pending",
        ],
        "decline": [
            "candidate": "pending !not_found !not_found !not_found",
            "declined": "= !not_found !not_found !not_found",
            "holder": "- !not_pending !not_pending -",
        ],
        "deliver": [
            "candidate": "!not_in_progress !not_found !not_found !not_found",
            "forfeited": "!not_in_progress !not_found !not_found !not_found",
            "holder": "- delivered = -",
            "former_holder": "- - - !not_in_progress",
        ],
        "cancel": [
            "store": "cancelled cancelled !already_delivered =",
            "candidate": "!not_in_progress !not_found !not_found !not_found",
            "forfeited": "!not_in_progress !not_found !not_found !not_found",
            "holder": "- pending !already_delivered -",
            "former_holder": "- - - !not_in_progress",
        ],
        "release": ["store": "!not_found pending !not_found !not_found"],
        "withdraw": ["store": "pending in_progress !not_found !not_found"],
    ]

    private static func text(_ outcome: L.Outcome) -> String {
        switch outcome {
        case .becomes(let status, _): status.rawValue
        case .stays: "="
        case .refused(let refusal): "!" + refusal.rawValue
        }
    }

    @Test(arguments: Lifecycle.Action.allCases.filter { $0 != .create })
    func `every cell is as the contract has it`(_ action: Lifecycle.Action) throws {
        for standing in L.Standing.allCases {
            let row = Self.table[action.rawValue]?[standing.rawValue]?.split(separator: " ").map(String.init)
            try #require(row.map(\.count) ?? DeliveryStatus.allCases.count == DeliveryStatus.allCases.count)
            for (place, status) in DeliveryStatus.allCases.enumerated() {
                let expected = row?[place] ?? "!not_found"
                // No account has that standing to a delivery in that status.
                if expected == "-" { continue }
                #expect(
                    Self.text(L.outcome(of: action, by: standing, status)) == expected,
                    "\(action) by \(standing) of what is \(status)")
            }
        }
    }

    // MARK: Deciding

    private static let (store, ana, ivo, eva) = (id(1), id(2), id(3), id(4))
    private static func id(_ number: UInt64) -> ID { ID(high: 0, low: number) }
    private static let content = DeliveryContent(
        recipient: Recipient(firstName: "Iva", lastName: "Ivić", address: "Ilica 1", phone: nil, location: nil),
        description: "Torta", instructions: nil, reference: nil)

    private static func made() -> Delivery {
        L.create(id(9), content: content, candidates: [ana, ivo], by: store).after
    }

    private static func after(_ delivery: Delivery, _ steps: (L.Action, ID)...) throws -> Delivery {
        try steps.reduce(delivery) { delivery, step in try change(delivery, step.0, by: step.1).after }
    }

    private static func change(
        _ delivery: Delivery, _ action: L.Action, by actor: ID, about: ID? = nil, edit: StepCommand.Edit? = nil
    ) throws -> Change {
        let command = StepCommand(action, by: actor, actor == store ? .store : .courier, about: about, edit: edit)
        guard case .change(let change) = try L.decide(command, on: delivery, isPartner: true) else {
            throw InvalidValue("nothing to do")
        }
        return change
    }

    private static func told(_ change: Change) -> Set<String> {
        Set(
            change.events.map { "\($0.account.low) \($0.type.rawValue)" }
                + change.notices.map { "\($0.account.low) \($0.kind.rawValue)" })
    }

    @Test func `creating a delivery offers it to all candidates`() {
        let change = L.create(Self.id(9), content: Self.content, candidates: [Self.ana, Self.ivo], by: Self.store)
        #expect(change.after.version == 1)
        #expect(
            Self.told(change) == [
                "1 delivery.created", "2 delivery.offered", "3 delivery.offered", "2 delivery_offered",
                "3 delivery_offered",
            ])
        #expect(Set(change.openedJobs.map(\.courier)) == [Self.ana, Self.ivo] && change.closedJobs.isEmpty)
    }

    @Test func `accepting a delivery takes it from the other candidates`() throws {
        let change = try Self.change(Self.made(), .accept, by: Self.ana)
        #expect(change.after.courier == Self.ana && change.counter == .accepted)
        #expect(
            Self.told(change) == [
                "1 delivery.accepted", "2 delivery.accepted", "3 delivery.taken", "1 delivery_accepted",
            ])
        #expect(Set(change.withdrawn) == [Self.ana, Self.ivo])
        #expect(change.openedJobs == [Change.Job(courier: Self.ana, status: .inProgress)])
    }

    @Test func `giving back a delivery offers it to the candidates who are left`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana))
        let change = try Self.change(taken, .cancel, by: Self.ana)
        #expect(change.after.courier == nil && change.after.forfeited == [Self.ana] && change.counter == .cancelled)
        #expect(
            Self.told(change) == [
                "1 delivery.returned", "2 delivery.returned", "3 delivery.offered", "1 delivery_returned",
                "3 delivery_offered",
            ])
        #expect(throws: L.Refusal.forfeited) { try Self.change(change.after, .accept, by: Self.ana) }
    }

    @Test func `the store is told once when no candidate is left`() throws {
        let declined = try Self.after(Self.made(), (.decline, Self.ivo))
        let taken = try Self.after(declined, (.accept, Self.ana))
        #expect(
            Self.told(try Self.change(taken, .cancel, by: Self.ana)).isSuperset(of: [
                "1 delivery.stranded", "1 delivery_stranded",
            ]))
        let last = try Self.change(declined, .decline, by: Self.ana)
        #expect(Self.told(last).contains("1 delivery_stranded"))
        let still = try Self.change(
            last.after, .edit, by: Self.store, edit: StepCommand.Edit(content: Self.content, candidates: [Self.ana]))
        #expect(!Self.told(still).contains("1 delivery_stranded"))
    }

    @Test func `a store that cancels tells the courier who carries the delivery`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana))
        let change = try Self.change(taken, .cancel, by: Self.store)
        #expect(Self.told(change) == ["1 delivery.cancelled", "2 delivery.cancelled", "2 delivery_cancelled"])
        #expect(change.after.courier == Self.ana && change.counter == nil)
        let pending = try Self.change(Self.made(), .cancel, by: Self.store)
        #expect(Self.told(pending) == ["1 delivery.cancelled", "2 delivery.cancelled", "3 delivery.cancelled"])
    }

    @Test func `editing offers to new candidates and takes back from removed ones`() throws {
        let declined = try Self.after(Self.made(), (.decline, Self.ana))
        let change = try Self.change(
            declined, .edit, by: Self.store,
            edit: StepCommand.Edit(content: Self.content, candidates: [Self.ana, Self.eva]))
        #expect(
            Self.told(change) == [
                "1 delivery.updated", "3 delivery.withdrawn", "4 delivery.offered", "4 delivery_offered",
            ])
        #expect(change.after.declined == [Self.ana] && change.withdrawn == [Self.ivo])
        #expect(change.added == [Self.eva] && change.removed == [Self.ivo])
        // A courier who is chosen again is asked again.
        let without = try Self.change(
            change.after, .edit, by: Self.store, edit: StepCommand.Edit(content: Self.content, candidates: [Self.eva]))
        let again = try Self.change(
            without.after, .edit, by: Self.store,
            edit: StepCommand.Edit(content: Self.content, candidates: [Self.eva, Self.ana]))
        #expect(again.after.offered == [Self.eva, Self.ana])
        // Another order alone is no change, since the history could not show it.
        #expect(throws: InvalidValue.self) {
            try Self.change(
                again.after, .edit, by: Self.store,
                edit: StepCommand.Edit(content: Self.content, candidates: [Self.ana, Self.eva]))
        }
    }

    @Test func `a courier who gave a delivery back never has it again`() throws {
        let returned = try Self.after(Self.made(), (.accept, Self.ana), (.cancel, Self.ana))
        let without = try Self.change(
            returned, .edit, by: Self.store, edit: StepCommand.Edit(content: Self.content, candidates: [Self.ivo]))
        let again = try Self.change(
            without.after, .edit, by: Self.store,
            edit: StepCommand.Edit(content: Self.content, candidates: [Self.ivo, Self.ana]))
        #expect(again.after.offered == [Self.ivo] && again.after.state(of: Self.ana) == .forfeited)
    }

    @Test func `a courier who is not both partner and candidate is a stranger`() throws {
        for (delivery, account) in [
            (Self.made(), Self.ana), (try Self.after(Self.made(), (.accept, Self.ana)), Self.ana),
            (Self.made(), Self.eva),
        ] {
            #expect(L.standing(of: account, to: delivery, isPartner: account == Self.eva) == .stranger)
        }
    }

    @Test func `the actions offered are those that do something`() {
        #expect(L.allowedActions(.pending, for: .store) == [.edit, .cancel])
        #expect(Set(L.allowedActions(.pending, for: .candidate)) == [.accept, .decline])
        #expect(Set(L.allowedActions(.inProgress, for: .holder)) == [.deliver, .cancel])
        #expect(L.allowedActions(.delivered, for: .holder).isEmpty && L.allowedActions(.cancelled, for: .store).isEmpty)
        for standing in [L.Standing.stranger, .forfeited, .declined, .formerHolder] {
            for status in DeliveryStatus.allCases { #expect(L.allowedActions(status, for: standing).isEmpty) }
        }
    }
}
