import Domain
import HTTP
import Postgres

/// Changes on their way into the database: with all that follows from each, or without it at all.
struct Commit: Sendable {
    let change: Change
    let at: Timestamp
    let times: StoredDelivery.Times
    let notices: [Notice]
    /// The answer to keep for a request that came with a key.
    let record: KeepFirstAnswer?

    /// What became of one.
    enum Outcome: String, Sendable {
        case made
        /// Its delivery has moved on, or somebody holds it, or not everybody concerned is a partner.
        case notMade = "not_made"
        case referenceTaken = "reference_taken"
        /// The answer to a request with that key is kept already.
        case keyTaken = "key_taken"
    }
}

/// What the statement tells of a change that was given to it; of those that it tells nothing nothing was made.
struct CommitResult: Sendable {
    /// Its place among those that were given, from one.
    let place: Int
    let outcome: Commit.Outcome

    fileprivate init(_ row: inout RowReader) throws {
        place = Int(try row.read() as Int64)
        let outcome: String = try row.read()
        guard let outcome = Commit.Outcome(rawValue: outcome) else {
            throw PostgresError.unexpected("an outcome: \(outcome)")
        }
        self.outcome = outcome
    }
}

/// Commits many changes with one statement, which passes over deliveries that others hold locked.
struct CommitTogether: Statement {
    static let sql = CommitSQL.text(waiting: false)
    let commits: [Commit]

    func bind(into parameters: inout Parameters) { CommitSQL.bind(commits, into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> CommitResult { try CommitResult(&row) }
}

/// Commits one change, and waits for whoever holds its delivery.
struct CommitAlone: Statement {
    static let sql = CommitSQL.text(waiting: true)
    let commit: Commit

    func bind(into parameters: inout Parameters) { CommitSQL.bind([commit], into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> CommitResult { try CommitResult(&row) }
}

/// The one statement that writes deliveries.
///
/// Locks are taken in one order everywhere: partners, then deliveries, then keys, then couriers, each by id; and in
/// LATERAL queries, so that each row is looked up by its key whatever the planner believes of the tables. Each change
/// has its own outcome; only where two clients use the same new reference at the same moment, one of them with a key, is
/// the statement refused as a whole.
private enum CommitSQL {
    static func text(waiting: Bool) -> String {
        let skipping = waiting ? "" : "SKIP LOCKED"
        return """
            WITH changes AS MATERIALIZED (
                SELECT * FROM unnest(\(CommitColumns.placeholders)) WITH ORDINALITY AS c(\(CommitColumns.names), no)),
            partnered AS MATERIALIZED (
                SELECT asked.no
                FROM (SELECT * FROM unnest(\(askedPlaceholders)) AS a(no, store, courier) ORDER BY store, courier) asked,
                    LATERAL (
                        SELECT FROM partners p WHERE p.store_id = asked.store AND p.courier_id = asked.courier
                        FOR KEY SHARE \(skipping)) p),
            allowed AS MATERIALIZED (
                SELECT c.* FROM changes c LEFT JOIN (SELECT no, count(*) AS partners FROM partnered GROUP BY no) p
                    ON p.no = c.no
                WHERE c.asked = coalesce(p.partners, 0)
                    -- Leave is taken for those alone who have not become partners again.
                    AND (c.action NOT IN ('release', 'withdraw') OR NOT EXISTS (
                        SELECT FROM partners p WHERE p.store_id = c.store_id AND p.courier_id = c.about OFFSET 0))),
            locked AS MATERIALIZED (
                SELECT c.* FROM (SELECT * FROM allowed WHERE action <> 'create' ORDER BY id) c,
                    LATERAL (
                        SELECT FROM deliveries d WHERE d.id = c.id AND d.version = c.expected
                        FOR NO KEY UPDATE \(skipping)) d),
            -- Of several with one reference the first goes on, and the others try again.
            fresh AS MATERIALIZED (
                SELECT c.*, reference IS NOT NULL AND EXISTS (
                    SELECT FROM deliveries d WHERE d.store_id = c.store_id AND d.reference = c.reference) AS taken
                FROM (
                    SELECT *, content->>'reference' AS reference,
                        row_number() OVER (
                            PARTITION BY store_id, content->>'reference', CASE WHEN content->>'reference' IS NULL THEN no END
                            ORDER BY no) AS twin
                    FROM allowed WHERE action = 'create') c
                WHERE twin = 1),
            -- Of several with one key the first may take it.
            keyed AS MATERIALIZED (
                SELECT DISTINCT ON (actor_id, key) no, \(CommitColumns.ofRecords) FROM (
                    SELECT no, \(CommitColumns.ofRecords) FROM locked
                    UNION ALL SELECT no, \(CommitColumns.ofRecords) FROM fresh WHERE NOT taken) r
                WHERE key IS NOT NULL ORDER BY actor_id, key, no),
            keys AS (
                INSERT INTO idempotency_keys (account_id, key, fingerprint, status, headers, body)
                SELECT actor_id, key, fingerprint, answer_status, string_to_array(answer_headers, E'\\n'), answer_body
                FROM keyed ORDER BY actor_id, key
                ON CONFLICT (account_id, key) DO NOTHING RETURNING account_id, key),
            entitled AS MATERIALIZED (
                SELECT r.no FROM keyed r JOIN keys k ON k.account_id = r.actor_id AND k.key = r.key),
            changed AS (
                UPDATE deliveries d SET
                    status = c.status::delivery_status, version = c.expected + 1, courier_id = c.courier_id,
                    candidates = c.candidates::uuid[], declined = c.declined::uuid[], forfeited = c.forfeited::uuid[],
                    \(edited("recipient_first_name", "first_name")), \(edited("recipient_last_name", "last_name")),
                    \(edited("recipient_address", "address")), \(edited("recipient_phone", "phone")),
                    \(edited("recipient_lat", "lat", "double precision")),
                    \(edited("recipient_lon", "lon", "double precision")),
                    \(edited("description", "description")), \(edited("instructions", "instructions")),
                    \(edited("reference", "reference")),
                    updated_at = c.at, accepted_at = c.accepted_at, delivered_at = c.delivered_at,
                    cancelled_at = c.cancelled_at
                FROM locked c
                WHERE d.id = c.id AND (c.key IS NULL OR c.no IN (SELECT no FROM entitled))
                RETURNING c.*),
            made AS (
                \(creating("c.key IS NULL"))
                ON CONFLICT (store_id, reference) WHERE reference IS NOT NULL DO NOTHING RETURNING id),
            made_with_key AS (
                \(creating("c.no IN (SELECT no FROM entitled)")) RETURNING id),
            done AS MATERIALIZED (
                SELECT * FROM changed UNION ALL SELECT c.* FROM changes c
                    JOIN (SELECT id FROM made UNION ALL SELECT id FROM made_with_key) m ON m.id = c.id),
            history AS (
                INSERT INTO delivery_history (
                    delivery_id, seq, action, actor_kind, actor_id, courier_id, status, at, reason, note, added, removed)
                SELECT id, expected + 1, action, actor_kind, actor_id, about, status::delivery_status, at, reason, note,
                    added::uuid[], removed::uuid[]
                FROM done),
            counted AS MATERIALIZED (
                SELECT k.id, n.accepted, n.delivered, n.cancelled, n.declined
                FROM (
                    SELECT actor_id, count(*) FILTER (WHERE counter = 'accepted') AS accepted,
                        count(*) FILTER (WHERE counter = 'delivered') AS delivered,
                        count(*) FILTER (WHERE counter = 'cancelled') AS cancelled,
                        count(*) FILTER (WHERE counter = 'declined') AS declined
                    FROM done WHERE counter IS NOT NULL GROUP BY actor_id) n JOIN couriers k ON k.id = n.actor_id
                ORDER BY k.id FOR NO KEY UPDATE OF k),
            counters AS (
                UPDATE couriers k SET accepted = k.accepted + n.accepted, delivered = k.delivered + n.delivered,
                    cancelled = k.cancelled + n.cancelled, declined = k.declined + n.declined
                FROM counted n WHERE k.id = n.id),
            cancelled AS (
                INSERT INTO cancellations (id, courier_id, store_id, delivery_id, at, reason)
                SELECT uuid_v7(), actor_id, store_id, id, at, reason FROM done WHERE counter = 'cancelled'),
            closed AS (
                DELETE FROM jobs j USING (
                    SELECT courier, c.was::delivery_status AS was, c.id
                    FROM done c, unnest(c.closed::uuid[]) AS courier OFFSET 0) c
                WHERE j.courier_id = c.courier AND j.status = c.was AND j.delivery_id = c.id),
            opened AS (
                INSERT INTO jobs (courier_id, status, delivery_id, store_id)
                SELECT courier, c.status::delivery_status, c.id, c.store_id FROM done c, unnest(c.opened::uuid[]) AS courier),
            fed AS (
                INSERT INTO event_journal (accounts, types, delivery_id, seq, at)
                SELECT c.readers::uuid[], c.event_types::text[], c.id, c.expected + 1, c.at FROM done c),
            untrue AS MATERIALIZED (
                SELECT withdraw('delivery_offered', array_agg(c.id), array_agg(person)) AS withdrawn
                FROM done c, unnest(c.withdrawn::uuid[]) AS person HAVING count(*) > 0),
            told AS (
                INSERT INTO messages (
                    kind, data, channel, address, platform, language, title, body, account_id, subject)
                SELECT n.kind, n.data || r.extra, r.channel::message_channel, r.address, r.platform, r.language, text->>0, text->>1, account, c.id
                FROM done c,
                    jsonb_to_recordset(c.notices)
                        AS n(kind text, by_sms boolean, data jsonb, texts jsonb, accounts uuid[]),
                    unnest(n.accounts) AS account,
                    LATERAL (
                        SELECT 'push' AS channel, d.token AS address, d.platform, a.language,
                            jsonb_strip_nulls(jsonb_build_object('keys', d.keys)) AS extra
                        FROM accounts a JOIN devices d ON d.account_id = a.id
                        WHERE a.id = account AND a.notifications_enabled
                        UNION ALL
                        SELECT 'sms', k.phone, NULL, a.language, '{}' FROM accounts a JOIN couriers k ON k.id = a.id
                        WHERE a.id = account AND a.notifications_enabled AND n.by_sms
                            AND NOT EXISTS (SELECT FROM devices d WHERE d.account_id = a.id)) r,
                    coalesce(n.texts->r.language, n.texts->'en') AS text)
            SELECT no, 'made' FROM done WHERE (SELECT count(withdrawn) FROM untrue) >= 0
            UNION ALL
            SELECT no, 'reference_taken' FROM fresh WHERE taken
            UNION ALL
            SELECT no, 'key_taken' FROM (
                SELECT no, key FROM locked UNION ALL SELECT no, key FROM fresh WHERE NOT taken) c
            WHERE key IS NOT NULL AND no NOT IN (SELECT no FROM entitled)
            """
    }

    /// Who must be a partner of which store for a change, behind the columns.
    private static let askedPlaceholders = ["bigint", "uuid", "uuid"].enumerated().map { place, type in
        "$\(CommitColumns.all.count + 1 + place)::\(type)[]"
    }.joined(separator: ", ")

    private static func creating(_ condition: String) -> String {
        """
        INSERT INTO deliveries (
            id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
            recipient_address, recipient_phone, recipient_lat, recipient_lon, description, instructions,
            reference, created_at, updated_at)
        SELECT c.id, c.store_id, c.status::delivery_status, 1, c.candidates::uuid[], c.content->>'first_name',
            c.content->>'last_name', c.content->>'address', c.content->>'phone',
            (c.content->>'lat')::double precision, (c.content->>'lon')::double precision,
            c.content->>'description', c.content->>'instructions', c.reference, c.at, c.at
        FROM fresh c WHERE NOT taken AND \(condition) ORDER BY c.store_id, c.reference
        """
    }

    /// A column that only an edit changes.
    private static func edited(_ column: String, _ name: String, _ type: String = "text") -> String {
        "\(column) = CASE WHEN c.content IS NULL THEN d.\(column) ELSE (c.content->>'\(name)')::\(type) END"
    }

    static func bind(_ commits: [Commit], into parameters: inout Parameters) {
        for column in CommitColumns.all { column.bind(commits, &parameters) }
        let asked = commits.enumerated().flatMap { place, commit in
            commit.change.mustBePartners.map {
                (place: Int64(place + 1), store: commit.change.after.store, courier: $0)
            }
        }
        parameters.add(asked.map(\.place))
        parameters.add(asked.map(\.store))
        parameters.add(asked.map(\.courier))
    }
}
