import API
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

    private let conversation, account: ID
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

    /// What is so of a row `q` of the queue that is a notice of a conversation, and may still be taken back.
    static func waiting(of conversation: String) -> String {
        """
        q.subject = \(conversation) AND q.kind = 'message_received' AND (q.lease IS NULL OR q.ready_at <= clock_timestamp())
        """
    }

    /// Tells of the last message of a side that is not read yet, where the notice that was to tell of it told of a later one, which has
    /// been taken back. Whoever calls it holds the conversation.
    static func tellAgain(of conversation: ID, by side: AccountKind, _ runner: Runner) async throws {
        let reader: AccountKind = side == .store ? .courier : .store
        guard let held = try await runner.run(HoldConversations<PassOverHeld>(ids: [conversation])).first,
            held.isTold(reader),
            let last = try await runner.run(FindUntold(conversation: conversation, from: side)).first
        else { return }
        let said = Saying.Said(conversation: held, message: last, record: nil)
        try await runner.run(TellMessage(notice: MessageNotice(to: reader, said)))
    }
}

/// The last message of a side that the other has not read, unless a notice of one waits, or its own has arrived.
struct FindUntold: Statement {
    static let sql = """
        SELECT \(SaidMessage.columns) FROM conversations c, LATERAL (
            SELECT * FROM conversation_messages m WHERE m.conversation_id = c.id AND m.from_store = $2 AND NOT m.deleted
            ORDER BY m.at DESC, m.seq DESC LIMIT 1) m
        WHERE c.id = $1 AND m.seq > CASE WHEN $2 THEN c.courier_read ELSE c.store_read END
            AND CASE WHEN $2 THEN c.courier_unread ELSE c.store_unread END > 0 AND NOT EXISTS (
                SELECT FROM message_queue q WHERE \(MessageNotice.waiting(of: "$1"))
                    AND q.account_id = CASE WHEN $2 THEN c.courier_id ELSE c.store_id END)
            AND NOT EXISTS (
                SELECT FROM (SELECT * FROM messages WHERE subject = $1 ORDER BY id DESC LIMIT 100) latest
                WHERE kind = 'message_received' AND account_id = CASE WHEN $2 THEN c.courier_id ELSE c.store_id END
                    AND (data->>'seq')::integer = m.seq AND EXISTS (SELECT FROM messages_done d WHERE d.id = latest.id OFFSET 0))
        """
    let conversation: ID
    let from: AccountKind

    func bind(into parameters: inout Parameters) {
        parameters.add(conversation)
        parameters.add(from == .store)
    }

    static func decode(_ row: inout RowReader) throws -> SaidMessage { try SaidMessage(&row) }
}

/// Has somebody be told of a message.
struct TellMessage: Statement {
    static let sql = Tell.sql("SELECT $1::jsonb AS notices")
    let notice: MessageNotice

    func bind(into parameters: inout Parameters) {
        parameters.add(JSONB(utf8: JSON.array([notice.json]).bytes))
    }
}
