-- Messages follow their recipients: nothing that still waits goes to a device that the account has given up, or to one whose
-- account wants no notifications any more.

-- With what web push needs beyond the address: such a message is complete in itself, too.
CREATE OR REPLACE VIEW message_routes AS
    SELECT d.account_id, 'push' AS channel, d.token AS address, d.platform, a.language,
            jsonb_strip_nulls(jsonb_build_object('keys', d.keys)) AS extra
        FROM devices d JOIN accounts a ON a.id = d.account_id WHERE a.notifications_enabled
    UNION ALL
    SELECT c.id, 'sms', c.phone, NULL, a.language, '{}' FROM couriers c JOIN accounts a ON a.id = c.id
    UNION ALL
    SELECT s.id, 'email', s.email, NULL, a.language, '{}' FROM stores s JOIN accounts a ON a.id = s.id;

-- Those of one account. Looked up and not joined (hence the OFFSET), which would read everybody's.
CREATE FUNCTION routes_of(person uuid)
RETURNS TABLE (account_id uuid, channel text, address text, platform text, language text, extra jsonb)
LANGUAGE sql STABLE AS $$
    SELECT account_id, channel, address, platform, language, extra FROM message_routes
    WHERE account_id = person OFFSET 0
$$;

-- What must be known although its push cannot arrive any more goes to the courier's number, unless another device gets it.
CREATE FUNCTION reach_by_sms(ids uuid[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO messages (kind, channel, address, language, title, body, data, account_id, subject, expires_at)
    SELECT kind, 'sms', phone, language, title, body, data - 'keys', account_id, subject, expires_at
    FROM (
        SELECT DISTINCT ON (m.account_id, m.kind, m.subject) m.*, k.phone
        FROM messages m JOIN couriers k ON k.id = m.account_id JOIN accounts a ON a.id = m.account_id
        WHERE m.id = ANY (ids) AND m.channel = 'push'
            AND (m.kind = 'invite' OR m.kind = 'delivery_cancelled' AND a.notifications_enabled)
            AND (m.expires_at > clock_timestamp()) IS NOT FALSE
            AND NOT (a.notifications_enabled AND EXISTS (SELECT FROM devices d WHERE d.account_id = a.id))
        ORDER BY m.account_id, m.kind, m.subject, m.id) lost
    ORDER BY id
$$;

-- Takes back an account's pushes on these ways that no gateway has; those that one has are not tried again.
CREATE FUNCTION withdraw_pushes(person uuid, ways bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    untrue uuid[];
BEGIN
    -- In the order in which gateways answer for them.
    untrue := ARRAY(
        SELECT id FROM message_queue WHERE way = ANY (ways) AND account_id = person AND channel = 'push'
        ORDER BY id FOR UPDATE);
    UPDATE message_queue SET expires_at = clock_timestamp()
        WHERE id = ANY (untrue) AND lease IS NOT NULL AND ready_at > clock_timestamp();
    DELETE FROM message_queue WHERE id = ANY (untrue) AND (lease IS NULL OR ready_at <= clock_timestamp());
    PERFORM reach_by_sms(untrue);
END
$$;

CREATE FUNCTION device_is_given_up() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM withdraw_pushes(OLD.account_id, ARRAY[message_way('push', OLD.token)]);
    RETURN NULL;
END
$$;
CREATE TRIGGER given_up AFTER DELETE ON devices FOR EACH ROW EXECUTE FUNCTION device_is_given_up();
CREATE TRIGGER changed_hands AFTER UPDATE OF account_id ON devices
    FOR EACH ROW WHEN (OLD.account_id <> NEW.account_id) EXECUTE FUNCTION device_is_given_up();

CREATE FUNCTION notifications_are_off() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM withdraw_pushes(NEW.id, ARRAY(
        SELECT message_way('push', token) FROM devices WHERE account_id = NEW.id));
    RETURN NULL;
END
$$;
CREATE TRIGGER notifications_off AFTER UPDATE OF notifications_enabled ON accounts
    FOR EACH ROW WHEN (OLD.notifications_enabled AND NOT NEW.notifications_enabled) EXECUTE FUNCTION notifications_are_off();

-- As before, but a device that has changed hands meanwhile stays, and what else waited for one that is forgotten is
-- withdrawn.
CREATE OR REPLACE FUNCTION outbox_nack(failures jsonb, channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    given record;
    held message_queue;
    unregistered uuid[] := ARRAY(
        SELECT id FROM jsonb_to_recordset(failures) AS m(id uuid, unregistered boolean) WHERE unregistered);
BEGIN
    IF unregistered <> '{}' THEN
        -- Whoever gives a device up locks it first, and then its messages: so here.
        PERFORM FROM devices WHERE token = ANY (ARRAY(
            SELECT address FROM messages m WHERE m.id = ANY (unregistered) AND m.channel = 'push'))
            ORDER BY token FOR UPDATE;
        PERFORM FROM message_queue WHERE id = ANY (ARRAY(
            SELECT id FROM jsonb_to_recordset(failures) AS m(id uuid)
            UNION
            SELECT q.id FROM message_queue held JOIN message_queue q ON q.way = held.way WHERE held.id = ANY (unregistered)))
            ORDER BY id FOR UPDATE;
    END IF;
    -- In one order always, so that two gateways never wait for each other.
    FOR given IN
        SELECT * FROM jsonb_to_recordset(failures) AS m(
            id uuid, lease uuid, reason text, retry_after_seconds integer, permanent boolean, unregistered boolean)
        ORDER BY id
    LOOP
        SELECT * INTO held FROM message_queue q
            WHERE q.id = given.id AND q.lease IS NOT DISTINCT FROM given.lease AND given.lease IS NOT NULL
                AND q.channel::text = ANY (channels) FOR UPDATE;
        IF NOT FOUND THEN
            RETURN QUERY SELECT given.id, 'lost';
        ELSIF given.permanent OR given.unregistered OR held.attempt >= 12 OR held.expires_at <= clock_timestamp() THEN
            PERFORM bury_messages(held.channel, ARRAY[held.id], coalesce(given.reason, 'no reason given'));
            IF given.unregistered AND held.channel = 'push' THEN
                DELETE FROM devices d USING messages m
                    WHERE m.id = held.id AND m.created_at = held.created_at AND d.token = m.address
                        AND d.account_id = coalesce(m.account_id, d.account_id);
                IF FOUND THEN PERFORM reach_by_sms(ARRAY[held.id]); END IF;
            END IF;
            RETURN QUERY SELECT given.id, 'dead';
        ELSE
            -- Once it has expired it holds up nobody any more.
            UPDATE message_queue q SET lease = NULL, ready_at = least(q.expires_at, clock_timestamp() + coalesce(
                make_interval(secs => CASE WHEN given.retry_after_seconds >= 0
                    THEN least(given.retry_after_seconds, 86400) END), outbox_pause(held.attempt)))
                WHERE q.id = held.id;
            RETURN QUERY SELECT given.id, 'retry';
        END IF;
    END LOOP;
END
$$;

-- As before, but a lease never becomes shorter.
CREATE OR REPLACE FUNCTION outbox_extend(ids uuid[], leases uuid[], lease_seconds integer,
    channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF (lease_seconds BETWEEN 5 AND 3600) IS NOT TRUE THEN
        RAISE EXCEPTION 'extend for 5 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY
        WITH given AS (SELECT * FROM unnest(ids, leases) WITH ORDINALITY AS g(id, lease, no)),
        held AS MATERIALIZED (
            SELECT q.id FROM (SELECT id, lease FROM given WHERE lease IS NOT NULL ORDER BY id) g, LATERAL (
                SELECT id FROM message_queue q
                WHERE q.id = g.id AND q.lease IS NOT DISTINCT FROM g.lease AND q.channel::text = ANY (channels)
                FOR UPDATE) q),
        extended AS (
            UPDATE message_queue q
            SET ready_at = greatest(ready_at, clock_timestamp() + make_interval(secs => lease_seconds))
            WHERE q.id = ANY (ARRAY(SELECT id FROM held)) RETURNING q.id, q.lease)
        SELECT g.id, CASE WHEN e.id IS NULL THEN 'lost' ELSE 'extended' END
        FROM given g LEFT JOIN extended e ON e.id = g.id AND e.lease = g.lease ORDER BY g.no;
END
$$;

-- Whoever may call the outbox's functions may do nothing else, also not what PostgreSQL lets everybody do. Where the
-- database or its large objects are somebody else's, that is theirs to say.
REVOKE ALL ON FUNCTION uuid_v7, is_oib, throttle, message_way, refuse_change, queue_messages, queue_moves_on, routes_of,
    reach_by_sms, withdraw_pushes, device_is_given_up, notifications_are_off FROM PUBLIC;
DO $$
DECLARE
    creating text;
BEGIN
    IF EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(datdba, 'USAGE')) THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
    FOR creating IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN ('lo_create', 'lo_creat', 'lo_from_bytea')
            AND pg_has_role(proowner, 'USAGE')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', creating);
    END LOOP;
END
$$;
