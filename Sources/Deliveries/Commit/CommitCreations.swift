import Postgres

/// Writes new deliveries, with all that follows from each.
package struct CommitCreations<Locks: WhenLocked>: Statement {
    /// What it is given of each change, in this order.
    package static var columnNames: [String] { CommitColumns.ofCreations.map(\.name) }
    let commits: [Commit]

    package static var sql: String {
        """
        WITH \(CommitSQL.given(CommitColumns.ofCreations)),
        \(CommitSQL.partnered(Locks.self, after: CommitColumns.ofCreations)),
        allowed AS MATERIALIZED (SELECT *, content->>'reference' AS reference FROM changes WHERE \(CommitSQL.hasItsPartners)),
        -- Of several with one reference the first goes on, and the others try again.
        fresh AS MATERIALIZED (
            SELECT c.*, reference IS NOT NULL AND EXISTS (
                SELECT FROM deliveries d WHERE d.store_id = c.store_id AND d.reference = c.reference) AS taken
            FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY store_id, reference, CASE WHEN reference IS NULL THEN no END ORDER BY no) AS twin
                FROM allowed) c
            WHERE twin = 1),
        \(CommitSQL.keyed("fresh WHERE NOT taken")),
        made AS (
            \(inserting("key IS NULL"))
            ON CONFLICT (store_id, reference) WHERE reference IS NOT NULL DO NOTHING RETURNING id),
        made_with_key AS (
            \(inserting("no IN (SELECT no FROM entitled)")) RETURNING id),
        done AS MATERIALIZED (
            SELECT *, 1 AS version FROM changes WHERE id IN (SELECT id FROM made UNION ALL SELECT id FROM made_with_key)),
        history AS (
            INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at, added)
            SELECT id, version, action, actor_kind, actor_id, status::delivery_status, at, added::uuid[] FROM done),
        opened AS (
            INSERT INTO jobs (courier_id, status, delivery_id, store_id, place)
            SELECT courier, c.status::delivery_status, c.id, c.store_id, c.place
            FROM done c, unnest(c.opened::uuid[]) AS courier),
        kept AS MATERIALIZED (SELECT keep_extras(extras) FROM done WHERE extras IS NOT NULL),
        \(CommitSQL.consequences())
        SELECT no, 'made' FROM done WHERE \(CommitSQL.asking(for: "kept", "texted"))
        UNION ALL
        SELECT no, 'reference_taken' FROM fresh WHERE taken
        UNION ALL
        \(CommitSQL.keysTaken("fresh WHERE NOT taken"))
        """
    }

    private static func inserting(_ condition: String) -> String {
        """
        INSERT INTO deliveries (
            id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
            recipient_address, recipient_phone, recipient_lat, recipient_lon, description, instructions,
            reference, window_from, due_at, late_at, alert_at, created_at, updated_at)
        SELECT id, store_id, status::delivery_status, 1, candidates::uuid[], content->>'first_name',
            content->>'last_name', content->>'address', content->>'phone',
            (content->>'lat')::double precision, (content->>'lon')::double precision,
            content->>'description', content->>'instructions', reference, (content->>'window_from')::timestamptz,
            (content->>'due_at')::timestamptz, CASE WHEN (content->>'due_at')::timestamptz > now() THEN (content->>'due_at')::timestamptz END,
            CASE WHEN opened <> '{}' THEN \(CommitSQL.alertAt("fresh.store_id", "at")) END, at, at
        FROM fresh WHERE NOT taken AND \(condition) ORDER BY store_id, reference
        """
    }

    package func bind(into parameters: inout Parameters) {
        CommitSQL.bind(commits, CommitColumns.ofCreations, into: &parameters)
    }

    package static func decode(_ row: inout RowReader) throws -> CommitResult { try CommitResult(&row) }
}
