import Postgres

/// Writes steps of existing deliveries, with all that follows from each.
package struct CommitSteps<Locks: WhenLocked>: Statement {
    /// What it is given of each change, in this order.
    package static var columnNames: [String] { CommitColumns.all.map(\.name) }
    let commits: [Commit]

    package static var sql: String {
        """
        WITH \(CommitSQL.given(CommitColumns.all)),
        \(CommitSQL.partnered(Locks.self, after: CommitColumns.all)),
        locked AS MATERIALIZED (
            SELECT c.* FROM (
                SELECT * FROM changes c WHERE \(CommitSQL.hasItsPartners)
                    -- Leave is taken for those alone who have not become partners again.
                    AND (action NOT IN ('release', 'withdraw') OR NOT EXISTS (
                        SELECT FROM partners p WHERE p.store_id = c.store_id AND p.courier_id = c.about AND NOT p.courier_off OFFSET 0))
                ORDER BY id) c,
                LATERAL (
                    SELECT FROM deliveries d WHERE d.id = c.id AND d.version = c.version - 1
                    FOR NO KEY UPDATE \(Locks.clause)) d),
        \(CommitSQL.counted),
        \(CommitSQL.keyed(fitting)),
        done AS (
            UPDATE deliveries d SET
                status = c.status::delivery_status, version = c.version, courier_id = c.courier_id,
                candidates = c.candidates::uuid[], declined = c.declined::uuid[], forfeited = c.forfeited::uuid[],
                \(edited("recipient_first_name", "first_name")), \(edited("recipient_last_name", "last_name")),
                \(edited("recipient_address", "address")), \(edited("recipient_phone", "phone")),
                \(edited("recipient_lat", "lat", "double precision")),
                \(edited("recipient_lon", "lon", "double precision")),
                \(edited("description", "description")), \(edited("instructions", "instructions")),
                \(edited("reference", "reference")),
                \(edited("window_from", "window_from", "timestamptz")), \(edited("due_at", "due_at", "timestamptz")),
                late_at = CASE WHEN (c.content->>'due_at')::timestamptz IS NOT DISTINCT FROM d.due_at OR c.content IS NULL
                    THEN d.late_at ELSE (c.content->>'due_at')::timestamptz END,
                -- It is offered anew when it is pending again, and when nobody was left to whom it was offered.
                -- What is held is offered to nobody.
                alert_at = CASE WHEN (c.extras->>'is_held')::boolean THEN NULL
                    WHEN c.is_offered_anew THEN \(CommitSQL.alertAt("c.store_id", "c.at"))
                    ELSE d.alert_at END,
                updated_at = c.at, accepted_at = c.accepted_at,
                picked_up_at = c.picked_up_at, delivered_at = c.delivered_at,
                cancelled_at = c.cancelled_at
            FROM locked c
            WHERE d.id = c.id AND \(isFitting) AND (c.key IS NULL OR c.no IN (SELECT no FROM entitled))
            RETURNING c.*),
        history AS (
            INSERT INTO delivery_history (
                delivery_id, seq, action, actor_kind, actor_id, courier_id, status, at, reason, note, added, removed,
                received_by, lat, lon, cash_amount, cash_currency, asked_again, pin_matched, pictures)
            SELECT id, version, action, actor_kind, actor_id, about, status::delivery_status, at, reason, note,
                added::uuid[], removed::uuid[], shown->>'received_by', (shown->>'lat')::double precision,
                (shown->>'lon')::double precision, (shown->>'cash_amount')::bigint, shown->>'cash_currency',
                (shown->>'asked_again')::uuid[], (shown->>'pin_matched')::boolean, shown->'pictures'
            FROM done),
        \(KeepProof.part(of: "done")),
        counted AS MATERIALIZED (
            SELECT counted_id AS id, sum(more_accepted)::integer AS accepted, sum(more_delivered)::integer AS delivered,
                sum(more_cancelled)::integer AS cancelled, sum(more_declined)::integer AS declined
            FROM done WHERE counted_id IS NOT NULL GROUP BY counted_id),
        counters AS (
            UPDATE couriers k SET accepted = k.accepted + n.accepted, delivered = k.delivered + n.delivered,
                cancelled = k.cancelled + n.cancelled, declined = k.declined + n.declined
            FROM counted n WHERE k.id = n.id),
        closed AS (
            DELETE FROM jobs j USING (
                SELECT courier, c.was::delivery_status AS was, c.id
                FROM done c, unnest(c.closed::uuid[]) AS courier OFFSET 0) c
            WHERE j.courier_id = c.courier AND j.status = c.was AND j.delivery_id = c.id),
        -- Where somebody is who is off duty and carries nothing any more is nobody's business.
        forgotten AS (
            DELETE FROM positions p USING (
                SELECT ended.courier FROM (
                    SELECT DISTINCT courier FROM done c, unnest(c.closed::uuid[]) AS courier
                    WHERE c.was = 'in_progress' ORDER BY courier) ended,
                    LATERAL (
                        SELECT FROM couriers k WHERE k.id = ended.courier AND NOT duty_now(k.on_duty, k.duty_until) OFFSET 0) k
                WHERE NOT EXISTS (
                    SELECT FROM jobs j WHERE j.courier_id = ended.courier AND j.status = 'in_progress'
                        AND j.delivery_id <> ALL (ARRAY(SELECT id FROM done WHERE status <> 'in_progress')) OFFSET 0)
                OFFSET 0) ended
            WHERE p.courier_id = ended.courier),
        opened AS (
            INSERT INTO jobs (courier_id, status, delivery_id, store_id, place, until, since)
            SELECT j.courier, c.status::delivery_status, c.id, c.store_id, c.place, j.until, c.at
            FROM done c, LATERAL (
                SELECT unnest(c.opened::uuid[]), NULL::timestamptz
                UNION ALL SELECT unnest(c.kept::uuid[]), c.until) AS j(courier, until)
            -- Who held it before may be offered it again.
            ON CONFLICT (courier_id, status, delivery_id) DO UPDATE SET place = EXCLUDED.place, until = EXCLUDED.until, since = EXCLUDED.since),
        rare AS MATERIALIZED (
            SELECT CASE WHEN earned IS NOT NULL THEN earn(id, courier_id, store_id, delivered_at, earned) END,
                CASE WHEN action = 'reopen' THEN unearn(id) END,
                CASE WHEN more_cancelled > 0 THEN note_return(actor_id, store_id, id, at, reason, note) END,
                CASE WHEN extras IS NOT NULL THEN keep_extras(extras) END,
                CASE WHEN moved <> '{}' THEN move_jobs(moved::uuid[], status::delivery_status, id, place) END,
                CASE WHEN shown ? 'pictures' THEN \(HangFiles.call) END
            FROM done
            WHERE earned IS NOT NULL OR action = 'reopen' OR more_cancelled > 0 OR extras IS NOT NULL OR moved <> '{}'
                OR shown ? 'pictures'),
        untrue AS MATERIALIZED (
            SELECT withdraw_promptly(array_agg(u.kind), array_agg(c.id), array_agg(u.person)) AS withdrawn
            FROM done c, unnest(c.untrue::text[], c.untrue_to::uuid[]) AS u(kind, person) HAVING count(*) > 0),
        untexted AS MATERIALIZED (
            SELECT untext_offers(array_agg(u.person), array_agg(c.id))
            FROM done c, unnest(c.untrue::text[], c.untrue_to::uuid[]) AS u(kind, person)
            WHERE u.kind = 'delivery_offered' AND (SELECT offers_by_sms FROM trust) HAVING count(*) > 0),
        \(CommitSQL.consequences(telling: notices))
        SELECT no, 'made' FROM done WHERE \(CommitSQL.asking(for: "untrue", "untexted", "rare", "texted"))
        UNION ALL
        SELECT no, outcome FROM unfit
        UNION ALL
        \(CommitSQL.keysTaken(fitting))
        """
    }

    /// What accounts are told of steps, and recipients by SMS, whom nothing is told any more of the steps before.
    private static var notices: String {
        """
        SELECT CASE WHEN text IS NULL THEN notices
            ELSE coalesce(notices, '[]') || coalesce(text_recipient(id, text), '[]') END AS notices FROM done
        """
    }

    /// The changes but those of couriers who carry as much as they may, and those that say what is erased.
    private static var fitting: String { "locked WHERE \(isFitting)" }
    private static var isFitting: String {
        """
        (SELECT count(*) FROM held) >= 0 AND no NOT IN (SELECT no FROM unfit)
        """
    }

    /// A column that only an edit changes.
    private static func edited(_ column: String, _ name: String, _ type: String = "text") -> String {
        "\(column) = CASE WHEN c.content IS NULL THEN d.\(column) ELSE (c.content->>'\(name)')::\(type) END"
    }

    package func bind(into parameters: inout Parameters) {
        CommitSQL.bind(commits, CommitColumns.all, into: &parameters)
    }

    package static func decode(_ row: inout RowReader) throws -> CommitResult { try CommitResult(&row) }
}
