import API
import Domain
import Feed
import Postgres

/// Begins a conversation, or finds the one that there is; no row for two who never worked together.
struct BeginConversation: Statement {
    static let sql = "SELECT id, is_new FROM begin_conversation($1, $2, $3)"
    let account, other: ID
    let id = ID.new()

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(other)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> (id: ID, isNew: Bool) { (try row.read(), try row.read()) }
}

/// Finds an account's conversation.
struct FindConversation: Statement {
    static let sql = """
        SELECT \(Conversation.columns) FROM conversations c \(Conversation.tables)
        WHERE c.id = $2 AND $1 IN (c.store_id, c.courier_id)
        """
    static let isReadOnly = true
    let account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Conversation { try Conversation(&row) }
}

/// Which conversations are listed: after a place in their order, the latest first.
struct ListedConversations: Sendable {
    let account: ID
    let isHidden: Bool
    let limit: Int32
    private let before: (at: Timestamp, id: ID)

    init(of account: ID, isHidden: Bool, _ page: Page) throws {
        (self.account, self.isHidden, limit) = (account, isHidden, page.fetched)
        guard let key = page.after else {
            before = (.infinity, ID(high: .max, low: .max))
            return
        }
        guard key.count == 2, let id = ID(key[1]) else { throw Page.wrongCursor }
        before = (try Page.time(key[0]), id)
    }

    /// So many conversations `c`, as far as the bound goes. An account is on one side of all of them.
    static func conversations(upTo bound: String) -> String {
        """
        ((SELECT * FROM conversations WHERE store_id = $1 AND store_hidden = $2 AND (latest_at, id) < ($3, $4)
            ORDER BY latest_at DESC, id DESC LIMIT \(bound))
        UNION ALL
        (SELECT * FROM conversations WHERE courier_id = $1 AND courier_hidden = $2 AND (latest_at, id) < ($3, $4)
            ORDER BY latest_at DESC, id DESC LIMIT \(bound))) c
        """
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(isHidden)
        parameters.add(before.at)
        parameters.add(before.id)
        parameters.add(limit)
    }
}

/// A page of an account's conversations.
struct ListConversations: Statement {
    static let sql = """
        SELECT \(Conversation.columns) FROM \(ListedConversations.conversations(upTo: "$5")) \(Conversation.tables)
        ORDER BY c.latest_at DESC, c.id DESC LIMIT $5
        """
    static let isReadOnly = true
    let listed: ListedConversations

    func bind(into parameters: inout Parameters) { listed.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Conversation { try Conversation(&row) }
}

/// The same with somebody whose name or number has such words. It looks at so many conversations, and says where it
/// stopped, unless that was the end.
struct SearchConversations: Statement {
    static let sql = """
        WITH asked AS MATERIALIZED (
            SELECT search_for(ARRAY['*', mark_of($1)], $6) AS of_couriers, search_for(ARRAY[''], $6) AS of_stores),
        looked AS MATERIALIZED (SELECT * FROM \(ListedConversations.conversations(upTo: mostAtOnce))),
        found AS MATERIALIZED (
            SELECT c.* FROM looked c, asked
            WHERE CASE WHEN c.store_id = $1 THEN EXISTS (
                    SELECT FROM courier_words w WHERE w.courier_id = c.courier_id
                        AND coalesce(w.store_id, $1) = $1 AND ts_match_vq(w.words, of_couriers) OFFSET 0)
                ELSE (
                    SELECT ts_match_vq(searchable('', s.name, CASE WHEN c.is_open THEN s.phone END), of_stores)
                    FROM stores s WHERE s.id = c.store_id) END
            ORDER BY c.latest_at DESC, c.id DESC LIMIT $5)
        SELECT edge.at, edge.id, told.* FROM (
            SELECT (array_agg(latest_at ORDER BY latest_at, id))[1] AS at, (array_agg(id ORDER BY latest_at, id))[1] AS id
            FROM looked HAVING count(*) = \(most) AND (SELECT count(*) FROM found) < $5
            UNION ALL SELECT NULL, NULL LIMIT 1) edge
        LEFT JOIN (
            SELECT \(Conversation.columns) FROM found c \(Conversation.tables) ORDER BY c.latest_at DESC, c.id DESC) told ON true
        """
    static let isReadOnly = true
    private static let most = 500
    // The planner must not know how many that are, lest it reads all and sorts them.
    private static let mostAtOnce = "greatest($5, \(most))"
    let listed: ListedConversations
    let text: String

    func bind(into parameters: inout Parameters) {
        listed.bind(into: &parameters)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<[String]?, Conversation> {
        let (at, id): (Timestamp?, ID?) = (try row.read(), try row.read())
        let edge: [String]? = if let at, let id { ["\(at.microseconds)", id.description] } else { nil }
        return try Remarked(edge, &row) { try Conversation(&$0) }
    }
}

/// How many messages an account has not read in what it has not hidden.
struct CountUnread: Statement {
    static let sql = """
        SELECT (SELECT coalesce(sum(store_unread), 0) FROM conversations
                WHERE store_id = $1 AND store_unread > 0 AND NOT store_hidden)
            + (SELECT coalesce(sum(courier_unread), 0) FROM conversations
                WHERE courier_id = $1 AND courier_unread > 0 AND NOT courier_hidden)
        """
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

/// A page of what was said, the newest first.
struct ListMessages: Statement {
    static let sql = """
        SELECT \(SaidMessage.columns) FROM conversations c, LATERAL (
            SELECT * FROM conversation_messages m
            WHERE m.conversation_id = c.id AND m.at <= $3 AND (m.at, m.seq) < ($3, $4)
            ORDER BY m.at DESC, m.seq DESC LIMIT $5) m
        WHERE c.id = $2 AND $1 IN (c.store_id, c.courier_id) ORDER BY m.at DESC, m.seq DESC
        """
    static let isReadOnly = true
    private let account, conversation: ID
    private let before: (at: Timestamp, seq: Int32)
    private let limit: Int32

    init(account: ID, conversation: ID, _ page: Page) throws {
        (self.account, self.conversation, limit) = (account, conversation, page.fetched)
        guard let key = page.after else {
            before = (.infinity, .max)
            return
        }
        guard key.count == 2, let seq = Int32(key[1]) else { throw Page.wrongCursor }
        before = (try Page.time(key[0]), seq)
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(conversation)
        parameters.add(before.at)
        parameters.add(before.seq)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> SaidMessage { try SaidMessage(&row) }
}

/// Whether a message is there that has not been taken back.
struct IsSaid: Statement {
    static let sql = """
        SELECT true FROM conversation_messages WHERE conversation_id = $1 AND at = $2 AND id = $3 AND NOT deleted
        """
    static let isReadOnly = true
    let conversation, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(conversation)
        parameters.add(id.time)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Notes how far somebody has read; false where there is no such conversation.
struct ReadConversation: Statement {
    static let sql = "SELECT read_conversation($1, $2, $3, '{message.read,message.read}'::text[])"
    let conversation, account: ID
    let upTo: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(conversation)
        parameters.add(account)
        parameters.add(upTo)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Takes a message back.
struct DeleteMessage: Statement {
    enum Outcome: String, Sendable {
        case done
        case notFound = "not_found"
        case notItsAuthor = "not_its_author"
        case tooLate = "too_late"
    }

    static let sql = """
        SELECT delete_message($1, $2, $3, $4, '{message.deleted,message.deleted}'::text[]), EXISTS (
            SELECT FROM message_queue q JOIN messages m ON m.id = q.id
            WHERE \(MessageNotice.waiting(of: "$1")) AND m.data->>'message_id' = $3::text)
        """
    let conversation, account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(conversation)
        parameters.add(account)
        parameters.add(id)
        parameters.add(id.time)
    }

    static func decode(_ row: inout RowReader) throws -> (outcome: Outcome, hadNotice: Bool) {
        let text: String = try row.read()
        guard let outcome = Outcome(rawValue: text) else { throw PostgresError.unexpected("an outcome: \(text)") }
        return (outcome, try row.read())
    }
}

/// Puts a conversation away for one side, mutes it, or blocks it. Who wants no notices gets none that waits, and that
/// somebody is blocked, or no longer, both hear.
struct ChangeConversation: Statement {
    static let sql = """
        WITH held AS MATERIALIZED (
            SELECT id, store_id, courier_id, blocked FROM conversations
            WHERE id = $2 AND $1 IN (store_id, courier_id) FOR NO KEY UPDATE),
        changed AS (
            UPDATE conversations SET
                store_hidden = CASE WHEN store_id = $1 THEN coalesce($3, store_hidden) ELSE store_hidden END,
                courier_hidden = CASE WHEN courier_id = $1 THEN coalesce($3, courier_hidden) ELSE courier_hidden END,
                store_muted = CASE WHEN store_id = $1 THEN coalesce($4, store_muted) ELSE store_muted END,
                courier_muted = CASE WHEN courier_id = $1 THEN coalesce($4, courier_muted) ELSE courier_muted END,
                blocked = CASE WHEN courier_id = $1 THEN coalesce($5, blocked) ELSE blocked END
            WHERE id = (SELECT id FROM held) RETURNING id),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[store_id, courier_id], '{conversation.changed,conversation.changed}'::text[],
                    jsonb_build_object('conversation_id', id)
                FROM held WHERE courier_id = $1 AND blocked <> $5
                """))),
        untrue AS MATERIALIZED (
            SELECT withdraw('message_received', ARRAY[id], ARRAY[$1]) FROM changed WHERE $3 OR $4 OR $5)
        SELECT true FROM changed WHERE (SELECT count(*) FROM untrue) >= 0
        """
    let account, id: ID
    var isHidden: Bool?
    var isMuted: Bool?
    var isBlocked: Bool?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
        parameters.add(isHidden)
        parameters.add(isMuted)
        parameters.add(isBlocked)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// A picture that its sender may still hang on something.
struct FindLooseFile: Statement {
    static let sql = """
        SELECT width, height FROM files
        WHERE id = $1 AND account_id = $2 AND coalesce(delivery_id, conversation_id, profile_id) IS NULL
        """
    static let isReadOnly = true
    let file, account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(file)
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> (width: Int32, height: Int32) {
        (try row.read(), try row.read())
    }
}

/// Who is in an account's conversation.
struct FindPair: Statement {
    static let sql = "SELECT store_id, courier_id FROM conversations WHERE id = $2 AND $1 IN (store_id, courier_id)"
    static let isReadOnly = true
    let account, conversation: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(conversation)
    }

    static func decode(_ row: inout RowReader) throws -> (store: ID, courier: ID) {
        (try row.read(), try row.read())
    }
}

/// Makes partitions for what is to be said, and drops one that is too old; true when there was one.
package struct RenewConversationPartitions: Statement {
    package static let sql = "SELECT conversation_partitions($1)"
    let days: Int32

    package init(days: Int32) { self.days = days }

    package func bind(into parameters: inout Parameters) { parameters.add(days) }

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
