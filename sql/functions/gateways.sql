-- What gateways do with messages.

-- The channels of the role that has signed in: those that it was given, or all where nobody limited it.
CREATE OR REPLACE FUNCTION channels_of_session() RETURNS text[]
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) = 0 THEN '{push,webpush,sms,email}' ELSE coalesce(
        array_agg(DISTINCT channel) FILTER (WHERE revoked_at IS NULL AND (expires_at > now()) IS NOT FALSE), '{}') END
    FROM gateway_keys, unnest(channels) AS channel WHERE role = session_user
$$;

-- A gateway that forgets its transaction would have everybody wait for the messages that it holds, so its session ends then.
CREATE OR REPLACE FUNCTION end_if_idle() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF session_user <> current_user THEN PERFORM set_config('idle_in_transaction_session_timeout', '10s', false); END IF;
END
$$;

-- Lets a gateway take messages of a channel, and notes that it does.
CREATE OR REPLACE FUNCTION let_in(wanted_channel text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF wanted_channel <> ALL (channels_of_session()) THEN
        RAISE EXCEPTION 'the role % may not take messages of %', session_user, wanted_channel
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE gateway_keys SET used_at = now() WHERE role = session_user AND (used_at > now() - interval '1 minute') IS NOT TRUE;
    PERFORM end_if_idle();
END
$$;

-- Takes the oldest message of up to so many addresses in a lane, for so long. Nobody else is given a message to one of these
-- addresses meanwhile.
CREATE OR REPLACE FUNCTION claim_lane(asked message_channel, wanted integer, lease_seconds integer)
RETURNS TABLE (id uuid, lease uuid, kind text, channel text, address text, platform text, language text, title text,
    body text, data jsonb, attempt integer, created_at timestamptz, expires_at timestamptz)
LANGUAGE plpgsql
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    -- The database's clock, and not the transaction's: a gateway may claim again and again in one.
    moment timestamptz := clock_timestamp();
    start regclass := 'queue_start_' || asked;
    look regclass := 'queue_look_' || asked;
    known_start timestamptz := queue_time(start);
    -- Also when the clock was put back.
    looks_further boolean := queue_time(look) <= moment OR known_start > moment;
    place_at timestamptz := CASE WHEN looks_further THEN '-infinity' ELSE known_start END;
    place_seq bigint := 0;
    batch integer := wanted;
    met record;
    found integer := 0;
    buried integer := 0;
BEGIN
    -- To the minute, and nobody waits for it.
    UPDATE channel_claims SET claimed_at = moment WHERE channel = (
        SELECT channel FROM channel_claims WHERE channel = asked AND claimed_at < moment - interval '1 minute'
        FOR UPDATE SKIP LOCKED);
    -- Nobody else needs to look as far meanwhile.
    IF looks_further THEN PERFORM set_queue_time(look, moment + interval '1 second'); END IF;
    LOOP
        WITH ready AS MATERIALIZED (
            SELECT ctid AS row, id, seq, created_at, way, ready_at, expires_at, attempt, lease FROM message_queue
            WHERE channel = asked AND ready_at <= moment AND (ready_at, seq) > (place_at, place_seq)
            ORDER BY ready_at, seq LIMIT batch FOR UPDATE SKIP LOCKED),
        judged AS (
            SELECT *, CASE WHEN expires_at <= moment THEN 'expired' WHEN attempt >= 12 THEN 'spent'
                WHEN seq = (
                    SELECT q.seq FROM message_queue q WHERE q.way = ready.way ORDER BY q.lease IS NULL, q.seq LIMIT 1)
                THEN 'next' ELSE 'behind' END AS state
            FROM ready),
        counted AS (SELECT *, row_number() OVER (PARTITION BY state ORDER BY ready_at, seq) <= wanted - found AS fits FROM judged)
        SELECT count(*) AS number, array_agg(id) FILTER (WHERE state = 'expired') AS expired,
            array_agg(id) FILTER (WHERE state = 'spent') AS spent,
            array_agg(id) FILTER (WHERE state = 'next' AND fits) AS next,
            array_agg(row) FILTER (WHERE state = 'next' AND fits) AS next_rows,
            array_agg(id) FILTER (WHERE state = 'behind') AS behind,
            count(*) FILTER (WHERE state = 'next' AND fits AND attempt > 0) AS redelivered,
            count(*) FILTER (WHERE state = 'next' AND fits AND lease IS NOT NULL) AS lost,
            min(created_at) AS oldest, max(created_at) AS newest,
            min(ready_at) AS first_at, max(ready_at) AS last_at,
            (array_agg(seq ORDER BY ready_at DESC, seq DESC))[1] AS last_seq
        FROM counted INTO met;
        IF place_seq = 0 THEN
            -- Commits that overlap come a little out of order. Who looked further has the last word.
            met.first_at := least(met.first_at, moment - interval '100 milliseconds');
            IF looks_further THEN
                PERFORM set_queue_time(look, moment + greatest(interval '1 second', 20 * (clock_timestamp() - moment)));
            END IF;
            -- Who finds nothing leaves it at once a second: each setting is a commit.
            IF looks_further OR queue_time(start) = known_start AND met.first_at > known_start
                + make_interval(secs => CASE WHEN met.number = 0 THEN 1 ELSE 0 END)
            THEN PERFORM set_queue_time(start, met.first_at); END IF;
        END IF;
        EXIT WHEN met.number = 0;
        IF asked = 'email' AND met.next IS NOT NULL THEN
            met.next := mails_to_send(met.next);
            met.next_rows := ARRAY(SELECT ctid FROM message_queue WHERE id = ANY (met.next));
        END IF;
        IF met.next IS NOT NULL THEN
            RETURN QUERY
                WITH taken AS (
                    UPDATE message_queue q SET lease = gen_random_uuid(), attempt = attempt + 1,
                        ready_at = moment + make_interval(secs => lease_seconds)
                    WHERE ctid = ANY (met.next_rows) RETURNING q.*)
                SELECT t.id, t.lease, m.kind, m.channel::text, m.address, m.platform, m.language, m.title, m.body, m.data,
                    t.attempt, t.created_at, t.expires_at
                FROM taken t, LATERAL (
                    SELECT * FROM messages m WHERE m.id = t.id AND m.created_at = t.created_at
                        AND m.created_at BETWEEN met.oldest AND met.newest OFFSET 0) m
                ORDER BY t.seq;
            found := found + cardinality(met.next);
            PERFORM count_messages(asked, 'redelivered', met.redelivered);
            PERFORM count_messages(asked, 'lease_lost', met.lost);
        END IF;
        IF met.expired IS NOT NULL THEN PERFORM bury_messages(asked, met.expired, 'expired'); END IF;
        IF met.spent IS NOT NULL THEN
            PERFORM bury_messages(asked, met.spent, 'given up: no gateway said what became of it');
        END IF;
        IF met.expired IS NOT NULL OR met.spent IS NOT NULL THEN
            -- Whoever was behind them may be next now. What is buried is so only once this commits.
            buried := buried + coalesce(cardinality(met.expired), 0) + coalesce(cardinality(met.spent), 0);
            EXIT WHEN buried >= 5000;
            moment := clock_timestamp();
            batch := least(2 * batch, 500);
            CONTINUE;
        END IF;
        IF met.behind IS NOT NULL THEN PERFORM park_messages(met.behind, moment); END IF;
        -- Who has something need not search on for long.
        EXIT WHEN found >= wanted OR met.number < batch OR found > 0 AND batch = 500;
        place_at := met.last_at;
        place_seq := met.last_seq;
        batch := least(2 * batch, 500);
    END LOOP;
END
$$;

-- The lanes of a channel that somebody may take messages from: those to browsers are left to the nodes that send them
-- themselves, as long as one does.
CREATE OR REPLACE FUNCTION lanes_open(wanted_channel text) RETURNS SETOF message_channel
LANGUAGE sql STABLE AS $$
    SELECT wanted_channel::message_channel
    UNION ALL
    SELECT 'webpush' WHERE wanted_channel = 'push' AND NOT lane_is_live('webpush')
$$;

-- Whether somebody has asked for a lane's messages within the last five minutes.
CREATE OR REPLACE FUNCTION lane_is_live(lane message_channel) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM channel_claims WHERE channel = lane AND claimed_at > clock_timestamp() - interval '5 minutes')
$$;

-- The lanes that some channels have.
CREATE OR REPLACE FUNCTION lanes_of(channels text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN 'push' = ANY (channels) THEN channels || '{webpush}' ELSE channels END $$;

-- Takes messages of a channel, with when they end. Kurir's own gateways take them by this, and those to browsers with
-- `webpush`.
CREATE OR REPLACE FUNCTION outbox_take(wanted_channel text, wanted integer, lease_seconds integer)
RETURNS TABLE (id uuid, lease uuid, kind text, channel text, address text, platform text, language text, title text,
    body text, data jsonb, attempt integer, created_at timestamptz, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    lane message_channel;
    taken integer;
    left_over integer := wanted;
BEGIN
    IF (wanted BETWEEN 1 AND 500 AND lease_seconds BETWEEN 5 AND 3600) IS NOT TRUE THEN
        RAISE EXCEPTION 'claim 1 to 500 messages for 5 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM let_in(wanted_channel);
    FOR lane IN SELECT lanes_open(wanted_channel) LOOP
        EXIT WHEN left_over = 0;
        RETURN QUERY SELECT * FROM claim_lane(lane, left_over, lease_seconds);
        GET DIAGNOSTICS taken = ROW_COUNT;
        left_over := left_over - taken;
    END LOOP;
END
$$;

-- The same for everybody's gateways.
CREATE OR REPLACE FUNCTION outbox_claim(wanted_channel text, wanted integer, lease_seconds integer)
RETURNS TABLE (id uuid, lease uuid, kind text, channel text, address text, platform text, language text, title text,
    body text, data jsonb, attempt integer, created_at timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id, lease, kind, channel, address, platform, language, title, body, data, attempt, created_at
    FROM outbox_take(wanted_channel, wanted, lease_seconds)
$$;

-- Refuses what was done for a key that has ended. It is asked after messages were taken, and sees what was so by then: what is written
-- after a key's end is given to nobody who has it, however long ago it asked.
CREATE OR REPLACE FUNCTION key_is_good(key uuid) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM FROM gateway_keys WHERE id = key AND revoked_at IS NULL AND (expires_at > now()) IS NOT FALSE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the key has ended' USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'key_is_good';
    END IF;
    RETURN true;
END
$$;

-- Says that messages have arrived: 'done' for each whose lease is still good, else 'lost'.
CREATE OR REPLACE FUNCTION outbox_ack(ids uuid[], leases uuid[], channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
    PERFORM end_if_idle();
    channels := lanes_of(ARRAY(SELECT unnest(channels) INTERSECT SELECT unnest(channels_of_session())));
    RETURN QUERY
        WITH given AS (SELECT * FROM unnest(ids, leases) WITH ORDINALITY AS g(id, lease, no)),
        held AS MATERIALIZED (
            SELECT q.id FROM (SELECT id, lease FROM given WHERE lease IS NOT NULL ORDER BY id) g, LATERAL (
                SELECT id FROM message_queue q
                WHERE q.id = g.id AND q.lease IS NOT DISTINCT FROM g.lease AND q.channel::text = ANY (channels)
                FOR UPDATE) q),
        gone AS (
            DELETE FROM message_queue q WHERE q.id = ANY (ARRAY(SELECT id FROM held))
            RETURNING q.id, q.lease, q.created_at, q.channel, q.attempt),
        done AS (INSERT INTO messages_done (id, created_at, attempt) SELECT id, created_at, attempt FROM gone),
        counted AS MATERIALIZED (
            SELECT count_messages(channel, 'delivered', count(*)) FROM gone GROUP BY channel ORDER BY channel)
        SELECT g.id, CASE WHEN gone.id IS NULL THEN 'lost' ELSE 'done' END
        FROM given g LEFT JOIN gone ON gone.id = g.id AND gone.lease = g.lease
        WHERE (SELECT count(*) FROM counted) >= 0 ORDER BY g.no;
END
$$;

-- As before, but a device that has changed hands meanwhile stays, and what else waited for one that is forgotten is
-- withdrawn. `"opted_out"` says that a number wants no SMS any more.
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
        SELECT id FROM jsonb_to_recordset(failures) AS m(id uuid, unregistered boolean, opted_out boolean)
        WHERE unregistered OR opted_out);
BEGIN
    PERFORM end_if_idle();
    channels := lanes_of(ARRAY(SELECT unnest(channels) INTERSECT SELECT unnest(channels_of_session())));
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
            id uuid, lease uuid, reason text, retry_after_seconds integer, permanent boolean, unregistered boolean,
            opted_out boolean)
        ORDER BY id
    LOOP
        SELECT * INTO held FROM message_queue q
            WHERE q.id = given.id AND q.lease IS NOT DISTINCT FROM given.lease AND given.lease IS NOT NULL
                AND q.channel::text = ANY (channels) FOR UPDATE;
        IF NOT FOUND THEN
            RETURN QUERY SELECT given.id, 'lost';
        ELSIF given.permanent OR given.unregistered OR given.opted_out OR held.attempt >= 12 OR held.expires_at <= clock_timestamp() THEN
            PERFORM bury_messages(held.channel, ARRAY[held.id], coalesce(given.reason, 'no reason given'));
            IF given.unregistered AND held.channel IN ('push', 'webpush') THEN
                DELETE FROM devices d USING messages m
                    WHERE m.id = held.id AND m.created_at = held.created_at AND d.token = m.address
                        AND d.account_id = coalesce(m.account_id, d.account_id);
                -- What was taken back meanwhile is told to nobody else.
                IF FOUND AND (held.expires_at <= clock_timestamp()) IS NOT TRUE THEN PERFORM reach_otherwise(ARRAY[held.id]); END IF;
            ELSIF given.opted_out AND held.channel = 'sms' THEN
                PERFORM stop_sms(address) FROM messages m WHERE m.id = held.id AND m.created_at = held.created_at;
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
    PERFORM end_if_idle();
    channels := lanes_of(ARRAY(SELECT unnest(channels) INTERSECT SELECT unnest(channels_of_session())));
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

REVOKE ALL ON FUNCTION
    channels_of_session, end_if_idle, let_in, claim_lane, lanes_open, lane_is_live, lanes_of, outbox_take, outbox_claim, key_is_good,
    outbox_ack, outbox_nack, outbox_extend FROM PUBLIC;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'kurir_gateway') THEN
        GRANT EXECUTE ON FUNCTION outbox_take TO kurir_gateway;
    END IF;
END
$$;
