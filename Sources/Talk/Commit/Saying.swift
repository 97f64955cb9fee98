import API
import Domain
import Postgres

/// The messages of a commit, with what follows from them, as their conversations give them their numbers.
struct Saying: Sendable {
    private(set) var said: [Said] = []
    private(set) var outcomes: [Utterance.Outcome?]
    private var conversations: [ID: HeldConversation]

    /// A message that is to be committed.
    struct Said: Sendable {
        let conversation: HeldConversation
        let message: SaidMessage
        let record: KeepFirstAnswer?

        var reader: AccountKind { message.from == .store ? .courier : .store }
    }

    /// `taken` are the keys, of these authors, under which an answer is kept.
    init(_ utterances: [Utterance], in held: [HeldConversation], taken: Set<TakenKey>, at now: Timestamp) {
        conversations = Dictionary(held.map { ($0.id, $0) }) { first, _ in first }
        outcomes = []
        var keys = taken
        for utterance in utterances { outcomes.append(say(utterance, &keys, at: now)) }
    }

    /// Nil where the conversation is not held.
    private mutating func say(
        _ utterance: Utterance, _ keys: inout Set<TakenKey>, at now: Timestamp
    ) -> Utterance.Outcome? {
        guard var conversation = conversations[utterance.conversation] else { return nil }
        guard let side = conversation.side(of: utterance.author) else { return .notFound }
        if let key = utterance.key, !keys.insert(TakenKey(account: utterance.author, key: key)).inserted {
            return .keyTaken
        }
        if let refusal = conversation.rights(of: side).refusal { return .refused(refusal) }
        let message = conversation.next(utterance, by: side, at: now)
        conversations[conversation.id] = conversation
        said.append(
            Said(conversation: conversation, message: message, record: utterance.record(message.response)))
        return .made(message)
    }

    /// What each conversation has more than before, in the order in which they are held.
    var additions: [Addition] {
        Dictionary(grouping: said, by: \.conversation.id).sorted { $0.key < $1.key }.map { id, said in
            let ofStore = said.count { $0.message.from == .store }
            return Addition(
                conversation: id, last: said.last!.message, ofStore: Int32(ofStore),
                ofCourier: Int32(said.count - ofStore))
        }
    }

    struct Addition: Sendable {
        let conversation: ID
        let last: SaidMessage
        let ofStore, ofCourier: Int32
    }

    /// The last message to each side that is told: it takes the place of notices before it.
    var notices: [MessageNotice] {
        latest.filter { $1.conversation.isTold($0.side) }.map { MessageNotice(to: $0.side, $1) }
    }

    /// Whom notices before these tell of what is no longer the latest. That also holds of who is told nothing, having the
    /// conversation open.
    var followed: [(conversation: ID, account: ID)] {
        latest.filter { $1.conversation.hasDevice($0.side) }.map { to, said in
            (to.conversation, to.side == .store ? said.conversation.store : said.conversation.courier)
        }
    }

    /// The last message to each side.
    private var latest: [MessageNotice.To: Said] {
        Dictionary(
            said.map { (MessageNotice.To(conversation: $0.conversation.id, side: $0.reader), $0) }
        ) { $1 }
    }
}

/// A key of an account's under which an answer is kept.
struct TakenKey: Hashable, Sendable {
    let account: ID
    let key: String
}
