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
                    $1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[],
                    $9::jsonb[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[],
                    $14::text[], $15::text[], $16::uuid[], $17::uuid[], $18::text[], $19::text[], $20::text[],
                    $21::text[], $22::text[])
                WITH ORDINALITY AS c(
                    id, store_id, expected, status, courier_id, candidates, declined, forfeited,
                    content, at, accepted_at, delivered_at, cancelled_at,
                    action, actor_kind, actor_id, about, reason, note, added, removed, counter, no)),
            held AS MATERIALIZED (
                SELECT c.no FROM changes c JOIN partners p ON p.store_id = c.store_id AND p.courier_id = c.actor_id
                WHERE c.action = 'accept'
                ORDER BY p.store_id, p.courier_id FOR KEY SHARE OF p \(skipping)),
            locked AS MATERIALIZED (
                SELECT c.no FROM changes c JOIN deliveries d ON d.id = c.id AND d.version = c.expected
                WHERE c.action <> 'accept' OR c.no IN (SELECT no FROM held)
                ORDER BY d.id FOR NO KEY UPDATE OF d \(skipping)),
            changed AS (
                UPDATE deliveries d SET
                    status = c.status::delivery_status, version = c.expected + 1, courier_id = c.courier_id,
                    candidates = c.candidates::uuid[], declined = c.declined::uuid[], forfeited = c.forfeited::uuid[],
                    recipient_first_name = CASE WHEN c.content IS NULL THEN d.recipient_first_name ELSE c.content->>'first_name' END,
                    recipient_last_name = CASE WHEN c.content IS NULL THEN d.recipient_last_name ELSE c.content->>'last_name' END,
                    recipient_address = CASE WHEN c.content IS NULL THEN d.recipient_address ELSE c.content->>'address' END,
                    recipient_phone = CASE WHEN c.content IS NULL THEN d.recipient_phone ELSE c.content->>'phone' END,
                    recipient_lat = CASE WHEN c.content IS NULL THEN d.recipient_lat ELSE (c.content->>'lat')::double precision END,
                    recipient_lon = CASE WHEN c.content IS NULL THEN d.recipient_lon ELSE (c.content->>'lon')::double precision END,
                    description = CASE WHEN c.content IS NULL THEN d.description ELSE c.content->>'description' END,
                    instructions = CASE WHEN c.content IS NULL THEN d.instructions ELSE c.content->>'instructions' END,
                    reference = CASE WHEN c.content IS NULL THEN d.reference ELSE c.content->>'reference' END,
                    updated_at = c.at, accepted_at = c.accepted_at, delivered_at = c.delivered_at,
                    cancelled_at = c.cancelled_at
                FROM changes c JOIN locked ON locked.no = c.no WHERE d.id = c.id
                RETURNING c.no),
            made AS (
                INSERT INTO deliveries (
                    id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
                    recipient_address, recipient_phone, recipient_lat, recipient_lon, description, instructions,
                    reference, created_at, updated_at)
                SELECT c.id, c.store_id, c.status::delivery_status, 1, c.candidates::uuid[], c.content->>'first_name',
                    c.content->>'last_name', c.content->>'address', c.content->>'phone',
                    (c.content->>'lat')::double precision, (c.content->>'lon')::double precision,
                    c.content->>'description', c.content->>'instructions', c.content->>'reference', c.at, c.at
                FROM changes c WHERE c.expected = 0 ORDER BY c.store_id, c.content->>'reference'
                ON CONFLICT (store_id, reference) WHERE reference IS NOT NULL DO NOTHING
                RETURNING id),
            done AS MATERIALIZED (
                SELECT c.* FROM changes c JOIN (
                    SELECT no FROM changed UNION ALL SELECT c.no FROM made JOIN changes c USING (id)) d USING (no)),
            history AS (
                INSERT INTO delivery_history (
                    delivery_id, seq, action, actor_kind, actor_id, courier_id, status, at, reason, note, added, removed)
                SELECT id, expected + 1, action, actor_kind, actor_id, about, status::delivery_status, at, reason, note,
                    added::uuid[], removed::uuid[]
                FROM done),
            counted AS MATERIALIZED (
                SELECT actor_id AS id, count(*) FILTER (WHERE counter = 'accepted') AS accepted,
                    count(*) FILTER (WHERE counter = 'delivered') AS delivered,
                    count(*) FILTER (WHERE counter = 'cancelled') AS cancelled,
                    count(*) FILTER (WHERE counter = 'declined') AS declined
                FROM done WHERE counter IS NOT NULL GROUP BY actor_id),
            couriers_held AS MATERIALIZED (
                SELECT k.id FROM couriers k JOIN counted USING (id) ORDER BY k.id FOR NO KEY UPDATE OF k),
            counters AS (
                UPDATE couriers k SET (accepted, delivered, cancelled, declined) = (
                    k.accepted + n.accepted, k.delivered + n.delivered, k.cancelled + n.cancelled,
                    k.declined + n.declined)
                FROM counted n JOIN couriers_held h ON h.id = n.id WHERE k.id = n.id),
            cancelled AS (
                INSERT INTO cancellations (id, courier_id, store_id, delivery_id, at, reason)
                SELECT gen_random_uuid(), actor_id, store_id, id, at, reason FROM done WHERE counter = 'cancelled'),
            closed AS (
                DELETE FROM jobs j USING unnest($23::bigint[], $24::uuid[], $25::text[]) AS g(no, courier_id, status)
                    JOIN done ON done.no = g.no
                WHERE j.courier_id = g.courier_id AND j.status = g.status::delivery_status AND j.delivery_id = done.id),
            opened AS (
                INSERT INTO jobs (courier_id, status, delivery_id, store_id)
                SELECT g.courier_id, g.status::delivery_status, done.id, done.store_id
                FROM unnest($26::bigint[], $27::uuid[], $28::text[]) AS g(no, courier_id, status)
                    JOIN done ON done.no = g.no),
            fed AS (
                INSERT INTO events (account_id, type, delivery_id, seq, at)
                SELECT g.account_id, g.type, done.id, done.expected + 1, done.at
                FROM unnest($29::bigint[], $30::uuid[], $31::text[]) AS g(no, account_id, type)
                    JOIN done ON done.no = g.no),
            untrue AS (
                DELETE FROM outbox o USING unnest($32::bigint[], $33::uuid[]) AS g(no, courier_id)
                    JOIN done ON done.no = g.no
                WHERE o.subject = done.id AND o.kind = 'delivery_offered' AND o.account_id = g.courier_id),
            told AS (
                INSERT INTO outbox (
                    kind, data, channel, address, platform, language, title, body, account_id, subject, created_at)
                SELECT g.kind, g.data, r.channel, r.address, r.platform, r.language, text.title, text.body,
                    r.account_id, done.id, done.at
                FROM unnest($34::bigint[], $35::text[], $36::uuid[], $37::boolean[], $38::jsonb[], $39::integer[])
                        AS g(no, kind, account_id, by_sms, data, text)
                    JOIN done ON done.no = g.no
                    JOIN message_routes r ON r.account_id = g.account_id
                    JOIN unnest($40::integer[], $41::text[], $42::text[], $43::text[])
                        AS text(text, language, title, body) ON text.text = g.text AND text.language = r.language
                WHERE r.channel = 'push' OR g.by_sms AND r.channel = 'sms' AND EXISTS (
                        SELECT FROM accounts a WHERE a.id = r.account_id AND a.notifications_enabled)
                    AND NOT EXISTS (SELECT FROM devices d WHERE d.account_id = r.account_id)),
            kept AS (
                INSERT INTO idempotency_keys (account_id, key, fingerprint, status, headers, body)
                SELECT g.account_id, g.key, g.fingerprint, g.status, string_to_array(g.headers, E'\\n'), g.body
                FROM unnest($44::bigint[], $45::uuid[], $46::text[], $47::bytea[], $48::smallint[], $49::text[], $50::bytea[])
                        AS g(no, account_id, key, fingerprint, status, headers, body)
                    JOIN done ON done.no = g.no)
            SELECT no FROM done
            """
    }

    static func bind(_ commits: [Commit], into parameters: inout Parameters) {
        bindChanges(commits, into: &parameters)
        bindJobs(commits, \.closedJobs, into: &parameters)
        bindJobs(commits, \.openedJobs, into: &parameters)
        let events = numbered(commits, \.change.events)
        parameters.add(events.map(\.no))
        parameters.add(events.map(\.item.account))
        parameters.add(events.map(\.item.type.rawValue))
        let withdrawn = numbered(commits, \.change.withdrawn)
        parameters.add(withdrawn.map(\.no))
        parameters.add(withdrawn.map(\.item))
        bindNotices(commits, into: &parameters)
        bindRecords(commits, into: &parameters)
    }

    private static func bindChanges(_ commits: [Commit], into parameters: inout Parameters) {
        let changes = commits.map(\.change)
        parameters.add(changes.map(\.after.id))
        parameters.add(changes.map(\.after.store))
        parameters.add(changes.map(\.expectedVersion))
        parameters.add(changes.map(\.after.status.rawValue))
        parameters.add(changes.map(\.after.courier))
        parameters.add(changes.map { list($0.after.candidates) })
        parameters.add(changes.map { list($0.after.declined) })
        parameters.add(changes.map { list($0.after.forfeited) })
        parameters.add(changes.map(content))
        parameters.add(commits.map(\.at))
        parameters.add(commits.map(\.times.accepted))
        parameters.add(commits.map(\.times.delivered))
        parameters.add(commits.map(\.times.cancelled))
        parameters.add(changes.map(\.command.action.rawValue))
        parameters.add(changes.map(\.command.actorKind.rawValue))
        parameters.add(changes.map(\.command.actor))
        parameters.add(changes.map(\.command.courier))
        parameters.add(changes.map(\.command.reason))
        parameters.add(changes.map(\.command.note))
        parameters.add(changes.map { list($0.added) })
        parameters.add(changes.map { list($0.removed) })
        parameters.add(changes.map { $0.counter?.rawValue })
    }

    private static func bindJobs(
        _ commits: [Commit], _ jobs: KeyPath<Change, [Change.Job]>, into parameters: inout Parameters
    ) {
        let jobs = numbered(commits) { $0.change[keyPath: jobs] }
        parameters.add(jobs.map(\.no))
        parameters.add(jobs.map(\.item.courier))
        parameters.add(jobs.map(\.item.status.rawValue))
    }

    private static func bindNotices(_ commits: [Commit], into parameters: inout Parameters) {
        let notices = numbered(commits, \.notices)
        parameters.add(notices.map(\.no))
        parameters.add(notices.map(\.item.message.kind.rawValue))
        parameters.add(notices.map(\.item.account))
        parameters.add(notices.map(\.item.reachesBySMS))
        parameters.add(notices.map { JSONB(utf8: JSON.object($0.item.message.data).bytes) })
        parameters.add(notices.indices.map { Int32($0) })
        let texts = notices.enumerated().flatMap { place, notice in
            notice.item.message.texts.map { (place: Int32(place), text: $0) }
        }
        parameters.add(texts.map(\.place))
        parameters.add(texts.map(\.text.language.rawValue))
        parameters.add(texts.map(\.text.title))
        parameters.add(texts.map(\.text.body))
    }

    private static func bindRecords(_ commits: [Commit], into parameters: inout Parameters) {
        let records = numbered(commits) { $0.record.map { [$0] } ?? [] }
        parameters.add(records.map(\.no))
        parameters.add(records.map(\.item.attempt.account))
        parameters.add(records.map(\.item.attempt.key))
        parameters.add(records.map { Bytes($0.item.attempt.fingerprint) })
        parameters.add(records.map(\.item.status))
        parameters.add(records.map { $0.item.headers.joined(separator: "\n") })
        parameters.add(records.map { Bytes($0.item.body) })
    }

    /// What belongs to the changes, each with the place of its change, from one as the database counts.
    private static func numbered<Item>(_ commits: [Commit], _ items: (Commit) -> [Item]) -> [(no: Int64, item: Item)] {
        commits.enumerated().flatMap { place, commit in items(commit).map { (Int64(place + 1), $0) } }
    }

    /// An array within an array, as text.
    private static func list(_ ids: [ID]) -> String {
        "{" + ids.map(\.description).joined(separator: ",") + "}"
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
