/// Rules that must always hold, as statements that find nothing.
public enum Invariants {
    /// Numbers everything that was committed. Repeat it until it gives `f`, before looking at events.
    public static let numbering = "SELECT coalesce(number_events(1000000), true)"

    /// Whether a step `h`, by which a courier gives something back, was free: it had been fetched, and then brought in vain.
    private static let isFree = """
        EXISTS (
            SELECT FROM delivery_history p JOIN delivery_history f USING (delivery_id)
            WHERE p.delivery_id = h.delivery_id AND p.action = 'pick_up' AND f.action = 'fail'
                AND p.seq < f.seq AND f.seq < h.seq AND p.seq > (
                    SELECT max(seq) FROM delivery_history a
                    WHERE a.delivery_id = h.delivery_id AND a.action = 'accept' AND a.seq < h.seq))
        """

    /// Each statement finds what breaks the rule.
    public static let ofDeliveries: [(rule: String, sql: String)] = [
        (
            "history has no gap, and ends where its delivery stands",
            """
            SELECT d.id FROM deliveries d LEFT JOIN LATERAL (
                SELECT count(*) AS steps, max(seq) AS last, (array_agg(status ORDER BY seq DESC))[1] AS status
                FROM delivery_history WHERE delivery_id = d.id) h ON true
            WHERE h.steps <> d.version OR h.last <> d.version OR h.status <> d.status
            """
        ),
        (
            "every step follows from the one before",
            """
            SELECT delivery_id FROM (
                SELECT *, lag(status) OVER (PARTITION BY delivery_id ORDER BY seq) AS before FROM delivery_history) h
            WHERE NOT CASE action
                WHEN 'create' THEN seq = 1 AND status = 'pending'
                WHEN 'accept' THEN before = 'pending' AND status = 'in_progress'
                WHEN 'deliver' THEN before = 'in_progress' AND status = 'delivered'
                WHEN 'cancel' THEN CASE actor_kind
                    WHEN 'courier' THEN before = 'in_progress' AND status = 'pending'
                    ELSE before IN ('pending', 'in_progress') AND status = 'cancelled' END
                WHEN 'release' THEN before = 'in_progress' AND status = 'pending'
                WHEN 'offer' THEN before = 'pending' AND status = before
                WHEN 'withdraw' THEN before IN ('pending', 'in_progress') AND status = before
                WHEN 'edit' THEN before IN ('pending', 'in_progress') AND status = before
                WHEN 'pick_up' THEN before = 'in_progress' AND status = before
                WHEN 'fail' THEN before = 'in_progress' AND status = before
                WHEN 'reassign' THEN before = 'in_progress' AND status = 'pending'
                WHEN 'reopen' THEN before = 'delivered' AND status = 'in_progress'
                ELSE before = 'pending' AND status = 'pending' END
            """
        ),
        (
            "what is delivered is proven, by all steps up to then",
            """
            SELECT d.id FROM deliveries d LEFT JOIN proofs p ON p.delivery_id = d.id AND p.seq = d.version
            WHERE d.status = 'delivered' AND p.seq IS NULL
            UNION ALL
            SELECT p.delivery_id FROM proofs p WHERE (
                SELECT jsonb_agg(jsonb_build_array(step->'seq', step->>'action', step->>'status', step->'actor'->>'id'))
                FROM jsonb_array_elements(p.bundle::jsonb->'steps') AS step)
            IS DISTINCT FROM (
                SELECT jsonb_agg(jsonb_build_array(seq, action, status, actor_id) ORDER BY seq)
                FROM delivery_history h WHERE h.delivery_id = p.delivery_id AND h.seq <= p.seq)
            """
        ),
        (
            "a picture hangs on the step whose history names it, and on no other",
            """
            SELECT f.id FROM files f WHERE f.delivery_id IS NOT NULL AND NOT EXISTS (
                SELECT FROM delivery_history h, jsonb_array_elements(h.pictures) AS picture
                WHERE h.delivery_id = f.delivery_id AND h.seq = f.seq AND picture->>'id' = f.id::text
                    AND picture->>'sha256' = encode(f.sha256, 'hex') AND h.actor_id = f.account_id)
            UNION ALL
            SELECT (picture->>'id')::uuid FROM delivery_history, jsonb_array_elements(pictures) AS picture
            GROUP BY picture->>'id' HAVING count(*) > 1
            """
        ),
        (
            "whoever carries it accepted it last",
            """
            SELECT d.id FROM deliveries d WHERE d.status IN ('in_progress', 'delivered') AND d.courier_id <> (
                SELECT actor_id FROM delivery_history h WHERE h.delivery_id = d.id AND action = 'accept'
                ORDER BY seq DESC LIMIT 1)
            """
        ),
        (
            "counters are what the history says",
            """
            SELECT c.id FROM couriers c WHERE (accepted, delivered, cancelled + excused, declined) <> (
                SELECT count(*) FILTER (WHERE action = 'accept'),
                    count(*) FILTER (WHERE action = 'deliver') - (
                        SELECT count(*) FROM delivery_history WHERE action = 'reopen' AND courier_id = c.id),
                    count(*) FILTER (WHERE action = 'cancel' AND NOT \(isFree)), (
                        SELECT count(*) FROM deliveries d LEFT JOIN delivery_extras x ON x.delivery_id = d.id
                        WHERE c.id = ANY (d.declined) AND c.id <> ALL (coalesce(x.uncounted, '{}'))
                            OR c.id = ANY (x.counted))
                FROM delivery_history h WHERE actor_id = c.id)
            """
        ),
        (
            "earnings are what is delivered and paid, and what the history says of it",
            """
            WITH paid AS (
                SELECT d.id, d.courier_id, d.store_id, d.delivered_at, x.pay_amount, x.pay_currency
                FROM deliveries d JOIN delivery_extras x ON x.delivery_id = d.id
                WHERE d.status = 'delivered' AND x.pay_amount IS NOT NULL),
            told AS (
                SELECT e.delivery_id, h.actor_id, e.store_id, h.at, e.amount, e.currency
                FROM earnings e LEFT JOIN LATERAL (
                    SELECT * FROM delivery_history h WHERE h.delivery_id = e.delivery_id AND action = 'deliver'
                    ORDER BY seq DESC LIMIT 1) h ON true)
            (SELECT id FROM (SELECT * FROM paid EXCEPT SELECT * FROM told) missing)
            UNION ALL (SELECT delivery_id FROM (SELECT * FROM told EXCEPT SELECT * FROM paid) untrue)
            """
        ),
        (
            "whoever counts as having declined did, once a delivery",
            """
            SELECT c.id FROM couriers c WHERE declined > (
                SELECT count(DISTINCT delivery_id) FROM delivery_history WHERE action = 'decline' AND actor_id = c.id)
            """
        ),
        (
            "what is fetched, brought in vain and free to be given back is what the history says",
            """
            SELECT d.id FROM deliveries d LEFT JOIN delivery_extras x ON x.delivery_id = d.id, LATERAL (
                SELECT max(seq) FILTER (WHERE action IN ('accept', 'cancel', 'reassign', 'release')) AS began,
                    max(seq) FILTER (WHERE action = 'pick_up') AS fetched, max(seq) FILTER (WHERE action = 'fail') AS failed,
                    count(*) FILTER (WHERE action = 'fail') AS attempts
                FROM delivery_history WHERE delivery_id = d.id) h
            WHERE d.status <> 'cancelled' AND (
                (d.picked_up_at IS NOT NULL) <> coalesce(h.fetched > h.began, false)
                OR coalesce(x.cancel_is_free, false) <> coalesce(h.fetched > h.began AND h.failed > h.fetched, false))
                OR coalesce(x.attempts, 0) <> h.attempts
            """
        ),
        (
            "those that were excused count no more",
            """
            SELECT c.id FROM couriers c WHERE excused <> (
                SELECT count(*) FROM cancellations k JOIN cancellation_reviews r ON r.cancellation_id = k.id
                WHERE k.courier_id = c.id AND r.excused_at IS NOT NULL)
            """
        ),
        (
            "reliability is what the counters say",
            """
            SELECT id FROM couriers WHERE shortfall <> CASE WHEN delivered + cancelled < 5 THEN 101
                ELSE ceil(100.0 * cancelled / (delivered + cancelled)) END
            """
        ),
        (
            "each cancellation that counted can be looked up",
            """
            (SELECT actor_id, delivery_id, at, reason FROM delivery_history h
                WHERE action = 'cancel' AND actor_kind = 'courier' AND NOT \(isFree)
             EXCEPT ALL SELECT courier_id, delivery_id, at, reason FROM cancellations)
            UNION ALL
            (SELECT courier_id, delivery_id, at, reason FROM cancellations
             EXCEPT ALL SELECT actor_id, delivery_id, at, reason FROM delivery_history h
                WHERE action = 'cancel' AND actor_kind = 'courier' AND NOT \(isFree))
            """
        ),
        (
            "the store reads of every step once, beside being told that nobody is left",
            """
            (SELECT store_id, delivery_id, seq FROM delivery_history h JOIN deliveries d ON d.id = h.delivery_id
             EXCEPT ALL SELECT e.account_id, e.delivery_id, e.seq FROM events e JOIN stores s ON s.id = e.account_id
                WHERE type NOT IN ('delivery.stranded', 'delivery.routed', 'delivery.nearby', 'delivery.wish', 'delivery.rated') AND delivery_id IS NOT NULL)
            UNION ALL
            (SELECT e.account_id, e.delivery_id, e.seq FROM events e JOIN stores s ON s.id = e.account_id
                WHERE type NOT IN ('delivery.stranded', 'delivery.routed', 'delivery.nearby', 'delivery.wish', 'delivery.rated') AND delivery_id IS NOT NULL
             EXCEPT ALL SELECT store_id, delivery_id, seq FROM delivery_history h JOIN deliveries d ON d.id = h.delivery_id)
            """
        ),
        (
            "no event without its step",
            """
            SELECT e.delivery_id FROM events e WHERE delivery_id IS NOT NULL AND NOT EXISTS (
                SELECT FROM delivery_history h WHERE h.delivery_id = e.delivery_id AND h.seq = e.seq)
            """
        ),
        (
            "each feed is numbered without a gap, in the order of time, and in that of each delivery's steps",
            """
            SELECT account_id::text FROM (
                SELECT account_id, number, seq,
                    row_number() OVER (PARTITION BY account_id ORDER BY numbered_at, number) AS place,
                    lag(seq, 1, 0) OVER (PARTITION BY account_id, delivery_id ORDER BY number) AS before
                FROM events) e
            WHERE number <> place OR seq < before
            UNION ALL SELECT 'journal' FROM event_journal
            """
        ),
        (
            "lists of couriers are what the deliveries say",
            """
            WITH shown AS (
                SELECT d.*, x.former_id, x.former_at, coalesce(x.waiting, '{}') AS waiting,
                    place_in_list(d.status, due_at, delivered_at, cancelled_at) AS place
                FROM deliveries d LEFT JOIN delivery_extras x ON x.delivery_id = d.id),
            offered AS (
                SELECT unnest(candidates) AS courier_id, status, id, place FROM shown WHERE status = 'pending'
                EXCEPT SELECT unnest(declined || forfeited || waiting), status, id, place FROM shown),
            wanted AS (
                SELECT *, NULL::timestamptz AS until FROM offered
                -- To the millisecond.
                UNION SELECT courier_id, status, id, place, NULL FROM shown WHERE status IN ('in_progress', 'delivered')
                UNION SELECT courier_id, status, id, place, date_trunc('milliseconds', cancelled_at) + interval '1 day' FROM shown
                    WHERE status = 'cancelled' AND courier_id IS NOT NULL
                UNION SELECT former_id, status, id, place, date_trunc('milliseconds', former_at) + interval '1 day' FROM shown
                    WHERE status IN ('pending', 'cancelled') AND courier_id IS NULL AND former_id IS NOT NULL AND former_id <> ALL (candidates)),
            there AS (
                SELECT j.courier_id, j.status, delivery_id, CASE WHEN stop IS NULL THEN j.place ELSE s.place END,
                    date_trunc('milliseconds', until)
                FROM jobs j JOIN shown s ON s.id = delivery_id)
            (SELECT * FROM wanted EXCEPT SELECT * FROM there) UNION ALL (SELECT * FROM there EXCEPT SELECT * FROM wanted)
            """
        ),
        (
            "one after the other has a turn, and it ends",
            """
            SELECT d.id FROM deliveries d JOIN delivery_extras x ON x.delivery_id = d.id
            WHERE x.turn_at IS NOT NULL AND d.status <> 'pending'
                OR x.waiting <> '{}' AND x.turn_at IS NULL AND d.status = 'pending'
                OR x.waiting && (d.declined || d.forfeited) OR NOT x.waiting <@ d.candidates
                OR x.turn_id = ANY (x.waiting || d.declined || d.forfeited)
                OR x.turn_id IS NOT NULL AND NOT x.turn_id = ANY (d.candidates)
            """
        ),
        (
            "whoever is offered something, or carries it, is a partner",
            """
            SELECT delivery_id FROM jobs j WHERE status <> 'delivered' AND until IS NULL AND NOT EXISTS (
                SELECT FROM partners p WHERE p.store_id = j.store_id AND p.courier_id = j.courier_id)
            """
        ),
        (
            "no message without its step, and no offer of what is not to be had",
            """
            SELECT o.id::text FROM outbox o JOIN deliveries d ON d.id = o.subject
            WHERE NOT EXISTS (
                SELECT FROM delivery_history h WHERE h.delivery_id = d.id AND h.seq = (o.data->>'seq')::integer)
                OR o.kind = 'delivery_offered' AND (
                    d.status <> 'pending' OR NOT o.account_id = ANY (d.candidates)
                    OR o.account_id = ANY (d.declined || d.forfeited))
            """
        ),
        (
            "no message to the store is missing but that it arrived when it has not: each has one device",
            """
            SELECT h.delivery_id FROM delivery_history h JOIN deliveries d ON d.id = h.delivery_id
            JOIN devices v ON v.account_id = d.store_id
            WHERE (h.action IN ('accept', 'deliver') OR h.action = 'cancel' AND h.actor_kind = 'courier')
                AND NOT (h.action = 'deliver' AND EXISTS (
                    SELECT FROM delivery_history r WHERE r.delivery_id = h.delivery_id AND r.action = 'reopen' AND r.seq > h.seq))
                AND 1 <> (
                    SELECT count(*) FROM outbox o WHERE o.subject = h.delivery_id AND o.account_id = d.store_id
                        AND (o.data->>'seq')::integer = h.seq AND o.kind = CASE h.action
                            WHEN 'accept' THEN 'delivery_accepted' WHEN 'deliver' THEN 'delivery_delivered'
                            ELSE 'delivery_returned' END)
            """
        ),
        (
            "no offer is missing: each courier with a device is told of what it may have",
            """
            SELECT j.delivery_id FROM jobs j JOIN devices v ON v.account_id = j.courier_id
            WHERE j.status = 'pending' AND j.until IS NULL AND 1 <> (
                SELECT least(count(*), CASE WHEN EXISTS (
                    SELECT FROM delivery_history h WHERE h.delivery_id = j.delivery_id AND h.action = 'offer') THEN 1 END) FROM outbox o WHERE o.subject = j.delivery_id AND o.account_id = j.courier_id
                    AND o.kind = 'delivery_offered')
            """
        ),
    ]
}
