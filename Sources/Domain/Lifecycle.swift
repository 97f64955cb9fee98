/// The one table of what can be done with a delivery, by whom and when, and what follows.
///
/// Decisions, allowed actions, `GET /v1/lifecycle`, the picture in the docs and the tests all read it.
public enum Lifecycle {
    /// Something that is done with a delivery.
    public enum Action: String, CaseIterable, Sendable {
        case create, edit, accept, decline
        case pickUp = "pick_up"
        /// Brings it in vain.
        case fail
        case deliver, cancel
        /// The store takes it back from its courier.
        case reassign
        /// It is not delivered after all.
        case reopen
        /// Its time has come, or a turn is over.
        case offer
        /// The partnership with its courier ends, and it is pending again.
        case release
        /// The partnership with a candidate ends.
        case withdraw

        /// The actions that an account asks for by name, and that pages offer as buttons.
        public static let asked = allCases.filter(\.isAsked)

        private var isAsked: Bool {
            switch self {
            case .edit, .accept, .decline, .pickUp, .fail, .deliver, .cancel, .reassign, .reopen: true
            case .create, .offer, .release, .withdraw: false
            }
        }
    }

    /// How an account stands to a delivery.
    public enum Standing: String, CaseIterable, Sendable {
        case store
        /// May accept it, as far as it still can be.
        case candidate
        /// Is a candidate whose turn has not come.
        case waiting
        case declined
        /// Gave it back.
        case forfeited
        /// Carries or delivered it.
        case holder
        /// Carried it when the store cancelled it or took it back.
        case formerHolder = "former_holder"
        /// Has nothing to do with it.
        case stranger

        /// Whether it is told all of the recipient.
        public var knowsRecipient: Bool { self == .store || self == .holder }
    }

    /// What is counted of a courier.
    public enum Counter: String, CaseIterable, Sendable {
        case accepted, delivered, cancelled, declined
    }

    /// Why something cannot be done.
    public enum Refusal: String, Error, CaseIterable, Sendable {
        case notFound = "not_found"
        case forfeited
        /// Somebody is named who gave it back.
        case courierForfeited = "courier_forfeited"
        case alreadyTaken = "already_taken"
        case notPending = "not_pending"
        case notInProgress = "not_in_progress"
        case notDelivered = "not_delivered"
        case alreadyDelivered = "already_delivered"
        /// It was brought in vain as often as can be.
        case tooManyAttempts = "too_many_attempts"
    }

    /// What follows from a step, besides the new status and the line in the history.
    public enum Effect: Equatable, Sendable {
        /// The actor becomes its courier, whether or not it declined before: then that is not counted any more.
        case takes
        /// Its courier leaves it.
        case leaves
        /// Its courier leaves it, and is its former holder.
        case takenBack
        /// The actor may never have it again, and that is counted; unless it is free to give it back: then it stands as
        /// declined, uncounted.
        case forfeits
        /// The actor does not want it. That is counted once a delivery.
        case declines
        case picksUp
        /// Was brought in vain, from when on a courier who has fetched it may give it back freely.
        case fails
        /// The courier whom the step is about is no candidate any more.
        case dropsCandidate
        /// Of its courier, or whoever becomes that.
        case counts(Counter)
        /// Takes back what was counted of its courier.
        case uncounts(Counter)
        case feed(Audience, EventType)
        case notifies(Audience, NotificationKind)
    }

    /// Those who are told of a step.
    public enum Audience: String, Sendable {
        case store, actor
        /// The courier who carried it before.
        case courier
        /// The candidates who could accept it before and cannot now. The actor is not among them.
        case losers
        /// The candidates who can accept it now and could not before.
        case winners
        /// The candidates who could accept it before and still can.
        case remaining
        /// Those of them who are told once more, because the last turn is over.
        case asked
    }

    /// The outcome of an action.
    public enum Outcome: Equatable, Sendable {
        case becomes(DeliveryStatus, [Effect])
        /// Nothing changes, because it is so already.
        case stays
        case refused(Refusal)
    }

    /// One line of the table.
    public struct Rule: Sendable {
        public let action: Action
        public let standing: Standing
        /// nil where there is no delivery yet.
        public let status: DeliveryStatus?
        public let outcome: Outcome

        init(_ action: Action, by standing: Standing, _ status: DeliveryStatus?, _ outcome: Outcome) {
            self.action = action
            self.standing = standing
            self.status = status
            self.outcome = outcome
        }
    }

    /// The table. An account learns nothing of a delivery from what is not in it.
    public static let rules: [Rule] =
        [
            Rule(.create, by: .store, nil, .becomes(.pending, [.feed(.store, .created)] + offering)),

            Rule(
                .edit, by: .store, .pending,
                .becomes(
                    .pending,
                    [.feed(.store, .updated), .feed(.remaining, .updated), .feed(.losers, .withdrawn)] + offering)),
            Rule(
                .edit, by: .store, .inProgress,
                .becomes(
                    .inProgress,
                    [.feed(.store, .updated), .feed(.courier, .updated), .notifies(.courier, .deliveryChanged)])),
            Rule(.edit, by: .store, .delivered, .refused(.notPending)),
            Rule(.edit, by: .store, .cancelled, .refused(.notPending)),

            Rule(.accept, by: .candidate, .pending, taking),
            Rule(.accept, by: .candidate, .inProgress, .refused(.alreadyTaken)),
            Rule(.accept, by: .candidate, .delivered, .refused(.notPending)),
            Rule(.accept, by: .candidate, .cancelled, .refused(.notPending)),
            Rule(.accept, by: .declined, .pending, taking),
            Rule(.accept, by: .declined, .inProgress, .refused(.alreadyTaken)),
            Rule(.accept, by: .declined, .delivered, .refused(.notPending)),
            Rule(.accept, by: .declined, .cancelled, .refused(.notPending)),
            Rule(.accept, by: .holder, .inProgress, .stays),
            Rule(.accept, by: .holder, .delivered, .refused(.notPending)),
            Rule(.accept, by: .formerHolder, .pending, .refused(.notInProgress)),
            Rule(.accept, by: .formerHolder, .inProgress, .refused(.notInProgress)),
            Rule(.accept, by: .formerHolder, .delivered, .refused(.notInProgress)),
            Rule(.accept, by: .formerHolder, .cancelled, .refused(.notPending)),
            Rule(.accept, by: .forfeited, .pending, .refused(.forfeited)),
            Rule(.accept, by: .forfeited, .inProgress, .refused(.forfeited)),
            Rule(.accept, by: .forfeited, .delivered, .refused(.forfeited)),
            Rule(.accept, by: .forfeited, .cancelled, .refused(.forfeited)),

            Rule(
                .decline, by: .candidate, .pending,
                .becomes(
                    .pending, [.declines, .feed(.store, .declined), .feed(.actor, .declined)] + offering)),
            Rule(.decline, by: .declined, .pending, .stays),
            Rule(.decline, by: .holder, .inProgress, .refused(.notPending)),
            Rule(.decline, by: .holder, .delivered, .refused(.notPending)),

            Rule(
                .pickUp, by: .holder, .inProgress,
                .becomes(.inProgress, [.picksUp, .feed(.store, .pickedUp), .feed(.actor, .pickedUp)])),
            Rule(.pickUp, by: .holder, .delivered, .refused(.notInProgress)),

            Rule(
                .fail, by: .holder, .inProgress,
                .becomes(
                    .inProgress,
                    [
                        .fails, .feed(.store, .attemptFailed), .feed(.actor, .attemptFailed),
                        .notifies(.store, .attemptFailed),
                    ])),
            Rule(.fail, by: .holder, .delivered, .refused(.notInProgress)),

            Rule(
                .deliver, by: .holder, .inProgress,
                .becomes(
                    .delivered,
                    [
                        .counts(.delivered), .feed(.store, .delivered), .feed(.actor, .delivered),
                        .notifies(.store, .deliveryDelivered),
                    ])),
            Rule(.deliver, by: .holder, .delivered, .stays),

            Rule(
                .cancel, by: .holder, .inProgress,
                .becomes(
                    .pending,
                    [
                        .forfeits, .leaves, .feed(.store, .returned), .feed(.actor, .returned),
                        .notifies(.store, .deliveryReturned),
                    ] + offering)),
            Rule(.cancel, by: .holder, .delivered, .refused(.alreadyDelivered)),
            Rule(
                .cancel, by: .store, .pending,
                .becomes(.cancelled, [.feed(.store, .cancelled), .feed(.losers, .cancelled)])),
            Rule(
                .cancel, by: .store, .inProgress,
                .becomes(
                    .cancelled,
                    [
                        .feed(.store, .cancelled), .feed(.courier, .cancelled), .notifies(.courier, .deliveryCancelled),
                    ])),
            Rule(.cancel, by: .store, .delivered, .refused(.alreadyDelivered)),
            Rule(.cancel, by: .store, .cancelled, .stays),

            Rule(.reassign, by: .store, .pending, .refused(.notInProgress)),
            Rule(
                .reassign, by: .store, .inProgress,
                .becomes(
                    .pending,
                    [
                        .takenBack, .feed(.store, .reassigned), .feed(.courier, .reassigned),
                        .notifies(.courier, .deliveryReassigned),
                    ] + offering)),
            Rule(.reassign, by: .store, .delivered, .refused(.notInProgress)),
            Rule(.reassign, by: .store, .cancelled, .refused(.notInProgress)),

            Rule(.reopen, by: .store, .pending, .refused(.notDelivered)),
            Rule(.reopen, by: .store, .inProgress, .refused(.notDelivered)),
            Rule(
                .reopen, by: .store, .delivered,
                .becomes(
                    .inProgress,
                    [
                        .uncounts(.delivered), .feed(.store, .reopened), .feed(.courier, .reopened),
                        .notifies(.courier, .deliveryReopened),
                    ])),
            Rule(.reopen, by: .store, .cancelled, .refused(.notDelivered)),

            Rule(.offer, by: .store, .pending, .becomes(.pending, [.feed(.store, .offered)] + offering)),
            Rule(
                .release, by: .store, .inProgress,
                .becomes(
                    .pending,
                    [
                        .leaves, .dropsCandidate, .feed(.store, .returned), .feed(.courier, .withdrawn),
                        .notifies(.store, .deliveryReturned), .notifies(.courier, .deliveryReassigned),
                    ] + offering)),
            Rule(
                .withdraw, by: .store, .pending,
                .becomes(
                    .pending, [.dropsCandidate, .feed(.store, .updated), .feed(.losers, .withdrawn)] + offering)),
            Rule(
                .withdraw, by: .store, .inProgress, .becomes(.inProgress, [.dropsCandidate, .feed(.store, .updated)])),
        ] + ofOthers

    /// What only its courier can do is refused to those who might become that, or were it.
    private static let ofOthers =
        [Action.pickUp, .fail, .deliver, .cancel].flatMap { action in
            [Standing.candidate, .declined, .forfeited].map { Rule(action, by: $0, .pending, .refused(.notInProgress)) }
                + former(action)
        } + former(.decline)

    private static func former(_ action: Action) -> [Rule] {
        DeliveryStatus.allCases.map { Rule(action, by: .formerHolder, $0, .refused(.notInProgress)) }
    }

    private static let taking = Outcome.becomes(
        .inProgress,
        [
            .takes, .counts(.accepted), .feed(.store, .accepted), .feed(.actor, .accepted), .feed(.losers, .taken),
            .notifies(.store, .deliveryAccepted),
        ])

    private static let offering = [Audience.winners, .asked].flatMap {
        [Effect.feed($0, .offered), .notifies($0, .deliveryOffered)]
    }
}

/// What an event of the feed tells of a delivery.
public enum EventType: String, CaseIterable, Sendable {
    case created = "delivery.created"
    case updated = "delivery.updated"
    case offered = "delivery.offered"
    /// The store took the offer back.
    case withdrawn = "delivery.withdrawn"
    case accepted = "delivery.accepted"
    /// Another courier has accepted it.
    case taken = "delivery.taken"
    case declined = "delivery.declined"
    case pickedUp = "delivery.picked_up"
    /// It was brought in vain.
    case attemptFailed = "delivery.attempt_failed"
    case delivered = "delivery.delivered"
    /// It is not delivered after all.
    case reopened = "delivery.reopened"
    /// The store took it back from its courier.
    case reassigned = "delivery.reassigned"
    /// It is pending again.
    case returned = "delivery.returned"
    /// No candidate is left.
    case stranded = "delivery.stranded"
    case cancelled = "delivery.cancelled"
    /// Its courier means to go another way.
    case routed = "delivery.routed"
    /// Its recipient wishes something.
    case wish = "delivery.wish"
    /// Its recipient said what it was like.
    case rated = "delivery.rated"
    /// Its courier is nearly there.
    case nearby = "delivery.nearby"
    /// Nobody has accepted it for a while.
    case unaccepted = "delivery.unaccepted"
    /// It was to be delivered by now.
    case late = "delivery.late"

    /// Those that steps tell.
    public static let ofSteps = allCases.filter { type in
        type == .stranded
            || Lifecycle.rules.contains { rule in
                guard case .becomes(_, let effects) = rule.outcome else { return false }
                return effects.contains { if case .feed(_, type) = $0 { true } else { false } }
            }
    }

    /// The status in which the step left the delivery; of an update, that of one that nobody had accepted.
    public var status: DeliveryStatus {
        switch self {
        case .created, .updated, .offered, .withdrawn, .declined, .reassigned, .returned, .stranded, .unaccepted:
            .pending
        case .accepted, .taken, .pickedUp, .attemptFailed, .reopened, .routed, .wish, .nearby, .late: .inProgress
        case .delivered, .rated: .delivered
        case .cancelled: .cancelled
        }
    }
}
