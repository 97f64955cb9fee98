-- The outbox anew, in two parts. What messages say is written once, never changed, and dropped by the week. What becomes
-- of them is a narrow queue, so that taking a message and ending it moves little.

CREATE TYPE message_channel AS ENUM ('push', 'sms', 'email');

CREATE TABLE messages (
    id uuid NOT NULL DEFAULT uuid_v7(),
    -- By the database's clock, like every time of a message: it says in which week's partition it is.
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL,
    channel message_channel NOT NULL,
    address text NOT NULL CONSTRAINT message_address CHECK (address <> ''),
    platform text CONSTRAINT message_platform CHECK ((platform IS NOT NULL) = (channel = 'push')),
    language text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb NOT NULL,
    account_id uuid,
    -- The invite or delivery that it tells of, for withdrawing it when that is no longer true.
    subject uuid,
    -- From when on it is worth nothing.
    expires_at timestamptz,
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);

-- What is still to be sent. A gateway that takes a message writes its lease and the lease's end here; a message that has
-- arrived leaves.
CREATE TABLE message_queue (
    id uuid PRIMARY KEY,
    created_at timestamptz NOT NULL,
    -- The order in which messages to one address leave.
    seq bigint GENERATED ALWAYS AS IDENTITY,
    channel message_channel NOT NULL,
    -- Stands for the address. That two share one by chance does no harm: they wait for each other.
    way bigint NOT NULL,
    kind text NOT NULL,
    account_id uuid,
    subject uuid,
    expires_at timestamptz,
    -- How often a gateway has had it.
    attempt integer NOT NULL DEFAULT 0 CONSTRAINT queue_attempt CHECK (attempt >= 0),
    -- When it may be taken: at once, after a pause, or, while a gateway has it, when its lease is over.
    ready_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- What the gateway shows that has it, or had it and forgot it.
    lease uuid
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX queue_ready ON message_queue (channel, ready_at, seq);
-- Whose turn it is on a way: who has a lease, else who came first.
CREATE INDEX queue_of_way ON message_queue (way, (lease IS NULL), seq);
-- Messages to one address leave one after the other.
CREATE UNIQUE INDEX one_lease_a_way ON message_queue (way) WHERE lease IS NOT NULL;
CREATE INDEX queue_by_subject ON message_queue (subject) WHERE subject IS NOT NULL;

-- What has arrived, when, and at which attempt. What is neither here nor in the queue nor dead was withdrawn in time.
CREATE TABLE messages_done (
    id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    attempt integer NOT NULL,
    done_at timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (created_at);

-- What was given up, and why.
CREATE TABLE messages_dead (
    id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    channel message_channel NOT NULL,
    attempt integer NOT NULL,
    reason text NOT NULL CONSTRAINT dead_reason CHECK (octet_length(reason) <= 2000),
    -- No finer than a page's cursor.
    died_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX messages_dead_by_time ON messages_dead (died_at, id);

-- What happened to messages, by minute; each connection counts for itself, so that none waits for another. Old minutes
-- are gathered under '-infinity', so that the sums only grow.
CREATE TABLE message_counts (
    channel message_channel NOT NULL,
    what text NOT NULL CONSTRAINT message_count CHECK (what IN ('delivered', 'dead', 'redelivered', 'lease_lost')),
    minute timestamptz NOT NULL,
    slot integer NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (channel, what, minute, slot)
);

-- Makes the partitions of this week and the next four, and drops what is wholly older than so many days, unless a message
-- of that week still waits. Gives up where somebody reads for long: what has no partition of its own goes to the rest and
-- moves when there is one, and dropping can wait.
CREATE FUNCTION message_partitions(days integer) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    kept text;
    week date;
    part text;
BEGIN
    FOREACH kept IN ARRAY '{messages,messages_done,messages_dead}'::text[] LOOP
        FOR week IN SELECT generate_series(date_trunc('week', now()), now() + interval '4 weeks', '1 week') LOOP
            part := kept || to_char(week, '_YYYYMMDD');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, kept);
            EXECUTE format(
                'WITH moved AS (DELETE FROM %I WHERE created_at >= %L AND created_at < %L RETURNING *)
                INSERT INTO %I SELECT * FROM moved', kept || '_rest', week, week + 7, part);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', kept, part, week, week + 7);
        END LOOP;
        FOR week IN SELECT to_date(right(relname, 8), 'YYYYMMDD') FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
            WHERE inhparent = kept::regclass AND relname ~ '_[0-9]{8}$'
        LOOP
            CONTINUE WHEN week + 7 + days > now() OR EXISTS (
                SELECT FROM message_queue q WHERE q.created_at >= week AND q.created_at < week + 7);
            EXECUTE format('DROP TABLE %I', kept || to_char(week, '_YYYYMMDD'));
        END LOOP;
        -- What was older already when it came here.
        EXECUTE format(
            'DELETE FROM %I m WHERE created_at < now() - %L::interval
                AND NOT EXISTS (SELECT FROM message_queue q WHERE q.id = m.id)', kept || '_rest', days || ' days');
    END LOOP;
END
$$;
CREATE TABLE messages_rest PARTITION OF messages DEFAULT;
CREATE TABLE messages_done_rest PARTITION OF messages_done DEFAULT;
CREATE TABLE messages_dead_rest PARTITION OF messages_dead DEFAULT;
SELECT message_partitions(30);

CREATE FUNCTION message_way(channel message_channel, address text) RETURNS bigint
LANGUAGE sql STABLE AS $$ SELECT hashtextextended(address, hashtext(channel::text)) $$;

-- Whatever is written is queued in the same commit.
CREATE FUNCTION queue_messages() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO message_queue (id, created_at, channel, way, kind, account_id, subject, expires_at)
        SELECT id, created_at, channel, message_way(channel, address), kind, account_id, subject, expires_at
        FROM written;
    RETURN NULL;
END
$$;
CREATE TRIGGER queued AFTER INSERT ON messages REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION queue_messages();

-- What waited behind a message that has left the queue, however it left, waits no longer.
CREATE FUNCTION queue_moves_on() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE message_queue SET ready_at = clock_timestamp() WHERE id = ANY (ARRAY(
        SELECT id FROM message_queue WHERE id = ANY (ARRAY(
            SELECT next.id FROM (SELECT DISTINCT way FROM gone) g, LATERAL (
                SELECT id, ready_at, attempt FROM message_queue n
                WHERE n.way = g.way ORDER BY n.lease IS NULL, seq LIMIT 1) next
            WHERE next.attempt = 0 AND next.ready_at > clock_timestamp()))
        FOR UPDATE SKIP LOCKED));
    RETURN NULL;
END
$$;
CREATE TRIGGER moves_on AFTER DELETE ON message_queue REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION queue_moves_on();

-- Where a claim begins to look: nothing that is ready comes before, as far as is known. What was committed late does come
-- before, so now and then a claim looks from the very beginning, the more rarely the longer that takes; it takes long only
-- while some transaction stays open and PostgreSQL keeps every old version of the queue's rows for it. In sequences, as
-- microseconds, because they keep a number without its old versions.
CREATE SEQUENCE queue_start_push MINVALUE 0;
CREATE SEQUENCE queue_start_sms MINVALUE 0;
CREATE SEQUENCE queue_start_email MINVALUE 0;
CREATE SEQUENCE queue_look_push MINVALUE 0;
CREATE SEQUENCE queue_look_sms MINVALUE 0;
CREATE SEQUENCE queue_look_email MINVALUE 0;

CREATE FUNCTION queue_time(place regclass) RETURNS timestamptz
LANGUAGE sql AS $$ SELECT to_timestamp(coalesce(pg_sequence_last_value(place), 0) / 1e6) $$;

CREATE FUNCTION set_queue_time(place regclass, moment timestamptz) RETURNS bigint
LANGUAGE sql AS $$ SELECT setval(place, (extract(epoch FROM moment) * 1e6)::bigint) $$;

CREATE FUNCTION count_messages(counted_channel message_channel, counted text, number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF number > 0 THEN
        INSERT INTO message_counts AS c (channel, what, minute, slot, count)
        VALUES (counted_channel, counted, date_trunc('minute', clock_timestamp()), pg_backend_pid(), number)
        ON CONFLICT (channel, what, minute, slot) DO UPDATE SET count = c.count + EXCLUDED.count;
    END IF;
END
$$;

DROP FUNCTION outbox_claim, outbox_ack, outbox_nack, outbox_extend, outbox_bury;

-- Gives messages of one channel up.
CREATE FUNCTION bury_messages(buried_channel message_channel, ids uuid[], reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH buried AS (DELETE FROM message_queue WHERE id = ANY (ids) RETURNING *)
    INSERT INTO messages_dead (id, created_at, channel, attempt, reason)
        SELECT id, created_at, channel, attempt, left(bury_messages.reason, 500) FROM buried;
    PERFORM count_messages(buried_channel, 'dead', cardinality(ids));
END
$$;

-- Has messages wait that are not the next for their address, until the one before them is due or, at the most, a minute.
-- The one before is locked meanwhile: it cannot leave the queue without seeing that they wait.
CREATE FUNCTION park_messages(ids uuid[], moment timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH behind AS MATERIALIZED (
        SELECT q.id, (SELECT first.id FROM message_queue first WHERE first.way = q.way
            ORDER BY first.lease IS NULL, first.seq LIMIT 1) AS front
        FROM message_queue q WHERE q.id = ANY (ids)),
    front AS MATERIALIZED (
        SELECT id, ready_at FROM message_queue
        WHERE id = ANY (ARRAY(SELECT front FROM behind)) AND ready_at > moment FOR SHARE SKIP LOCKED)
    UPDATE message_queue q SET ready_at = least(front.ready_at, moment + interval '1 minute')
    FROM behind JOIN front ON front.id = behind.front
    WHERE q.id = ANY (ids) AND q.id = behind.id AND q.id <> front.id;
END
$$;

-- Takes the oldest message of up to so many addresses, for so long. Nobody else is given a message to one of these
-- addresses meanwhile.
CREATE FUNCTION outbox_claim(wanted_channel text, wanted integer, lease_seconds integer)
RETURNS TABLE (id uuid, lease uuid, kind text, channel text, address text, platform text, language text, title text,
    body text, data jsonb, attempt integer, created_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    -- The database's clock, and not the transaction's: a gateway may claim again and again in one.
    moment timestamptz := clock_timestamp();
    start regclass := 'queue_start_' || wanted_channel;
    look regclass := 'queue_look_' || wanted_channel;
    known_start timestamptz := queue_time(start);
    -- Also when the clock was put back.
    looks_further boolean := queue_time(look) <= moment OR known_start > moment;
    place_at timestamptz := CASE WHEN looks_further THEN '-infinity' ELSE known_start END;
    place_seq bigint := 0;
    asked message_channel := wanted_channel;
    batch integer := wanted;
    met record;
    found integer := 0;
    buried integer := 0;
BEGIN
    IF (wanted BETWEEN 1 AND 500 AND lease_seconds BETWEEN 5 AND 3600) IS NOT TRUE THEN
        RAISE EXCEPTION 'claim 1 to 500 messages for 5 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
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
        IF met.next IS NOT NULL THEN
            RETURN QUERY
                WITH taken AS (
                    UPDATE message_queue q SET lease = gen_random_uuid(), attempt = attempt + 1,
                        ready_at = moment + make_interval(secs => lease_seconds)
                    WHERE ctid = ANY (met.next_rows) RETURNING q.*)
                SELECT t.id, t.lease, m.kind, m.channel::text, m.address, m.platform, m.language, m.title, m.body, m.data,
                    t.attempt, t.created_at
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

-- Says that messages have arrived: 'done' for each whose lease is still good, else 'lost'.
CREATE FUNCTION outbox_ack(ids uuid[], leases uuid[], channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
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

-- Says that messages have not arrived. Each of them is `{"id", "lease", "reason"}` and perhaps
-- `"retry_after_seconds"`, `"permanent"`, and `"unregistered"`, which forgets the device. Gives 'retry', 'dead' or 'lost'.
CREATE FUNCTION outbox_nack(failures jsonb, channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    given record;
    held message_queue;
BEGIN
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
            IF given.unregistered AND held.channel = 'push' THEN
                DELETE FROM devices d USING messages m
                    WHERE m.id = held.id AND m.created_at = held.created_at AND d.token = m.address;
            END IF;
            PERFORM bury_messages(held.channel, ARRAY[held.id], coalesce(given.reason, 'no reason given'));
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

-- Keeps messages for so long from now on: 'extended' for each whose lease is still good, else 'lost'.
CREATE FUNCTION outbox_extend(ids uuid[], leases uuid[], lease_seconds integer, channels text[] DEFAULT '{push,sms,email}')
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
            UPDATE message_queue q SET ready_at = clock_timestamp() + make_interval(secs => lease_seconds)
            WHERE q.id = ANY (ARRAY(SELECT id FROM held)) RETURNING q.id, q.lease)
        SELECT g.id, CASE WHEN e.id IS NULL THEN 'lost' ELSE 'extended' END
        FROM given g LEFT JOIN extended e ON e.id = g.id AND e.lease = g.lease ORDER BY g.no;
END
$$;

-- Which of these channels have something that could be taken, as far as a claim would look.
CREATE FUNCTION ready_channels(wanted text[]) RETURNS SETOF text
LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT channel FROM unnest(wanted) AS channel WHERE EXISTS (
        SELECT FROM message_queue q WHERE q.channel = channel.channel::message_channel AND q.ready_at <= clock_timestamp()
            AND q.ready_at >= queue_time(('queue_start_' || channel.channel)::regclass))
$$;

REVOKE ALL ON FUNCTION outbox_claim, outbox_ack, outbox_nack, outbox_extend, bury_messages, park_messages, count_messages,
    message_partitions, queue_time, set_queue_time, ready_channels FROM PUBLIC;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'kurir_gateway') THEN
        GRANT EXECUTE ON FUNCTION outbox_claim, outbox_ack, outbox_nack, outbox_extend TO kurir_gateway;
    END IF;
END
$$;

-- What the tables before held moves over.
INSERT INTO messages (id, created_at, kind, channel, address, platform, language, title, body, data, account_id, subject,
        expires_at)
    SELECT id, created_at, kind, channel::message_channel, address, platform, language, title, body, data, account_id, subject, expires_at
    FROM outbox ORDER BY seq;
UPDATE message_queue q SET attempt = o.attempt, ready_at = o.ready_at, lease = o.lease FROM outbox o WHERE o.id = q.id;
ALTER TABLE messages DISABLE TRIGGER queued;
INSERT INTO messages (id, created_at, kind, channel, address, platform, language, title, body, data, account_id, subject,
        expires_at)
    SELECT id, created_at, kind, channel::message_channel, address, platform, language, title, body, data, account_id, subject, expires_at
    FROM outbox_dead;
ALTER TABLE messages ENABLE TRIGGER queued;
INSERT INTO messages_dead (id, created_at, channel, attempt, reason, died_at)
    SELECT id, created_at, channel::message_channel, attempt, reason, date_trunc('milliseconds', died_at) FROM outbox_dead;
INSERT INTO message_counts (channel, what, minute, slot, count)
    SELECT channel::message_channel, 'delivered', minute, slot, count FROM outbox_delivered;
DROP TABLE outbox, outbox_dead, outbox_delivered;

-- What waits or is with a gateway, whole.
CREATE VIEW outbox AS
    SELECT q.seq, m.id, m.created_at, m.kind, m.channel::text, m.address, m.platform, m.language, m.title, m.body, m.data,
        m.account_id, m.subject, q.expires_at, q.attempt, q.ready_at, q.lease
    FROM message_queue q JOIN messages m ON m.id = q.id AND m.created_at = q.created_at;
