/// What may be true of a conversation as one of its two sides has it. Several may be at once.
///
/// A partnership that began anew is one like any other: the same conversation goes on.
public enum ConversationState: String, CaseIterable, Sendable {
    case partners
    /// The partnership is over, or one of them is kept away.
    case ended
    /// The courier wants to hear nothing more of the store.
    case blocked
    /// This side has put it away, until the next message.
    case hidden
    /// This side wants no notices of it.
    case muted
    /// This side has it open, as far as one knows.
    case reading
    /// The other account is gone.
    case otherErased = "other_erased"
}

/// What one side of a conversation can do with it, and gets of it. What was said it reads in any state.
public struct ConversationRights: Equatable, Sendable {
    /// Why it may not write; nil if it may.
    public enum Refusal: String, Sendable {
        case partnershipEnded = "partnership_ended"
        case blockedByCourier = "blocked_by_courier"
    }

    public var refusal: Refusal?
    /// Whether it stands in the list, before anybody asks for what is hidden.
    public var isListed = true
    /// Whether it is told of messages by a notice.
    public var isTold = true

    public var writes: Bool { refusal == nil }

    init(refusal: Refusal? = nil, isListed: Bool = true, isTold: Bool = true) {
        (self.refusal, self.isListed, self.isTold) = (refusal, isListed, isTold)
    }
}

extension ConversationState {
    /// What each state leaves to each side.
    static let table: [ConversationState: (store: ConversationRights, courier: ConversationRights)] = [
        .partners: (ConversationRights(), ConversationRights()),
        .ended: (
            ConversationRights(refusal: .partnershipEnded, isTold: false),
            ConversationRights(refusal: .partnershipEnded, isTold: false)
        ),
        .blocked: (ConversationRights(refusal: .blockedByCourier), ConversationRights()),
        .hidden: (ConversationRights(isListed: false), ConversationRights(isListed: false)),
        .muted: (ConversationRights(isTold: false), ConversationRights(isTold: false)),
        .reading: (ConversationRights(isTold: false), ConversationRights(isTold: false)),
        .otherErased: (
            ConversationRights(refusal: .partnershipEnded, isTold: false),
            ConversationRights(refusal: .partnershipEnded, isTold: false)
        ),
    ]

    /// What one side may where all of these hold: what each of them leaves. That it is over says more than that it is
    /// blocked.
    public static func rights(of side: AccountKind, in states: Set<ConversationState>) -> ConversationRights {
        allCases.filter(states.contains).reduce(into: ConversationRights()) { rights, state in
            let row = table[state]!
            let own = side == .store ? row.store : row.courier
            rights.refusal = rights.refusal ?? own.refusal
            rights.isListed = rights.isListed && own.isListed
            rights.isTold = rights.isTold && own.isTold
        }
    }
}
