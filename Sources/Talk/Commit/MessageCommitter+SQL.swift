import API
import Domain
import Feed
import HTTP
import Outbox
import Postgres

/// Holds conversations, by their ids: whoever writes in one of them waits, or passes over it.
struct HoldConversations<Locks: WhenHeld>: Statement {
    static var sql: String {
        """
        SELECT c.id, c.store_id, c.courier_id, s.name, k.name, \(ConversationStanding.columns), c.last_seq, c.latest_at,
            s.has_device, k.has_device
        FROM (SELECT id FROM unnest($1::uuid[]) AS w(id) WHERE \(Locks.patience) ORDER BY id) w,
            LATERAL (SELECT * FROM conversations c WHERE c.id = w.id FOR NO KEY UPDATE \(Locks.clause)) c,
            LATERAL (SELECT name, \(hasDevice("s.id")) FROM stores s WHERE s.id = c.store_id OFFSET 0) s,
            LATERAL (
                SELECT first_name, first_name || ' ' || last_name AS name, \(hasDevice("k.id")) FROM couriers k
                WHERE k.id = c.courier_id OFFSET 0) k
        """
    }
    let ids: [ID]

    private static func hasDevice(_ account: String) -> String {
        "EXISTS (SELECT FROM devices d WHERE d.account_id = \(account)) AS has_device"
    }

    func bind(into parameters: inout Parameters) { parameters.add(ids) }

    static func decode(_ row: inout RowReader) throws -> HeldConversation { try HeldConversation(&row) }
}

/// What a statement does about conversations that others hold.
protocol WhenHeld: Sendable {
    static var clause: String { get }
    /// What sets how long the transaction waits for a lock, and is true.
    static var patience: String { get }
}

/// Passes over them.
enum PassOverHeld: WhenHeld {
    static let clause = "SKIP LOCKED"
    static let patience = "true"
}

/// Waits a moment for them.
enum WaitForHeld: WhenHeld {
    static let clause = ""
    static let patience = "set_config('lock_timeout', '100ms', true) <> ''"
}

/// Which of some keys an answer is kept under. It is asked once their conversations are held, so that a twin is seen;
/// and it says what time it is.
struct FindTakenKeys: Statement {
    static let sql = """
        SELECT clock_timestamp(), k.account_id, k.key FROM (SELECT) one LEFT JOIN (
            SELECT i.account_id, i.key FROM unnest($1::uuid[], $2::text[]) AS g(account, key), LATERAL (
                SELECT account_id, key FROM idempotency_keys i
                WHERE i.account_id = g.account AND i.key = g.key AND i.created_at > now() - \(FirstAnswers.kept) OFFSET 0) i) k ON true
        """
    let keys: [TakenKey]

    func bind(into parameters: inout Parameters) {
        parameters.add(keys.map(\.account))
        parameters.add(keys.map(\.key))
    }

    static func decode(_ row: inout RowReader) throws -> (now: Timestamp, taken: TakenKey?) {
        let now: Timestamp = try row.read()
        guard !row.isNextNull() else { return (now, nil) }
        return (now, TakenKey(account: try row.read(), key: try row.read()))
    }
}

/// Writes messages of conversations that are held, with all that follows from them. Says for how many the answer was
/// kept.
struct WriteMessages: Statement {
    static let sql = """
        WITH said AS MATERIALIZED (
            SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::uuid[], $5::boolean[], $6::text[], $7::uuid[],
                $8::uuid[], $9::integer[], $10::integer[], $11::uuid[], $12::uuid[])
                AS m(conversation_id, at, seq, id, from_store, text, delivery_id, file_id, file_width, file_height, author, reader)),
        written AS (
            INSERT INTO conversation_messages (
                conversation_id, at, seq, id, from_store, text, delivery_id, file_id, file_width, file_height)
            SELECT conversation_id, at, seq, id, from_store, text, delivery_id, file_id, file_width, file_height FROM said),
        moved AS (
            UPDATE conversations c SET last_seq = n.seq, latest_at = n.at, store_hidden = false, courier_hidden = false,
                store_unread = c.store_unread + n.of_courier, courier_unread = c.courier_unread + n.of_store
            FROM unnest($13::uuid[], $14::integer[], $15::timestamptz[], $16::integer[], $17::integer[])
                AS n(id, seq, at, of_store, of_courier)
            WHERE c.id = n.id),
        hung AS MATERIALIZED (
            SELECT hang_on_messages(array_agg(file_id), array_agg(author), array_agg(conversation_id))
            FROM said WHERE file_id IS NOT NULL HAVING count(*) > 0),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[reader, author], '{message.created,message.created}'::text[],
                    jsonb_build_object('conversation_id', conversation_id, 'message_id', id, 'seq', seq)
                FROM said
                """))),
        untrue AS MATERIALIZED (
            SELECT withdraw('message_received', $18::uuid[], $19::uuid[]) WHERE cardinality($18::uuid[]) > 0),
        told AS (
            \(Tell.sql("SELECT $20::jsonb AS notices WHERE (SELECT count(*) FROM untrue) >= 0"))),
        keys AS (
            INSERT INTO idempotency_keys AS kept (account_id, key, fingerprint, status, headers, body)
            SELECT account_id, key, fingerprint, status, string_to_array(headers, E'\\n'), body
            FROM unnest($21::uuid[], $22::text[], $23::bytea[], $24::smallint[], $25::text[], $26::bytea[])
                AS k(account_id, key, fingerprint, status, headers, body)
            ORDER BY account_id, key
            ON CONFLICT (account_id, key) DO UPDATE
            SET (fingerprint, status, headers, body, created_at)
                = (EXCLUDED.fingerprint, EXCLUDED.status, EXCLUDED.headers, EXCLUDED.body, now())
            WHERE kept.created_at <= now() - \(FirstAnswers.kept)
            RETURNING true)
        SELECT count(*) FROM keys WHERE (SELECT count(*) FROM hung) >= 0
        """
    let saying: Saying

    func bind(into parameters: inout Parameters) {
        let (said, additions, followed) = (saying.said, saying.additions, saying.followed)
        parameters.add(said.map(\.conversation.id))
        parameters.add(said.map(\.message.at))
        parameters.add(said.map(\.message.seq))
        parameters.add(said.map(\.message.id))
        parameters.add(said.map { $0.message.from == .store })
        parameters.add(said.map { $0.message.content?.text })
        parameters.add(said.map { $0.message.content?.delivery })
        parameters.add(said.map { $0.message.content?.picture?.id })
        parameters.add(said.map { $0.message.content?.picture?.width })
        parameters.add(said.map { $0.message.content?.picture?.height })
        parameters.add(said.map(\.message.author))
        parameters.add(said.map { $0.message.from == .store ? $0.conversation.courier : $0.conversation.store })
        parameters.add(additions.map(\.conversation))
        parameters.add(additions.map(\.last.seq))
        parameters.add(additions.map(\.last.at))
        parameters.add(additions.map(\.ofStore))
        parameters.add(additions.map(\.ofCourier))
        parameters.add(followed.map(\.conversation))
        parameters.add(followed.map(\.account))
        parameters.add(JSONB(utf8: JSON.array(saying.notices.map(\.json)).bytes))
        let records = said.compactMap { said in said.record.map { (account: said.message.author, kept: $0) } }
        parameters.add(records.map(\.account))
        parameters.add(records.map(\.kept.attempt.key))
        parameters.add(records.map { Bytes($0.kept.attempt.fingerprint) })
        parameters.add(records.map(\.kept.status))
        parameters.add(records.map { $0.kept.headers.joined(separator: "\n") })
        parameters.add(records.map { Bytes($0.kept.body) })
    }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
