import API
import Domain
import HTTP
import Postgres

/// A message on its way into the database. Its number and time are known once its conversation is held.
struct Utterance: Sendable {
    let conversation, author: ID
    let content: SaidMessage.Content
    /// The key under which its answer is kept, and what makes a record of that answer.
    let key: String?
    let record: @Sendable (Response) -> KeepFirstAnswer?

    /// What became of it.
    enum Outcome: Sendable {
        case made(SaidMessage)
        case refused(ConversationRights.Refusal)
        /// There is no such conversation of the author's.
        case notFound
        /// Its picture is not there, or hangs on something already.
        case unknownFile
        /// The answer to a request with that key is kept already.
        case keyTaken
    }
}

/// A conversation that is held until the commit.
struct HeldConversation: Sendable {
    let id, store, courier: ID
    let storeName, courierName: String
    private let standing: ConversationStanding
    /// Whether each side has a device that could be told.
    private let storeHasDevice, courierHasDevice: Bool
    private(set) var lastSeq: Int32
    private(set) var latestAt: Timestamp

    init(_ row: inout RowReader) throws {
        (id, store, courier) = (try row.read(), try row.read(), try row.read())
        (storeName, courierName) = (try row.read(), try row.read())
        standing = try ConversationStanding(&row)
        (lastSeq, latestAt) = (try row.read(), try row.read())
        (storeHasDevice, courierHasDevice) = (try row.read(), try row.read())
    }

    /// On which side an account is; nil for strangers.
    func side(of account: ID) -> AccountKind? {
        account == store ? .store : account == courier ? .courier : nil
    }

    func rights(of side: AccountKind) -> ConversationRights { standing.rights(of: side) }

    /// Whether a notice would reach that side.
    func isTold(_ side: AccountKind) -> Bool { hasDevice(side) && rights(of: side).isTold }

    func hasDevice(_ side: AccountKind) -> Bool { side == .store ? storeHasDevice : courierHasDevice }

    /// The next message, which comes no earlier than the one before it.
    mutating func next(_ utterance: Utterance, by side: AccountKind, at now: Timestamp) -> SaidMessage {
        lastSeq += 1
        latestAt = max(Timestamp(microseconds: now.microseconds / 1000 * 1000), latestAt)
        return SaidMessage(
            id: .new(at: latestAt), seq: lastSeq, from: side, author: utterance.author, at: latestAt,
            utterance.content)
    }
}
