import Domain
import HTTP
import Outbox
import Postgres

/// The notice of a message, to the side that has not written it.
struct MessageNotice: Sendable {
    /// One waits for each.
    struct To: Hashable {
        let conversation: ID
        let side: AccountKind
    }

    let conversation, account: ID
    private let message: Message

    /// How much of what was said a notice tells.
    private static let most = 160

    init(to side: AccountKind, _ said: Saying.Said) {
        let (held, message) = (said.conversation, said.message)
        conversation = held.id
        account = side == .store ? held.store : held.courier
        self.message = Message(
            .messageReceived,
            [
                "name": side == .store ? held.courierName : held.storeName,
                "text": String((message.content?.text ?? "").prefix(Self.most)),
            ],
            data: [
                "conversation_id": .string(held.id.description), "message_id": .string(message.id.description),
                "seq": .integer(Int(message.seq)), "store_id": .string(held.store.description),
                "courier_id": .string(held.courier.description),
            ])
    }

    /// As the outbox takes it.
    var json: JSON {
        var json = message.notice
        json["accounts"] = .array([.string(account.description)])
        json["subject"] = .string(conversation.description)
        return .object(json)
    }
}
