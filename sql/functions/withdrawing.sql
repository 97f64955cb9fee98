-- Taking back what is no longer so, or can no longer arrive.

-- Takes messages back, each of a kind that tells of a subject, for one person if one is named beside it: those that wait leave the
-- queue, and those that a gateway has are not tried again. Gives how many there were.
CREATE OR REPLACE FUNCTION withdraw_each(kinds text[], subjects uuid[], people uuid[]) RETURNS integer
LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    untrue uuid[];
    waiting uuid[];
BEGIN
    -- All that is told of a subject is looked at once, however much of it is untrue.
    untrue := ARRAY(
        SELECT q.id FROM (SELECT DISTINCT unnest(subjects) AS subject) about, LATERAL (
            SELECT id, kind, account_id FROM message_queue
            WHERE subject = about.subject ORDER BY seq LIMIT 100000) q
        WHERE EXISTS (
            SELECT FROM unnest(kinds, subjects, people) AS untrue(kind, subject, person)
            WHERE untrue.subject = about.subject AND untrue.kind = q.kind AND (person IS NULL OR person = q.account_id)));
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

-- The same within a commit of several changes. A gateway may hold a message in a transaction of its own for as long as it likes: that
-- is a matter of the change that takes it back, and of no other.
CREATE OR REPLACE FUNCTION withdraw_promptly(kinds text[], subjects uuid[], people uuid[]) RETURNS integer
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$ BEGIN RETURN withdraw_each(kinds, subjects, people); END $$;

-- The same for messages of one kind.
CREATE OR REPLACE FUNCTION withdraw(untrue_kind text, subjects uuid[], people uuid[] DEFAULT NULL) RETURNS integer
LANGUAGE sql AS $$ SELECT withdraw_each(array_fill(untrue_kind, ARRAY[cardinality(subjects)]), subjects, people) $$;

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
    -- A mail that tells of several things, too, is true as far as it can be.
    IF m.subject IS NULL OR m.carried_by = m.id THEN RETURN true; END IF;
    CASE m.kind
    WHEN 'delivery_offered' THEN
        RETURN EXISTS (
            SELECT FROM jobs j WHERE j.courier_id = m.account_id AND j.status = 'pending' AND j.delivery_id = m.subject AND j.until IS NULL
                AND EXISTS (
                    SELECT FROM partners p WHERE p.store_id = j.store_id AND p.courier_id = j.courier_id AND NOT p.store_off)
                AND EXISTS (SELECT FROM couriers k WHERE k.id = j.courier_id AND duty_now(k.on_duty, k.duty_until)));
    WHEN 'offers_waiting' THEN
        RETURN EXISTS (
            SELECT FROM jobs j WHERE j.courier_id = m.subject AND j.status = 'pending' AND j.until IS NULL AND EXISTS (
                SELECT FROM partners p WHERE p.store_id = j.store_id AND p.courier_id = j.courier_id AND NOT p.store_off));
    WHEN 'delivery_stranded' THEN
        RETURN EXISTS (
            SELECT FROM deliveries d WHERE d.id = m.subject AND d.status = 'pending' AND d.candidates <@ (d.declined || d.forfeited));
    WHEN 'delivery_unaccepted' THEN
        RETURN EXISTS (SELECT FROM deliveries d WHERE d.id = m.subject AND d.status = 'pending');
    WHEN 'delivery_late' THEN
        RETURN EXISTS (
            SELECT FROM deliveries d WHERE d.id = m.subject AND d.status IN ('pending', 'in_progress') AND d.due_at <= now()
                AND m.account_id IN (d.store_id, d.courier_id));
    WHEN 'delivery_changed', 'delivery_reopened' THEN
        RETURN EXISTS (
            SELECT FROM deliveries d WHERE d.id = m.subject AND d.status = 'in_progress' AND d.courier_id = m.account_id);
    WHEN 'delivery_reassigned' THEN
        RETURN NOT EXISTS (
            SELECT FROM deliveries d
            WHERE d.id = m.subject AND d.status IN ('in_progress', 'delivered') AND d.courier_id = m.account_id);
    WHEN 'partnership_ended' THEN
        RETURN NOT EXISTS (SELECT FROM partners p WHERE p.store_id = m.subject AND p.courier_id = m.account_id);
    WHEN 'partner_joined' THEN
        RETURN EXISTS (SELECT FROM partners p WHERE p.store_id = m.account_id AND p.courier_id = m.subject);
    WHEN 'cancellation_contested' THEN
        RETURN NOT EXISTS (SELECT FROM cancellation_reviews r WHERE r.cancellation_id = m.subject AND r.excused_at IS NOT NULL);
    WHEN 'attempt_failed' THEN
        RETURN EXISTS (SELECT FROM deliveries d WHERE d.id = m.subject AND d.status = 'in_progress');
    WHEN 'delivery_delivered' THEN
        RETURN EXISTS (SELECT FROM deliveries d WHERE d.id = m.subject AND d.status = 'delivered');
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

-- Holds what `is_still_true` looks at until the transaction ends, and the way on which a push goes. Whoever makes the message untrue
-- changes one of these rows and then withdraws: so that was before this, and is seen from here on, or it finds what this
-- transaction writes. Rows are held in the order of all (accounts, partners, deliveries), and messages after them.
CREATE OR REPLACE FUNCTION hold_truth(m messages) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF m.channel = 'push' THEN PERFORM FROM accounts WHERE id = m.account_id FOR SHARE; END IF;
    CASE m.kind
    WHEN 'delivery_offered' THEN
        PERFORM FROM partners WHERE courier_id = m.account_id AND store_id = (SELECT store_id FROM deliveries WHERE id = m.subject)
            FOR SHARE;
        PERFORM FROM deliveries WHERE id = m.subject FOR SHARE;
    WHEN 'offers_waiting' THEN
        PERFORM FROM deliveries WHERE id = ANY (ARRAY(
            SELECT delivery_id FROM jobs WHERE courier_id = m.subject AND status = 'pending' AND until IS NULL)) ORDER BY id FOR SHARE;
    WHEN 'delivery_stranded', 'delivery_unaccepted', 'delivery_late', 'delivery_changed', 'delivery_reopened', 'delivery_reassigned',
        'attempt_failed', 'delivery_delivered' THEN
        PERFORM FROM deliveries WHERE id = m.subject FOR SHARE;
    -- There is no row yet of a partnership that begins: whoever makes one holds its courier.
    WHEN 'partnership_ended' THEN
        PERFORM FROM couriers WHERE id = m.account_id FOR UPDATE;
    WHEN 'partner_joined' THEN
        PERFORM FROM partners WHERE store_id = m.account_id AND courier_id = m.subject FOR SHARE;
    WHEN 'cancellation_contested' THEN
        PERFORM FROM cancellation_reviews WHERE cancellation_id = m.subject FOR SHARE;
    WHEN 'invite' THEN
        PERFORM FROM invites WHERE id = m.subject FOR SHARE;
    WHEN 'confirmation_code' THEN
        PERFORM FROM confirmations WHERE account_id = m.subject FOR SHARE;
    WHEN 'password_reset' THEN
        PERFORM FROM reset_codes WHERE account_id = m.subject ORDER BY id FOR SHARE;
    WHEN 'message_received' THEN
        PERFORM FROM conversations WHERE id = m.subject FOR SHARE;
    WHEN 'bulletin_published' THEN
        PERFORM FROM partners WHERE courier_id = m.account_id AND store_id = (SELECT store_id FROM bulletins WHERE id = m.subject)
            FOR SHARE;
        PERFORM FROM bulletins WHERE id = m.subject FOR SHARE;
    WHEN 'recipient_tracking' THEN
        PERFORM FROM deliveries WHERE id = m.subject FOR SHARE;
        PERFORM FROM trackings WHERE delivery_id = m.subject FOR SHARE;
    ELSE
        NULL;
    END CASE;
    IF m.channel = 'push' THEN PERFORM FROM devices WHERE token = m.address FOR SHARE; END IF;
END
$$;

-- Puts a message that was given up back at the end of its queue, if what it says is still true and its address wants it, and says
-- whether it did; null if there is no such message. An SMS that was not let through is judged anew, which may refuse it
-- for now; any other one was counted when it was written.
CREATE OR REPLACE FUNCTION retry_message(wanted uuid, channels text[]) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    m messages;
    dead messages_dead;
    refused record;
BEGIN
    SELECT * INTO dead FROM messages_dead d WHERE d.id = wanted AND d.channel::text = ANY (lanes_of(channels));
    SELECT * INTO m FROM messages WHERE id = dead.id AND created_at = dead.created_at;
    PERFORM hold_truth(m);
    -- Somebody else may have raised or erased it meanwhile.
    SELECT * INTO dead FROM messages_dead d WHERE d.id = dead.id AND d.created_at = dead.created_at FOR UPDATE;
    SELECT * INTO m FROM messages WHERE id = dead.id AND created_at = dead.created_at;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF NOT is_still_true(m)
        OR m.channel = 'push' AND m.account_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM message_routes r WHERE r.account_id = m.account_id AND r.channel = 'push' AND r.address = m.address)
        OR m.channel = 'sms' AND sms_refusal(m.address) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Whatever was let through has been with a gateway.
    IF m.channel = 'sms' AND dead.attempt = 0 THEN
        SELECT * INTO refused FROM admit_sms(m);
        IF refused.refusal IS NOT NULL THEN PERFORM refuse_sms(refused.wait); END IF;
    END IF;
    DELETE FROM messages_dead d WHERE d.id = m.id AND d.created_at = m.created_at;
    -- Whoever raises a mail wants it sent now.
    IF is_gathered(m.channel, m.kind) THEN UPDATE gathered_mails SET next_at = now() WHERE account_id = m.account_id; END IF;
    INSERT INTO message_queue (id, created_at, channel, way, kind, account_id, subject, expires_at, has_code)
        VALUES (m.id, m.created_at, lane_of(m.channel, m.platform), way_of(m.channel, m.kind, m.id, m.address), m.kind, m.account_id,
            CASE WHEN m.carried_by IS DISTINCT FROM m.id THEN m.subject END, m.expires_at, dead.has_code);
    RETURN true;
END
$$;

-- Takes back an account's pushes on these ways that no gateway has; those that one has are not tried again.
CREATE OR REPLACE FUNCTION withdraw_pushes(person uuid, ways bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    untrue uuid[];
BEGIN
    -- In the order in which gateways answer for them. What has been taken back already is told to nobody else.
    untrue := ARRAY(
        SELECT id FROM message_queue WHERE way = ANY (ways) AND account_id = person AND channel IN ('push', 'webpush')
            AND (expires_at <= clock_timestamp()) IS NOT TRUE
        ORDER BY id FOR UPDATE);
    UPDATE message_queue SET expires_at = clock_timestamp()
        WHERE id = ANY (untrue) AND lease IS NOT NULL AND ready_at > clock_timestamp();
    DELETE FROM message_queue WHERE id = ANY (untrue) AND (lease IS NULL OR ready_at <= clock_timestamp());
    PERFORM reach_otherwise(untrue);
END
$$;

-- Takes back what somebody is offered, as far as it has not reached it: by what waits on its ways, since it may be offered very much.
CREATE OR REPLACE FUNCTION withdraw_offers(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    ways bigint[] := ARRAY(
        SELECT message_way('push', token) FROM devices WHERE account_id = person
        UNION ALL SELECT message_way('sms', phone) FROM couriers WHERE id = person AND phone IS NOT NULL);
    -- Nothing is said of the subject here: an index of all subjects must not look fit for this.
    offered uuid[] := array_remove(ARRAY(
        SELECT subject FROM message_queue WHERE way = ANY (ways) AND account_id = person AND kind = 'delivery_offered'), NULL);
BEGIN
    PERFORM withdraw('delivery_offered', offered, array_fill(person, ARRAY[cardinality(offered)]));
    PERFORM withdraw('offers_waiting', ARRAY[person]);
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
    withdraw_each, withdraw_promptly, withdraw, is_still_true, hold_truth, retry_message, withdraw_pushes, withdraw_offers, device_is_given_up, notifications_are_off FROM PUBLIC;
