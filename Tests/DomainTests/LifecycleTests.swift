import Testing

@testable import Domain

/// The lifecycle, cell by cell, as the contract has it: written down a second time, by hand.
@Suite struct LifecycleTests {
    private typealias L = Lifecycle

    /// The expected outcome of an action by an account with that standing, for each status: pending, in progress,
    /// delivered, cancelled. It is a status, `=` for no change, or a refusal.
    private static let table: [String: [String: String]] = [
        "edit": ["store": "pending in_progress !not_pending !not_pending"],
        "accept": [
            "candidate": "in_progress !already_taken !not_pending !not_pending",
            "declined": "in_progress !already_taken !not_pending !not_pending",
            "forfeited": "!forfeited !forfeited !forfeited !forfeited",
            "holder": "- = !not_pending -",
            "former_holder": "!not_in_progress !not_in_progress !not_in_progress !not_pending",
        ],
        "decline": [
            "candidate": "pending !not_found !not_found !not_found",
            "declined": "= !not_found !not_found !not_found",
            "holder": "- !not_pending !not_pending -",
            "former_holder": formerHolder,
        ],
        "pick_up": carrying("- in_progress !not_in_progress -"),
        "fail": carrying("- in_progress !not_in_progress -"),
        "deliver": carrying("- delivered = -"),
        "cancel": carrying("- pending !already_delivered -").merging([
            "store": "cancelled cancelled !already_delivered ="
        ]) { $1 },
        "reassign": ["store": "!not_in_progress pending !not_in_progress !not_in_progress"],
        "reopen": ["store": "!not_delivered !not_delivered in_progress !not_delivered"],
        "offer": ["store": "pending !not_found !not_found !not_found"],
        "release": ["store": "!not_found pending !not_found !not_found"],
        "withdraw": ["store": "pending in_progress !not_found !not_found"],
    ]

    private static let formerHolder = "!not_in_progress !not_in_progress !not_in_progress !not_in_progress"

    /// What its holder alone can do, and how the others are refused who may know of it.
    private static func carrying(_ holder: String) -> [String: String] {
        let other = "!not_in_progress !not_found !not_found !not_found"
        return [
            "candidate": other, "declined": other, "forfeited": other, "holder": holder, "former_holder": formerHolder,
        ]
    }

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

    /// Who sees it in which status, and has it in no list where that is in brackets.
    private static let seen = [
        "store": "200 200 200 200", "candidate": "200 404 404 404", "declined": "(200) 404 404 404",
        "holder": "- 200 200 -", "former_holder": "(200) 404 404 (200)",
    ]

    @Test(arguments: Lifecycle.Standing.allCases)
    func `every account sees what the contract says`(_ standing: Lifecycle.Standing) {
        let row = Self.seen[standing.rawValue]?.split(separator: " ").map(String.init)
        for (place, status) in DeliveryStatus.allCases.enumerated() where row?[place] != "-" {
            let (isVisible, isListed) = (L.isVisible(status, to: standing), L.isListed(status, for: standing))
            let seen = isListed ? "200" : isVisible ? "(200)" : "404"
            #expect(seen == row?[place] ?? "404" && isVisible == (seen != "404"), "\(standing) of what is \(status)")
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
        _ delivery: Delivery, _ action: L.Action, by actor: ID, about: ID? = nil, reason: String? = nil,
        edit: StepCommand.Edit? = nil
    ) throws -> Change {
        let command = StepCommand(
            action, by: actor, actor == store ? .store : .courier, about: about, reason: reason, edit: edit)
        guard case .change(let change) = try L.decide(command, on: delivery, isPartner: true) else {
            throw InvalidValue("nothing to do")
        }
        return change
    }

    /// What a change counts of the courier who acts, or carried it.
    private static func counted(_ change: Change) -> [L.Counter: Int32] {
        #expect(change.count == nil || change.count?.courier == ana)
        return change.count?.changes ?? [:]
    }

    /// An edit that leaves the delivery as it is and offers it to these.
    private static func offering(to couriers: ID..., again: Set<ID> = []) -> StepCommand.Edit {
        StepCommand.Edit(content: content, candidates: couriers, askedAgain: again)
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
        #expect(change.after.courier == Self.ana && Self.counted(change) == [.accepted: 1])
        #expect(
            Self.told(change) == [
                "1 delivery.accepted", "2 delivery.accepted", "3 delivery.taken", "1 delivery_accepted",
            ])
        #expect(
            change.untrue == [Self.ana, Self.ivo].map { Change.Untruth(.deliveryOffered, to: $0) }
                + [Change.Untruth(.deliveryUnaccepted), Change.Untruth(.deliveryReassigned, to: Self.ana)])
        #expect(change.openedJobs == [Change.Job(courier: Self.ana, status: .inProgress)])
    }

    @Test func `what was told is untrue once it is not so`() throws {
        func untrue(_ delivery: Delivery, _ action: L.Action, by actor: ID, edit: StepCommand.Edit? = nil) throws
            -> [String]
        {
            try Self.change(delivery, action, by: actor, edit: edit).untrue.map { untruth in
                untruth.kind.rawValue + (untruth.account.map { " \($0.low)" } ?? "")
            }
        }
        let stranded = try Self.after(Self.made(), (.decline, Self.ana), (.decline, Self.ivo))
        // Whoever carries it is to deliver it, whatever it was told before.
        #expect(
            try untrue(stranded, .accept, by: Self.ivo)
                == ["delivery_stranded", "delivery_unaccepted", "delivery_reassigned 3"])
        #expect(try untrue(stranded, .cancel, by: Self.store) == ["delivery_stranded", "delivery_unaccepted"])
        #expect(try untrue(stranded, .edit, by: Self.store, edit: Self.offering(to: Self.eva)) == ["delivery_stranded"])

        let carry = ["delivery_changed", "delivery_reopened"]
        let carried = try Self.after(Self.made(), (.accept, Self.ana))
        #expect(try untrue(carried, .pickUp, by: Self.ana).isEmpty)
        #expect(try untrue(carried, .deliver, by: Self.ana) == carry)
        #expect(try untrue(carried, .reassign, by: Self.store) == carry)
        #expect(try untrue(Self.after(carried, (.fail, Self.ana)), .cancel, by: Self.ana) == ["attempt_failed"] + carry)
        #expect(
            try untrue(Self.after(carried, (.deliver, Self.ana)), .reopen, by: Self.store) == ["delivery_delivered"])

        var due = carried
        due.content.window = DeliveryWindow(from: nil, until: Moment(milliseconds: 1))
        #expect(try untrue(due, .deliver, by: Self.ana) == ["delivery_late"] + carry)
        #expect(try untrue(due, .cancel, by: Self.ana) == ["delivery_late 2"] + carry)
        #expect(try untrue(due, .edit, by: Self.store, edit: Self.offering(to: Self.ana)) == ["delivery_late"])
    }

    @Test func `giving back a delivery offers it to the candidates who are left`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana))
        let change = try Self.change(taken, .cancel, by: Self.ana)
        #expect(
            change.after.courier == nil && change.after.forfeited == [Self.ana]
                && Self.counted(change) == [.cancelled: 1])
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
        #expect(change.after.courier == Self.ana && change.count == nil)
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
        #expect(change.after.declined == [Self.ana])
        #expect(change.untrue == [Change.Untruth(.deliveryOffered, to: Self.ivo)])
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

    @Test func `the actions offered are those that do something`() throws {
        let pending = Self.made()
        let taken = try Self.after(pending, (.accept, Self.ana))
        let fetched = try Self.after(taken, (.pickUp, Self.ana))
        let delivered = try Self.after(fetched, (.deliver, Self.ana))
        let cancelled = try Self.after(taken, (.cancel, Self.store))
        func allowed(_ delivery: Delivery, _ standing: L.Standing) -> Set<L.Action> {
            Set(L.allowedActions(on: delivery, for: standing))
        }
        #expect(allowed(pending, .store) == [.edit, .cancel] && allowed(taken, .store) == [.edit, .cancel, .reassign])
        #expect(allowed(pending, .candidate) == [.accept, .decline] && allowed(pending, .declined) == [.accept])
        #expect(allowed(taken, .holder) == [.pickUp, .fail, .deliver, .cancel])
        #expect(allowed(fetched, .holder) == [.fail, .deliver, .cancel])
        #expect(allowed(delivered, .holder).isEmpty && allowed(delivered, .store) == [.reopen])
        #expect(allowed(cancelled, .store).isEmpty)
        for standing in [L.Standing.stranger, .forfeited, .waiting, .formerHolder] {
            for delivery in [pending, taken, delivered, cancelled] { #expect(allowed(delivery, standing).isEmpty) }
        }
    }

    @Test func `what was brought in vain as often as can be is handed over or given back`() throws {
        var tried = try Self.after(Self.made(), (.accept, Self.ana))
        tried.course.attempts = Int32(Bounds.attempts) - 1
        #expect(L.allowedActions(on: tried, for: .holder) == [.pickUp, .fail, .deliver, .cancel])
        let last = try Self.after(tried, (.fail, Self.ana))
        #expect(L.allowedActions(on: last, for: .holder) == [.pickUp, .deliver, .cancel])
        #expect(throws: L.Refusal.tooManyAttempts) { try Self.change(last, .fail, by: Self.ana) }
        let fetched = try Self.after(last, (.pickUp, Self.ana))
        #expect(L.allowedActions(on: fetched, for: .holder) == [.deliver, .cancel])
        #expect(try Self.change(fetched, .deliver, by: Self.ana).after.status == .delivered)
        // It is counted of the delivery, whoever has it.
        let next = try Self.after(last, (.cancel, Self.ana), (.accept, Self.ivo))
        #expect(throws: L.Refusal.tooManyAttempts) { try Self.change(next, .fail, by: Self.ivo) }
    }

    @Test func `accepting after declining takes back what was counted, once`() throws {
        let declined = try Self.change(Self.made(), .decline, by: Self.ana)
        #expect(Self.counted(declined) == [.declined: 1])
        let taken = try Self.change(declined.after, .accept, by: Self.ana)
        #expect(taken.after.courier == Self.ana && taken.after.declined.isEmpty)
        #expect(Self.counted(taken) == [.accepted: 1, .declined: -1])
    }

    @Test func `who is asked again and declines again is counted once`() throws {
        let declined = try Self.after(Self.made(), (.decline, Self.ana))
        let again = try Self.change(
            declined, .edit, by: Self.store, edit: Self.offering(to: Self.ana, Self.ivo, again: [Self.ana]))
        #expect(again.after.offered == [Self.ana, Self.ivo] && again.askedAgain == [Self.ana] && again.count == nil)
        #expect(Self.told(again).isSuperset(of: ["2 delivery.offered", "2 delivery_offered"]))
        let second = try Self.change(again.after, .decline, by: Self.ana)
        #expect(second.count == nil && second.after.declined == [Self.ana])
        #expect(Self.counted(try Self.change(second.after, .accept, by: Self.ana))[.declined] == -1)
        #expect(Self.counted(try Self.change(again.after, .accept, by: Self.ana))[.declined] == -1)
    }

    @Test func `giving back what was brought in vain is free for whoever had fetched it`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana))
        let failed = try Self.change(taken, .fail, by: Self.ana, reason: "nobody_home")
        #expect(failed.after.course.attempts == 1 && failed.after.course.lastFailure == .nobodyHome)
        #expect(Self.told(failed) == ["1 delivery.attempt_failed", "2 delivery.attempt_failed", "1 attempt_failed"])
        // Nobody who has not been at the store was at the door.
        #expect(!failed.after.course.isFree)
        let fetched = try Self.after(failed.after, (.pickUp, Self.ana), (.fail, Self.ana))
        #expect(fetched.course.isFree && fetched.course.attempts == 2)
        let returned = try Self.change(fetched, .cancel, by: Self.ana)
        #expect(
            returned.count == nil && returned.after.forfeited.isEmpty && returned.after.state(of: Self.ana) == .declined
        )
        #expect(!returned.after.isPickedUp && !returned.after.course.isFree && returned.after.course.attempts == 2)
        // Declining was not counted, so that there is nothing to take back.
        #expect(Self.counted(try Self.change(returned.after, .accept, by: Self.ana)) == [.accepted: 1])
    }

    @Test func `fetching happens once`() throws {
        let fetched = try Self.after(Self.made(), (.accept, Self.ana), (.pickUp, Self.ana))
        #expect(throws: InvalidValue.self) { try Self.change(fetched, .pickUp, by: Self.ana) }
    }

    @Test func `what the store takes back is offered to the others, and counts against nobody`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana), (.pickUp, Self.ana))
        let change = try Self.change(
            taken, .reassign, by: Self.store, about: Self.ana, edit: Self.offering(to: Self.ivo))
        #expect(change.after.courier == nil && change.after.course.former == Self.ana && !change.after.isPickedUp)
        #expect(change.after.forfeited.isEmpty && change.count == nil)
        #expect(
            Self.told(change) == [
                "1 delivery.reassigned", "2 delivery.reassigned", "3 delivery.offered", "2 delivery_reassigned",
                "3 delivery_offered",
            ])
        #expect(L.standing(of: Self.ana, to: change.after, isPartner: true) == .formerHolder)
        #expect(L.standing(of: Self.ana, to: change.after, isPartner: false) == .stranger)
        // Whoever is named again is a candidate like others.
        let named = try Self.change(taken, .reassign, by: Self.store, edit: Self.offering(to: Self.ivo, Self.ana))
        #expect(L.standing(of: Self.ana, to: named.after, isPartner: true) == .candidate)
        #expect(try Self.after(named.after, (.accept, Self.ana)).course.former == nil)
        let stranded = try Self.change(taken, .reassign, by: Self.store, edit: Self.offering())
        #expect(Self.told(stranded).contains("1 delivery_stranded"))
    }

    @Test func `what is opened again is with its courier again, and counts as not delivered`() throws {
        let delivered = try Self.after(Self.made(), (.accept, Self.ana), (.pickUp, Self.ana), (.deliver, Self.ana))
        let change = try Self.change(delivered, .reopen, by: Self.store, about: Self.ana)
        #expect(change.after.courier == Self.ana && change.after.isPickedUp && Self.counted(change) == [.delivered: -1])
        #expect(Self.told(change) == ["1 delivery.reopened", "2 delivery.reopened", "2 delivery_reopened"])
        #expect(change.mustBePartners == [Self.ana])
    }

    @Test func `an edit on the way tells the courier who carries it`() throws {
        let taken = try Self.after(Self.made(), (.accept, Self.ana))
        var content = Self.content
        content.recipient.address = "Ilica 2"
        let edit = StepCommand.Edit(content: content, candidates: taken.candidates)
        let change = try Self.change(taken, .edit, by: Self.store, edit: edit)
        #expect(Self.told(change) == ["1 delivery.updated", "2 delivery.updated", "2 delivery_changed"])
        #expect(change.after.courier == Self.ana && change.after.content == content)
    }

    @Test func `pay only rises while somebody carries it`() throws {
        var terms = DeliveryTerms()
        #expect(terms.mayPay(nil))
        terms.pay = try Money(500, "EUR")
        for more in [500, 700] as [Int64] { #expect(try terms.mayPay(Money(more, "EUR"))) }
        for (amount, currency) in [(499, "EUR"), (700, "USD")] {
            #expect(try !terms.mayPay(Money(Int64(amount), currency)))
        }
        #expect(!terms.mayPay(nil))
    }
}
