/// What may be true of a conversation as one of its two sides has it. Several may be at once.
///
/// A partnership that began anew is one like any other: the same conversation goes on.
public enum ConversationState: String, CaseIterable, Sendable {
    /// They work together, for the first time or again.
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
    /// The account of this side is gone.
    case erased
    /// The other account is gone.
    case otherErased = "other_erased"
}

/// What one side of a conversation can do with it, and gets of it.
public struct ConversationRights: Equatable, Sendable {
    /// Why it may not write; nil if it may.
    public enum Refusal: String, Sendable {
        case partnershipEnded = "partnership_ended"
        case blockedByCourier = "blocked_by_courier"
    }

    public var refusal: Refusal?
    /// Whether it reads what was said.
    public var reads = true
    /// Whether it stands in the list, before anybody asks for what is hidden.
    public var isListed = true
    /// Whether it is told of messages by a notice.
    public var isTold = true

    public var writes: Bool { refusal == nil }

    init(refusal: Refusal? = nil, reads: Bool = true, isListed: Bool = true, isTold: Bool = true) {
        (self.refusal, self.reads, self.isListed, self.isTold) = (refusal, reads, isListed, isTold)
    }

    /// Of what is over.
    fileprivate static let over = ConversationRights(refusal: .partnershipEnded, isTold: false)
    fileprivate static let none = ConversationRights(
        refusal: .partnershipEnded, reads: false, isListed: false, isTold: false)
}

extension ConversationState {
    /// What each state leaves to each side.
    static let table: [ConversationState: (store: ConversationRights, courier: ConversationRights)] = [
        .partners: both(ConversationRights()),
        .ended: both(.over),
        .blocked: (ConversationRights(refusal: .blockedByCourier), ConversationRights()),
        .hidden: both(ConversationRights(isListed: false)),
        .muted: both(ConversationRights(isTold: false)),
        .reading: both(ConversationRights(isTold: false)),
        .erased: both(.none),
        .otherErased: both(.over),
    ]

    private static func both(_ rights: ConversationRights) -> (store: ConversationRights, courier: ConversationRights) {
        (rights, rights)
    }

    /// What one side may where all of these hold: what each of them leaves. That it is over says more than that it is
    /// blocked.
    public static func rights(of side: AccountKind, in states: Set<ConversationState>) -> ConversationRights {
        allCases.filter(states.contains).reduce(into: ConversationRights()) { rights, state in
            let row = table[state]!
            let own = side == .store ? row.store : row.courier
            rights.refusal = rights.refusal ?? own.refusal
            rights.reads = rights.reads && own.reads
            rights.isListed = rights.isListed && own.isListed
            rights.isTold = rights.isTold && own.isTold
        }
    }
}
