-- Who is told what, and where: by events in their feeds, and by messages.

-- How far messages of a kind go. By push, as a rule. `else_sms`: to the number of a courier who has notifications on and no
-- device, too. `surely`: to the number of whoever gets no push for whatever reason. `never_push`: to the number or e-mail
-- address, since a device may be in other hands.
CREATE OR REPLACE FUNCTION reach_of(kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'delivery_cancelled' THEN 'else_sms' WHEN 'invite' THEN 'surely' WHEN 'password_reset' THEN 'never_push' ELSE 'push'
    END
$$;

-- Writes messages, each array of notices as a whole. A notice has a kind, what an app needs of it (`data`), what it says in
-- each language (`texts`: title and body), its accounts, or a phone number and the language of whoever wrote it, and
-- perhaps what it is about (`subject`) and until when it counts (`expires_at`).
CREATE OR REPLACE FUNCTION tell(notices jsonb[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO messages (
        kind, data, channel, address, platform, language, title, body, account_id, subject, expires_at)
    SELECT n.kind, n.data || r.extra, r.channel::message_channel, r.address, r.platform, r.language, text->>0, text->>1,
        account, n.subject, n.expires_at
    FROM unnest(notices) AS together,
        jsonb_to_recordset(together) AS n(
            kind text, data jsonb, texts jsonb, accounts uuid[], phone text, language text, subject uuid,
            expires_at timestamptz),
        reach_of(n.kind) AS reach,
        unnest(coalesce(n.accounts, '{NULL}')) AS account,
        LATERAL (
            SELECT 'push' AS channel, d.token AS address, d.platform, a.language,
                jsonb_strip_nulls(jsonb_build_object('keys', d.keys)) AS extra
            FROM accounts a JOIN devices d ON d.account_id = a.id
            WHERE a.id = account AND a.notifications_enabled AND reach <> 'never_push'
            UNION ALL
            SELECT 'sms', k.phone, NULL, a.language, '{}' FROM accounts a JOIN couriers k ON k.id = a.id
            WHERE a.id = account AND reach <> 'push' AND (
                reach = 'never_push' OR (reach = 'surely' OR a.notifications_enabled)
                AND NOT (a.notifications_enabled AND EXISTS (SELECT FROM devices d WHERE d.account_id = a.id)))
            UNION ALL
            SELECT 'email', s.email, NULL, a.language, '{}' FROM accounts a JOIN stores s ON s.id = a.id
            WHERE a.id = account AND reach = 'never_push'
            UNION ALL
            SELECT 'sms', n.phone, NULL, n.language, '{}' WHERE n.phone IS NOT NULL) r,
        coalesce(n.texts->r.language, n.texts->'en') AS text;
END
$$;

-- Writes events, each with its readers and what it is to each of them (`{id,…}` and `{type,…}`): of steps of deliveries, or
-- with data of its own.
CREATE OR REPLACE FUNCTION publish(
    readers text[], types text[], data jsonb[] DEFAULT NULL, deliveries uuid[] DEFAULT NULL, seqs integer[] DEFAULT NULL,
    times timestamptz[] DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_journal (accounts, types, data, delivery_id, seq, at)
    SELECT e.readers::uuid[], e.types::text[], e.data, e.delivery, e.seq, coalesce(e.at, now())
    FROM unnest(publish.readers, publish.types, publish.data, publish.deliveries, publish.seqs, publish.times)
        AS e(readers, types, data, delivery, seq, at);
END
$$;

-- What must be known although its push cannot arrive any more goes to the courier's number, unless another device gets it.
CREATE OR REPLACE FUNCTION reach_by_sms(ids uuid[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO messages (kind, channel, address, language, title, body, data, account_id, subject, expires_at)
    SELECT kind, 'sms', phone, language, title, body, data - 'keys', account_id, subject, expires_at
    FROM (
        SELECT DISTINCT ON (m.account_id, m.kind, m.subject) m.*, k.phone
        FROM messages m JOIN couriers k ON k.id = m.account_id JOIN accounts a ON a.id = m.account_id
        WHERE m.id = ANY (ids) AND m.channel = 'push'
            AND (reach_of(m.kind) = 'surely' OR reach_of(m.kind) = 'else_sms' AND a.notifications_enabled)
            AND (m.expires_at > clock_timestamp()) IS NOT FALSE
            AND NOT (a.notifications_enabled AND EXISTS (SELECT FROM devices d WHERE d.account_id = a.id))
        ORDER BY m.account_id, m.kind, m.subject, m.id) lost
    ORDER BY id
$$;

REVOKE ALL ON FUNCTION
    reach_of, tell, publish, reach_by_sms FROM PUBLIC;
