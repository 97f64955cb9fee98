import API
import Domain
import Feed
import HTTP
import Postgres

/// What events of conversations are about, as their reader sees it now.
package struct MessageNews: FeedNews {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    package let types: Set<String> = Set(TalkRoom.types)

    package func tell(_ data: [JSON], to account: ID) async throws -> [JSONB?] {
        let named = data.map(Named.init)
        let found = try await database.run(FindNews(account: account, named: named.compactMap(\.self)))
        let news = Dictionary(found.map { ($0.place, $0) }) { first, _ in first }
        var place: Int64 = 0
        return zip(data, named).map { data, named in
            guard let named else { return nil }
            place += 1
            return news[place].map { Self.json(data, named, $0) }
        }
    }

    private static func json(_ data: JSON, _ named: Named, _ news: News) -> JSONB {
        var json = JSONWriter()
        json.object { json in
            json.field("conversation_id", named.conversation)
            json.object("conversation", news.conversation.write)
            if named.message != nil {
                if let message = news.message {
                    json.object("message", message.write)
                } else {
                    json.field("message", String?.none)
                }
            }
            guard case .object(let members) = data else { return }
            if case .string(let by)? = members["by"] { json.field("by", by) }
            if case .integer(let seq)? = members["read_up_to"] { json.field("read_up_to", seq) }
        }
        return JSONB(utf8: json.bytes)
    }
}

/// What an event names.
struct Named: Sendable {
    let conversation: ID
    let message: (id: ID, seq: Int32)?

    init?(_ data: JSON) {
        guard case .object(let members) = data, case .string(let text)? = members["conversation_id"],
            let id = ID(text)
        else { return nil }
        conversation = id
        message =
            if case .string(let text)? = members["message_id"], let id = ID(text),
                case .integer(let seq)? = members["seq"]
            { (id, Int32(clamping: seq)) } else { nil }
    }
}

/// A conversation, and perhaps a message of it.
struct News: Sendable {
    let place: Int64
    let conversation: Conversation
    let message: SaidMessage?
}

/// Finds conversations of an account, and messages, numbered as they are asked for.
struct FindNews: Statement {
    static let sql = """
        SELECT w.no, said.*, c.* FROM unnest($2::uuid[], $3::timestamptz[], $4::integer[]) WITH ORDINALITY
                AS w(conversation_id, at, seq, no),
            LATERAL (
                SELECT \(Conversation.columns) FROM conversations c \(Conversation.tables)
                WHERE c.id = w.conversation_id AND $1 IN (c.store_id, c.courier_id) OFFSET 0) c
            LEFT JOIN LATERAL (
                SELECT \(SaidMessage.columns) FROM conversations c JOIN conversation_messages m ON m.conversation_id = c.id
                WHERE c.id = w.conversation_id AND m.at = w.at AND m.seq = w.seq OFFSET 0) said ON true
        """
    static let isReadOnly = true
    let account: ID
    let named: [Named]

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(named.map(\.conversation))
        parameters.add(named.map { $0.message?.id.time })
        parameters.add(named.map { $0.message?.seq })
    }

    static func decode(_ row: inout RowReader) throws -> News {
        let place: Int64 = try row.read()
        let message = try SaidMessage.read(&row)
        return News(place: place, conversation: try Conversation(&row), message: message)
    }
}
