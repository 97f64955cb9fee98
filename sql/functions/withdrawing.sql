-- Taking back what is no longer so, or can no longer arrive.

-- Takes messages of a kind back that tell of these subjects, each for one person if one is named beside it: those that
-- wait leave the queue, and those that a gateway has are not tried again. Gives how many there were.
CREATE OR REPLACE FUNCTION withdraw(untrue_kind text, subjects uuid[], people uuid[] DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    untrue uuid[];
    waiting uuid[];
BEGIN
    untrue := ARRAY(
        SELECT q.id FROM unnest(subjects, people) AS about(subject, person), LATERAL (
            SELECT id, kind, account_id FROM message_queue
            WHERE subject = about.subject ORDER BY seq LIMIT 100000) q
        WHERE q.kind = untrue_kind AND (person IS NULL OR q.account_id = person));
    IF untrue = '{}' THEN RETURN 0; END IF;
    -- In the order in which gateways answer for them.
    waiting := ARRAY(
        SELECT CASE WHEN lease IS NULL OR ready_at <= clock_timestamp() THEN id END
        FROM message_queue WHERE id = ANY (untrue) ORDER BY id FOR UPDATE);
    UPDATE message_queue SET expires_at = clock_timestamp() WHERE id = ANY (untrue) AND id <> ALL (array_remove(waiting, NULL));
    DELETE FROM message_queue WHERE id = ANY (waiting);
    -- What a gateway has, it has; nobody else needs it.
    PERFORM forget_codes(ARRAY(SELECT id FROM message_queue WHERE id = ANY (untrue) AND has_code));
    RETURN cardinality(untrue);
END
$$;

-- Whether what a message says is still so, as far as it is ever taken back: by `withdraw`, or by its end. What was given up gets
-- no other go without that. A kind that is withdrawn has its truth here.
CREATE OR REPLACE FUNCTION is_still_true(m messages) RETURNS boolean
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    of conversations;
    is_store boolean;
BEGIN
    -- What is erased says nothing.
    IF m.expires_at <= now() OR m.address = '-' THEN RETURN false; END IF;
    IF m.subject IS NULL THEN RETURN true; END IF;
    CASE m.kind
    WHEN 'delivery_offered' THEN
        RETURN EXISTS (
            SELECT FROM jobs j WHERE j.courier_id = m.account_id AND j.status = 'pending' AND j.delivery_id = m.subject AND j.until IS NULL
                AND EXISTS (
                    SELECT FROM partners p WHERE p.store_id = j.store_id AND p.courier_id = j.courier_id AND NOT p.store_off));
    WHEN 'invite' THEN
        RETURN EXISTS (SELECT FROM invites i WHERE i.id = m.subject AND i.state = 'open');
    -- There may be a newer code, with an end of its own.
    WHEN 'confirmation_code' THEN
        RETURN EXISTS (
            SELECT FROM confirmations c WHERE c.account_id = m.subject AND c.place = m.address AND c.expires_at = m.expires_at
                AND c.tries_left > 0);
    WHEN 'password_reset' THEN
        RETURN EXISTS (
            SELECT FROM reset_codes r WHERE r.account_id = m.subject AND r.expires_at = m.expires_at AND r.tries_left > 0);
    -- It is the latest that is unread, and its reader wants to hear of it.
    WHEN 'message_received' THEN
        SELECT * INTO of FROM conversations WHERE id = m.subject;
        is_store := of.store_id = m.account_id;
        RETURN coalesce(CASE WHEN is_store
                THEN of.store_unread > 0 AND NOT of.store_hidden AND NOT of.store_muted
                ELSE of.courier_unread > 0 AND NOT of.courier_hidden AND NOT of.courier_muted AND NOT of.blocked END
            AND (m.data->>'seq')::integer > CASE WHEN is_store THEN of.store_read ELSE of.courier_read END
            AND unread_in(of, is_store, (m.data->>'seq')::integer) = 0, false);
    WHEN 'bulletin_published' THEN
        RETURN EXISTS (
            SELECT FROM bulletins b WHERE b.id = m.subject AND EXISTS (
                SELECT FROM partners p WHERE p.store_id = b.store_id AND p.courier_id = m.account_id AND NOT p.store_off));
    -- The steps that take nothing back are those after which recipients are told the same.
    WHEN 'recipient_tracking' THEN
        RETURN EXISTS (
                SELECT FROM trackings t WHERE t.delivery_id = m.subject AND t.link = (m.data->>'link_number')::integer AND NOT t.ended)
            AND EXISTS (SELECT FROM deliveries d WHERE d.id = m.subject AND d.recipient_phone = m.address)
            AND NOT EXISTS (
                SELECT FROM delivery_history h WHERE h.delivery_id = m.subject AND h.seq > (m.data->>'seq')::integer
                    AND h.action NOT IN ('create', 'edit', 'accept', 'decline', 'offer'));
    ELSE
        RETURN true;
    END CASE;
END
$$;

-- Takes back an account's pushes on these ways that no gateway has; those that one has are not tried again.
CREATE OR REPLACE FUNCTION withdraw_pushes(person uuid, ways bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    untrue uuid[];
BEGIN
    -- In the order in which gateways answer for them.
    untrue := ARRAY(
        SELECT id FROM message_queue WHERE way = ANY (ways) AND account_id = person AND channel IN ('push', 'webpush')
        ORDER BY id FOR UPDATE);
    UPDATE message_queue SET expires_at = clock_timestamp()
        WHERE id = ANY (untrue) AND lease IS NOT NULL AND ready_at > clock_timestamp();
    DELETE FROM message_queue WHERE id = ANY (untrue) AND (lease IS NULL OR ready_at <= clock_timestamp());
    PERFORM reach_by_sms(untrue);
END
$$;

CREATE OR REPLACE FUNCTION device_is_given_up() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM withdraw_pushes(OLD.account_id, ARRAY[message_way('push', OLD.token)]);
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION notifications_are_off() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM withdraw_pushes(NEW.id, ARRAY(
        SELECT message_way('push', token) FROM devices WHERE account_id = NEW.id));
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION
    withdraw, is_still_true, withdraw_pushes, device_is_given_up, notifications_are_off FROM PUBLIC;
