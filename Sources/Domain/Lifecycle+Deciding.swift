/// What somebody wants done with a delivery.
public struct StepCommand: Sendable {
    public let action: Lifecycle.Action
    /// The store or the courier who wants it.
    public let actor: ID
    public let actorKind: AccountKind
    /// The courier whom a step of the store is about.
    public let courier: ID?
    public let reason: String?
    public let note: String?
    /// What an edit makes of the delivery, or whom the store offers it to when it takes it back.
    public let edit: Edit?
    /// What is said of a step that was taken at the recipient's.
    public let shown: Shown
    /// The candidates in the order of their turns, where there are any.
    public var order: [ID] = []
    /// When it is wanted.
    public var at = Moment(milliseconds: 0)

    /// A changed delivery, as a whole.
    public struct Edit: Sendable {
        public let content: DeliveryContent
        public let candidates: [ID]
        /// Those who declined and are asked again.
        public let askedAgain: Set<ID>
        /// Those whom the store named, none of whom may have given it back.
        public let named: Set<ID>

        /// The edited delivery.
        public init(content: DeliveryContent, candidates: [ID], askedAgain: Set<ID> = [], named: Set<ID> = []) {
            self.content = content
            self.candidates = candidates
            self.askedAgain = askedAgain
            self.named = named
        }
    }

    /// What the history keeps of a step that was taken at the recipient's.
    public struct Shown: Equatable, Sendable {
        public var receivedBy: String?
        public var collected: Money?
        public var location: Location?
        /// Whether the recipient's PIN was right; nil where none was asked for.
        public var isPinRight: Bool?
        /// The pictures that hang on it.
        public var pictures: [HungPicture] = []

        /// Nothing.
        public init() {}
    }

    /// What is wanted by whom.
    public init(
        _ action: Lifecycle.Action, by actor: ID, _ kind: AccountKind, about courier: ID? = nil,
        reason: String? = nil, note: String? = nil, edit: Edit? = nil, shown: Shown = Shown()
    ) {
        self.action = action
        self.actor = actor
        actorKind = kind
        self.courier = courier
        self.reason = reason
        self.note = note
        self.edit = edit
        self.shown = shown
    }
}

/// A step of a delivery with all that follows from it, to be committed as a whole or not at all.
public struct Change: Sendable {
    /// nil when the delivery is new.
    public let before: Delivery?
    public let after: Delivery
    public let command: StepCommand
    /// What is counted of a courier, or not any more.
    public let count: Count?
    /// The accounts that read of it in their feeds, each as what.
    public let events: [(account: ID, type: EventType)]
    /// The accounts that are sent a message, each of what kind.
    public let notices: [(account: ID, kind: NotificationKind)]

    /// What changes in a courier's counters.
    public struct Count: Equatable, Sendable {
        public let courier: ID
        public internal(set) var changes: [Lifecycle.Counter: Int32]

        /// By how much that counter changes.
        public subscript(counter: Lifecycle.Counter) -> Int32 { changes[counter] ?? 0 }
    }

    /// The couriers who must be partners when this is committed: the one who acts, all who gain the delivery or may later, and
    /// all who are told again that it is offered.
    public var mustBePartners: Set<ID> {
        let told = notices.filter { $0.kind == .deliveryOffered }.map(\.account)
        return Set(openedJobs.map(\.courier) + added + told + (command.actorKind == .courier ? [command.actor] : []))
    }

    /// Those whom it offers it: at once, or, who begins to wait for a turn or a time, then. So each telling is counted once,
    /// when it is caused.
    public var promised: [ID] {
        let waited = Set(before?.course.waiting ?? [])
        let told = notices.filter { $0.kind == .deliveryOffered }.map(\.account)
        return (told + after.course.waiting).filter { !waited.contains($0) }
    }

    /// The entries of couriers' lists that are removed, and those that are added.
    public var closedJobs: [Job] {
        let left = Self.jobs(of: after).union(Self.keptJobs(of: after))
        return Self.jobs(of: before).union(Self.keptJobs(of: before)).filter { !left.contains($0) }
    }
    public var openedJobs: [Job] { Self.jobs(of: after).filter { !Self.jobs(of: before).contains($0) } }

    /// The entries that former holders keep from now on, for a day.
    public var keptJobs: [Job] { Self.keptJobs(of: after).filter { !Self.keptJobs(of: before).contains($0) } }

    /// The entries whose place depends on when it is to arrive, and that stay although that has changed.
    public var movedJobs: [Job] {
        guard let before, before.content.window?.until != after.content.window?.until else { return [] }
        return Self.jobs(of: after).filter(Self.jobs(of: before).contains)
    }

    /// Whether somebody is offered it, and nobody was before.
    public var isOfferedAnew: Bool { !after.offered.isEmpty && before?.offered.isEmpty ?? true }

    /// The candidates that this step adds, and those that it removes.
    public var added: [ID] { after.candidates.without(before?.candidates ?? []) }
    public var removed: [ID] { (before?.candidates ?? []).without(after.candidates) }

    /// Those who declined before and are asked again.
    public var askedAgain: [ID] {
        (before?.declined ?? []).filter {
            after.candidates.contains($0) && !after.declined.contains($0) && after.courier != $0
        }
    }

    /// An entry of a courier's list.
    public struct Job: Hashable, Sendable {
        public let courier: ID
        public let status: DeliveryStatus
    }

    private static func jobs(of delivery: Delivery?) -> Set<Job> {
        guard let delivery else { return [] }
        switch delivery.status {
        case .pending: return Set(delivery.offered.map { Job(courier: $0, status: .pending) })
        case .inProgress, .delivered: return Set([delivery.courier!].map { Job(courier: $0, status: delivery.status) })
        case .cancelled: return []
        }
    }

    private static func keptJobs(of delivery: Delivery?) -> Set<Job> {
        guard let delivery, !delivery.status.hasCourier else { return [] }
        let former = delivery.courier ?? delivery.course.former.flatMap { delivery.candidates.contains($0) ? nil : $0 }
        return former.map { [Job(courier: $0, status: delivery.status)] } ?? []
    }
}

/// The decision about a command.
public enum Decision: Sendable {
    case change(Change)
    /// Nothing is to be done, because it is so already.
    case stays
}

extension Lifecycle {
    /// How an account stands to a delivery. An account that is not a partner of its store is a stranger.
    public static func standing(of account: ID, to delivery: Delivery, isPartner: Bool) -> Standing {
        if account == delivery.store { return .store }
        guard isPartner else { return .stranger }
        if account == delivery.courier { return delivery.status == .cancelled ? .formerHolder : .holder }
        guard delivery.candidates.contains(account) else {
            return delivery.course.former == account ? .formerHolder : .stranger
        }
        switch delivery.state(of: account) {
        case .offered: return .candidate
        case .waiting: return .waiting
        case .declined: return .declined
        case .forfeited: return .forfeited
        }
    }

    /// Whether an account with that standing sees a delivery in that status.
    public static func isVisible(_ status: DeliveryStatus, to standing: Standing) -> Bool {
        switch standing {
        case .store, .holder: true
        case .candidate, .declined: status == .pending
        case .formerHolder: !status.hasCourier
        case .waiting, .forfeited, .stranger: false
        }
    }

    /// Whether a delivery in that status stands in the list of an account with that standing.
    public static func isListed(_ status: DeliveryStatus, for standing: Standing) -> Bool {
        switch standing {
        case .store, .holder: true
        case .candidate: status == .pending
        case .waiting, .declined, .forfeited, .formerHolder, .stranger: false
        }
    }

    /// The actions with which an account with that standing can change it now.
    public static func allowedActions(on delivery: Delivery, for standing: Standing) -> [Action] {
        let possible = allowed[Cell(action: nil, standing: standing, status: delivery.status)] ?? []
        guard delivery.isPickedUp || delivery.isTriedOut else { return possible }
        return possible.filter { !($0 == .pickUp && delivery.isPickedUp || $0 == .fail && delivery.isTriedOut) }
    }

    /// The table's outcome of an action.
    public static func outcome(of action: Action, by standing: Standing, _ status: DeliveryStatus?) -> Outcome {
        cells[Cell(action: action, standing: standing, status: status)] ?? .refused(.notFound)
    }

    /// A new delivery.
    public static func create(
        _ id: ID, content: DeliveryContent, candidates: [ID], by store: ID, order: [ID] = []
    ) -> Change {
        var delivery = Delivery(
            id: id, store: store, status: .pending, version: 1, courier: nil, candidates: candidates, declined: [],
            forfeited: [], content: content)
        guard case .becomes(_, let effects) = outcome(of: .create, by: .store, nil) else {
            preconditionFailure("the table has no creating")
        }
        var command = StepCommand(.create, by: store, .store)
        command.order = order
        delivery.moveTurn(from: nil, by: command)
        return change(from: nil, to: delivery, command, effects)
    }

    /// The decision about a command, or why it is refused. `strangers` are candidates who are no longer partners: any
    /// change also removes them as candidates.
    public static func decide(
        _ command: StepCommand, on delivery: Delivery, isPartner: Bool, strangers: Set<ID> = []
    ) throws(Refusal) -> Decision {
        let standing = standing(of: command.actor, to: delivery, isPartner: isPartner)
        switch outcome(of: command.action, by: standing, delivery.status) {
        case .refused(let refusal): throw refusal
        case .stays: return .stays
        case .becomes(let status, let effects):
            guard command.edit?.named.isDisjoint(with: delivery.forfeited) ?? true else { throw .courierForfeited }
            guard command.action != .fail || !delivery.isTriedOut else { throw .tooManyAttempts }
            var after = delivery
            after.status = status
            after.version += 1
            after.drop(strangers)
            if let edit = command.edit { after.apply(edit) }
            for effect in effects { after.apply(effect, of: command) }
            if !after.status.hasCourier, after.status.isOpen { after.endCarry() }
            after.moveTurn(from: delivery, by: command)
            guard !after.isSame(as: delivery) else { return .stays }
            return .change(change(from: delivery, to: after, command, effects))
        }
    }

    private static func change(
        from before: Delivery?, to after: Delivery, _ command: StepCommand, _ effects: [Effect]
    ) -> Change {
        let counted = count(effects, from: before, to: after, command)
        var events: [(account: ID, type: EventType)] = []
        var notices: [(account: ID, kind: NotificationKind)] = []
        for effect in effects {
            switch effect {
            case .feed(let audience, let type):
                events += members(of: audience, before, after, command).map { ($0, type) }
            case .notifies(let audience, let kind):
                notices += members(of: audience, before, after, command).map { ($0, kind) }
            case .takes, .leaves, .takenBack, .forfeits, .declines, .picksUp, .fails, .dropsCandidate, .counts,
                .uncounts:
                break
            }
        }
        if after.isStranded, before?.isStranded != true {
            events.append((after.store, .stranded))
            notices.append((after.store, .deliveryStranded))
        }
        return Change(
            before: before, after: after, command: command, count: counted, events: events, notices: notices)
    }

    private static func count(
        _ effects: [Effect], from before: Delivery?, to after: Delivery, _ command: StepCommand
    ) -> Change.Count? {
        guard let before, let courier = command.actorKind == .courier ? command.actor : before.courier else {
            return nil
        }
        var changes: [Counter: Int32] = [:]
        for effect in effects {
            switch effect {
            case .counts(let counter): changes[counter] = 1
            case .uncounts(let counter): changes[counter] = -1
            case .takes where before.countsDeclining(of: courier): changes[.declined] = -1
            case .declines where !before.countsDeclining(of: courier): changes[.declined] = 1
            case .forfeits where !before.course.isFree: changes[.cancelled] = 1
            default: break
            }
        }
        return changes.isEmpty ? nil : Change.Count(courier: courier, changes: changes)
    }

    private static func members(
        of audience: Audience, _ before: Delivery?, _ after: Delivery, _ command: StepCommand
    ) -> [ID] {
        let offeredBefore = before?.offered ?? []
        switch audience {
        case .store: return [after.store]
        case .actor: return [command.actor]
        case .courier: return before?.courier.map { [$0] } ?? []
        case .losers: return offeredBefore.without(after.offered + [command.actor])
        case .winners: return after.offered.without(offeredBefore)
        case .remaining: return offeredBefore.without(offeredBefore.without(after.offered))
        case .asked: return after.toldAgain(after: before)
        }
    }

    private struct Cell: Hashable {
        let action: Action?
        let standing: Standing
        let status: DeliveryStatus?
    }

    /// The possible actions by standing and status. They are asked for with every delivery that is shown.
    private static let allowed = Dictionary(
        grouping: rules.filter { rule in
            if case .becomes = rule.outcome { Action.asked.contains(rule.action) } else { false }
        }, by: { Cell(action: nil, standing: $0.standing, status: $0.status) }
    ).mapValues { $0.map(\.action) }

    private static let cells = Dictionary(
        uniqueKeysWithValues: rules.map {
            (Cell(action: $0.action, standing: $0.standing, status: $0.status), $0.outcome)
        })
}

extension Delivery {
    /// Whether it was brought in vain as often as can be: a courier has no other step that it can take again and again.
    fileprivate var isTriedOut: Bool { course.attempts >= Bounds.attempts }

    /// Whether the two differ only in their version.
    fileprivate func isSame(as other: Delivery) -> Bool {
        var same = self
        same.version = other.version
        return same == other
    }

    /// Whether it counts that a courier declined this, before or now.
    fileprivate func countsDeclining(of courier: ID) -> Bool {
        course.counted.contains(courier) || declined.contains(courier) && !course.uncounted.contains(courier)
    }

    /// The candidates after an edit, in the order in which they were chosen, which is also that of the history.
    public func candidates(after edit: StepCommand.Edit) -> [ID] {
        candidates.filter(Set(edit.candidates).contains) + edit.candidates.without(candidates)
    }

    fileprivate mutating func apply(_ edit: StepCommand.Edit) {
        content = edit.content
        candidates = candidates(after: edit)
        forgetDeclining(of: declined.filter { !candidates.contains($0) || edit.askedAgain.contains($0) })
    }

    fileprivate mutating func drop(_ couriers: Set<ID>) {
        guard !couriers.isEmpty else { return }
        candidates.removeAll(where: couriers.contains)
        forgetDeclining(of: declined.filter(couriers.contains))
    }

    /// Those couriers do not stand as declined any more, but what was counted stays so.
    private mutating func forgetDeclining(of couriers: [ID]) {
        guard !couriers.isEmpty else { return }
        declined = declined.without(couriers)
        course.counted += couriers.without(course.uncounted)
        course.uncounted = course.uncounted.without(couriers)
    }

    /// Whoever takes it next begins anew.
    fileprivate mutating func endCarry() {
        isPickedUp = false
        course.isFree = false
    }

    fileprivate mutating func apply(_ effect: Lifecycle.Effect, of command: StepCommand) {
        switch effect {
        case .takes:
            courier = command.actor
            for list in [\Delivery.declined, \.course.uncounted, \.course.counted] {
                self[keyPath: list].removeAll { $0 == command.actor }
            }
            if course.former == command.actor { course.former = nil }
        case .leaves: courier = nil
        case .takenBack:
            // Unless the store names others, it is offered to the candidates but the one who had it.
            if command.edit == nil { candidates.removeAll { $0 == courier } }
            (course.former, courier) = (courier, nil)
        case .forfeits where course.isFree:
            declined.append(command.actor)
            course.uncounted.append(command.actor)
        case .forfeits: forfeited.append(command.actor)
        case .declines:
            declined.append(command.actor)
            course.counted.removeAll { $0 == command.actor }
        case .picksUp: isPickedUp = true
        case .fails:
            course.attempts += 1
            course.lastFailure = command.reason.flatMap(FailReason.init)
            course.isFree = course.isFree || isPickedUp
        case .dropsCandidate: drop(command.courier.map { [$0] } ?? [])
        case .counts, .uncounts, .feed, .notifies: break
        }
    }
}

extension Array where Element: Hashable {
    /// Those that are not among others, in their order.
    fileprivate func without(_ others: [Element]) -> [Element] {
        guard !others.isEmpty else { return self }
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}
