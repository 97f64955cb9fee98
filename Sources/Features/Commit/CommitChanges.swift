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
}

/// Commits many changes with one statement, which passes over deliveries that others hold locked; gives the places of
/// those that were made.
struct CommitTogether: Statement {
    static let sql = CommitSQL.text(waiting: false)
    let commits: [Commit]

    func bind(into parameters: inout Parameters) { CommitSQL.bind(commits, into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

/// Commits one change, and waits for whoever holds its delivery.
struct CommitAlone: Statement {
    static let sql = CommitSQL.text(waiting: true)
    let commit: Commit

    func bind(into parameters: inout Parameters) { CommitSQL.bind([commit], into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

/// The one statement that writes deliveries.
///
/// Locks are taken in one order everywhere: partners, then deliveries, then couriers, each by id.
private enum CommitSQL {
    static func text(waiting: Bool) -> String {
        let skipping = waiting ? "" : "SKIP LOCKED"
        return """
            WITH changes AS MATERIALIZED (
                SELECT * FROM unnest(
                    $1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[],
                    $9::text[], $10::jsonb[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[],
                    $14::timestamptz[], $15::text[], $16::text[], $17::uuid[], $18::uuid[], $19::text[], $20::text[],
                    $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[],
                    $28::text[], $29::jsonb[], $30::text[], $31::bytea[], $32::smallint[], $33::text[], $34::bytea[])
                WITH ORDINALITY AS c(
                    id, store_id, expected, was, status, courier_id, candidates, declined,
                    forfeited, content, at, accepted_at, delivered_at,
                    cancelled_at, action, actor_kind, actor_id, about, reason, note,
                    added, removed, counter, closed, opened, readers, event_types,
                    withdrawn, notices, key, fingerprint, answer_status, answer_headers, answer_body, no)),
            allowed AS MATERIALIZED (
                SELECT c.* FROM changes c JOIN partners p ON p.store_id = c.store_id AND p.courier_id = c.actor_id
                WHERE c.action = 'accept'
                ORDER BY p.store_id, p.courier_id FOR KEY SHARE OF p \(skipping)),
            locked AS MATERIALIZED (
                SELECT c.* FROM (
                    SELECT * FROM allowed UNION ALL SELECT * FROM changes WHERE action NOT IN ('accept', 'create')) c
                    JOIN deliveries d ON d.id = c.id AND d.version = c.expected
                ORDER BY d.id FOR NO KEY UPDATE OF d \(skipping)),
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
                FROM locked c WHERE d.id = c.id
                RETURNING c.*),
            made AS (
                INSERT INTO deliveries (
                    id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
                    recipient_address, recipient_phone, recipient_lat, recipient_lon, description, instructions,
                    reference, created_at, updated_at)
                SELECT c.id, c.store_id, c.status::delivery_status, 1, c.candidates::uuid[], c.content->>'first_name',
                    c.content->>'last_name', c.content->>'address', c.content->>'phone',
                    (c.content->>'lat')::double precision, (c.content->>'lon')::double precision,
                    c.content->>'description', c.content->>'instructions', c.content->>'reference', c.at, c.at
                FROM changes c WHERE c.action = 'create' ORDER BY c.store_id, c.content->>'reference'),
            done AS MATERIALIZED (
                SELECT * FROM changed UNION ALL SELECT * FROM changes WHERE action = 'create'),
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
                DELETE FROM jobs j USING done c, unnest(c.closed::uuid[]) AS courier
                WHERE j.courier_id = courier AND j.status = c.was::delivery_status AND j.delivery_id = c.id),
            opened AS (
                INSERT INTO jobs (courier_id, status, delivery_id, store_id)
                SELECT courier, c.status::delivery_status, c.id, c.store_id FROM done c, unnest(c.opened::uuid[]) AS courier),
            fed AS (
                INSERT INTO event_journal (accounts, types, delivery_id, seq, at)
                SELECT c.readers::uuid[], c.event_types::text[], c.id, c.expected + 1, c.at FROM done c),
            -- In the order in which gateways answer for them.
            untrue AS MATERIALIZED (
                SELECT q.id, q.lease IS NULL OR q.ready_at <= clock_timestamp() AS waits FROM message_queue q JOIN done c ON q.subject = c.id
                WHERE c.withdrawn <> '{}' AND q.kind = 'delivery_offered' AND q.account_id = ANY (c.withdrawn::uuid[])
                ORDER BY q.id FOR UPDATE OF q),
            withdrawn AS (DELETE FROM message_queue WHERE id = ANY (ARRAY(SELECT id FROM untrue WHERE waits))),
            -- What a gateway has already is not to be tried again.
            overdue AS (
                UPDATE message_queue SET expires_at = clock_timestamp()
                WHERE id = ANY (ARRAY(SELECT id FROM untrue WHERE NOT waits))),
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
                    coalesce(n.texts->r.language, n.texts->'en') AS text),
            kept AS (
                INSERT INTO idempotency_keys (account_id, key, fingerprint, status, headers, body)
                SELECT actor_id, key, fingerprint, answer_status, string_to_array(answer_headers, E'\\n'), answer_body
                FROM done WHERE key IS NOT NULL)
            SELECT no FROM done
            """
    }

    /// A column that only an edit changes.
    private static func edited(_ column: String, _ name: String, _ type: String = "text") -> String {
        "\(column) = CASE WHEN c.content IS NULL THEN d.\(column) ELSE (c.content->>'\(name)')::\(type) END"
    }

    static func bind(_ commits: [Commit], into parameters: inout Parameters) {
        let changes = commits.map(\.change)
        bindState(of: changes, into: &parameters)
        parameters.add(commits.map(\.at))
        parameters.add(commits.map(\.times.accepted))
        parameters.add(commits.map(\.times.delivered))
        parameters.add(commits.map(\.times.cancelled))
        bindStep(of: changes, into: &parameters)
        parameters.add(changes.map { $0.counter?.rawValue })
        parameters.add(changes.map { list($0.closedJobs.map(\.courier)) })
        parameters.add(changes.map { list($0.openedJobs.map(\.courier)) })
        parameters.add(changes.map { list($0.events.map(\.account)) })
        parameters.add(changes.map { list($0.events.map(\.type.rawValue)) })
        parameters.add(changes.map { list($0.withdrawn) })
        parameters.add(commits.map { Notice.json($0.notices) })
        bindRecords(commits.map(\.record), into: &parameters)
    }

    private static func bindState(of changes: [Change], into parameters: inout Parameters) {
        parameters.add(changes.map(\.after.id))
        parameters.add(changes.map(\.after.store))
        parameters.add(changes.map(\.expectedVersion))
        parameters.add(changes.map { $0.before?.status.rawValue })
        parameters.add(changes.map(\.after.status.rawValue))
        parameters.add(changes.map(\.after.courier))
        parameters.add(changes.map { list($0.after.candidates) })
        parameters.add(changes.map { list($0.after.declined) })
        parameters.add(changes.map { list($0.after.forfeited) })
        parameters.add(changes.map(content))
    }

    private static func bindStep(of changes: [Change], into parameters: inout Parameters) {
        parameters.add(changes.map(\.command.action.rawValue))
        parameters.add(changes.map(\.command.actorKind.rawValue))
        parameters.add(changes.map(\.command.actor))
        parameters.add(changes.map(\.command.courier))
        parameters.add(changes.map(\.command.reason))
        parameters.add(changes.map(\.command.note))
        parameters.add(changes.map { list($0.added) })
        parameters.add(changes.map { list($0.removed) })
    }

    private static func bindRecords(_ records: [KeepFirstAnswer?], into parameters: inout Parameters) {
        parameters.add(records.map { $0?.attempt.key })
        parameters.add(records.map { $0.map { Bytes($0.attempt.fingerprint) } })
        parameters.add(records.map { $0?.status })
        parameters.add(records.map { $0?.headers.joined(separator: "\n") })
        parameters.add(records.map { $0.map { Bytes($0.body) } })
    }

    /// An array within an array, as text.
    private static func list(_ items: [some CustomStringConvertible]) -> String {
        "{" + items.map(\.description).joined(separator: ",") + "}"
    }

    /// The content of a delivery that is new or edited.
    private static func content(_ change: Change) -> JSONB? {
        guard change.after.content != change.before?.content else { return nil }
        let (content, recipient) = (change.after.content, change.after.content.recipient)
        var json = JSONWriter()
        json.object { json in
            json.field("first_name", recipient.firstName)
            json.field("last_name", recipient.lastName)
            json.field("address", recipient.address)
            json.field("phone", recipient.phone?.e164)
            if let location = recipient.location {
                json.field("lat", location.lat)
                json.field("lon", location.lon)
            }
            json.field("description", content.description)
            json.field("instructions", content.instructions)
            json.field("reference", content.reference)
        }
        return JSONB(utf8: json.bytes)
    }
}
