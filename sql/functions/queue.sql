-- The queue of messages: how they come in and move on, and how it is kept small.

CREATE OR REPLACE FUNCTION message_way(channel message_channel, address text) RETURNS bigint
LANGUAGE sql STABLE AS $$ SELECT hashtextextended(address, hashtext(channel::text)) $$;

-- Whether messages of a kind go by mails that are gathered.
CREATE OR REPLACE FUNCTION is_gathered(channel message_channel, kind text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT channel = 'email' AND reach_of(kind) = 'else_email' $$;

-- The way on which a message waits for those before it: to its address. What is gathered has one for itself, since it holds up
-- no other mail, such as one with a code.
CREATE OR REPLACE FUNCTION way_of(channel message_channel, kind text, id uuid, address text) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT message_way(channel, CASE WHEN is_gathered(channel, kind) THEN 'gathered ' || address ELSE address END)
$$;

-- Where a message waits.
CREATE OR REPLACE FUNCTION lane_of(channel message_channel, platform text) RETURNS message_channel
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN platform = 'webpush' THEN 'webpush' ELSE channel END $$;

-- Whatever is written is queued in the same commit. SMS cost something, and are judged.
CREATE OR REPLACE FUNCTION queue_messages() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    sms uuid[];
    mails uuid[];
BEGIN
    WITH queued AS (
        INSERT INTO message_queue (id, created_at, channel, way, kind, account_id, subject, expires_at, has_code)
        SELECT id, created_at, lane_of(channel, platform), way_of(channel, kind, id, address), kind, account_id, subject,
            expires_at, data ?| '{code,url}'
        FROM written RETURNING id, channel, kind)
    SELECT array_agg(id) FILTER (WHERE channel = 'sms'), array_agg(id) FILTER (WHERE is_gathered(channel, kind))
        INTO sms, mails FROM queued;
    IF sms IS NOT NULL THEN PERFORM judge_sms(sms); END IF;
    IF mails IS NOT NULL THEN PERFORM gather_mails(mails); END IF;
    RETURN NULL;
END
$$;

-- Has mails wait until their account may get the next one.
CREATE OR REPLACE FUNCTION gather_mails(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    INSERT INTO gathered_mails (account_id, next_at)
        SELECT DISTINCT account_id, '-infinity'::timestamptz FROM message_queue WHERE id = ANY (ids) ORDER BY account_id
        ON CONFLICT (account_id) DO NOTHING;
    UPDATE message_queue q SET ready_at = g.next_at FROM gathered_mails g
        WHERE q.id = ANY (ids) AND g.account_id = q.account_id AND g.next_at > clock_timestamp();
END
$$;

-- Gives those of these mails that may go now. Each account gets one that is gathered in five minutes at most, with all that waits
-- behind it at that moment: so nothing is in it that has been taken back meanwhile. One way is claimed by one gateway at a time.
CREATE OR REPLACE FUNCTION mails_to_send(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    mail record;
    later timestamptz;
BEGIN
    FOR mail IN
        SELECT q.id, q.account_id, q.way, q.created_at FROM message_queue q
        -- One that tells of several already goes as it is.
        WHERE q.id = ANY (ids) AND q.attempt = 0 AND q.subject IS NOT NULL AND is_gathered(q.channel, q.kind)
    LOOP
        SELECT next_at INTO later FROM gathered_mails WHERE account_id = mail.account_id AND next_at > clock_timestamp();
        IF FOUND THEN
            UPDATE message_queue SET ready_at = later WHERE id = mail.id;
            ids := array_remove(ids, mail.id);
        ELSE
            UPDATE gathered_mails SET next_at = clock_timestamp() + interval '5 minutes' WHERE account_id = mail.account_id;
            PERFORM carry_mails(mail.id, mail.created_at, mail.way);
        END IF;
    END LOOP;
    RETURN ids;
END
$$;

-- Puts what waits on a mail's way into that mail. What is told of many is told of fifty; the title says how many they are.
CREATE OR REPLACE FUNCTION carry_mails(carrier uuid, written_at timestamptz, carrier_way bigint) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    parts uuid[];
    told text;
BEGIN
    WITH waiting AS MATERIALIZED (
        SELECT id, created_at, seq FROM message_queue
        WHERE way = carrier_way AND lease IS NULL AND attempt = 0 AND id <> carrier ORDER BY seq LIMIT 500
        FOR UPDATE SKIP LOCKED),
    carried AS (
        UPDATE messages m SET carried_by = carrier FROM waiting w WHERE m.id = w.id AND m.created_at = w.created_at
        RETURNING m.id, m.title, m.body, w.seq),
    counted AS (SELECT *, row_number() OVER (ORDER BY seq) AS place FROM carried)
    SELECT array_agg(id), string_agg(E'\n\n' || title || E'\n' || body, '' ORDER BY seq) FILTER (WHERE place <= 50)
        INTO parts, told FROM counted;
    IF parts IS NULL THEN RETURN; END IF;
    DELETE FROM message_queue WHERE id = ANY (parts);
    -- It tells of several, and is taken back for none of them.
    UPDATE messages SET title = title || format(' (+%s)', cardinality(parts)), body = body || told, carried_by = carrier
        WHERE id = carrier AND created_at = written_at;
    UPDATE message_queue SET subject = NULL WHERE id = carrier;
END
$$;

-- What waited behind a message that has left the queue, however it left, waits no longer.
CREATE OR REPLACE FUNCTION queue_moves_on() RETURNS trigger
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

CREATE OR REPLACE FUNCTION queue_time(place regclass) RETURNS timestamptz
LANGUAGE sql AS $$ SELECT to_timestamp(coalesce(pg_sequence_last_value(place), 0) / 1e6) $$;

CREATE OR REPLACE FUNCTION set_queue_time(place regclass, moment timestamptz) RETURNS bigint
LANGUAGE sql AS $$ SELECT setval(place, (extract(epoch FROM moment) * 1e6)::bigint) $$;

CREATE OR REPLACE FUNCTION count_messages(counted_channel message_channel, counted text, number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF number > 0 THEN
        INSERT INTO message_counts AS c (channel, what, minute, slot, count)
        VALUES (counted_channel, counted, date_trunc('minute', clock_timestamp()), pg_backend_pid(), number)
        ON CONFLICT (channel, what, minute, slot) DO UPDATE SET count = c.count + EXCLUDED.count;
    END IF;
END
$$;

-- Gives messages of one channel up.
CREATE OR REPLACE FUNCTION bury_messages(buried_channel message_channel, ids uuid[], reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH buried AS (DELETE FROM message_queue WHERE id = ANY (ids) RETURNING *)
    INSERT INTO messages_dead (id, created_at, channel, attempt, reason, has_code)
        SELECT id, created_at, channel, attempt, left(bury_messages.reason, 500),
            has_code AND coalesce(expires_at > clock_timestamp(), false)
        FROM buried;
    PERFORM count_messages(buried_channel, 'dead', cardinality(ids));
END
$$;

-- Has messages wait that are not the next for their address, until the one before them is due or, at the most, a minute.
-- The one before is locked meanwhile: it cannot leave the queue without seeing that they wait.
CREATE OR REPLACE FUNCTION park_messages(ids uuid[], moment timestamptz) RETURNS void
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

-- Which of these channels have something that could be taken, as far as a claim would look.
CREATE OR REPLACE FUNCTION ready_channels(wanted text[]) RETURNS SETOF text
LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT channel FROM unnest(wanted) AS channel WHERE EXISTS (
        SELECT FROM lanes_open(channel) AS lane, LATERAL (SELECT FROM message_queue q WHERE q.channel = lane AND q.ready_at <= clock_timestamp()
            AND q.ready_at >= queue_time(('queue_start_' || lane)::regclass) LIMIT 1) q)
$$;

-- Makes the partitions of this week and the next four, and drops what is wholly older than so many days, unless a message
-- of that week still waits. Gives up where somebody reads for long: what has no partition of its own goes to the rest and
-- moves when there is one, and dropping can wait.
CREATE OR REPLACE FUNCTION message_partitions(days integer) RETURNS void
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

-- Gives up what has expired, or has waited for longer than messages are kept, whether or not anybody serves its channel;
-- gives how many that were.
CREATE OR REPLACE FUNCTION bury_outdated(days integer) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    oldest uuid := first_uuid(now() - make_interval(days => days));
    outdated uuid[];
    of_channel record;
BEGIN
    outdated := ARRAY(
        SELECT id FROM message_queue
        WHERE expires_at <= clock_timestamp() AND (lease IS NULL OR ready_at <= clock_timestamp())
        ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED);
    outdated := outdated || ARRAY(
        SELECT id FROM message_queue
        WHERE id < oldest AND expires_at IS NULL AND (lease IS NULL OR ready_at <= clock_timestamp())
        ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED);
    FOR of_channel IN
        SELECT channel, array_agg(id) AS ids FROM message_queue WHERE id = ANY (outdated) GROUP BY channel ORDER BY channel
    LOOP
        PERFORM bury_messages(of_channel.channel, of_channel.ids, 'expired');
    END LOOP;
    RETURN cardinality(outdated);
END
$$;

-- After how long a message is tried again: a minute at first, six hours at the most, twelve times in about a day.
CREATE OR REPLACE FUNCTION outbox_pause(attempt integer) RETURNS interval
LANGUAGE sql VOLATILE AS $$
    SELECT least(interval '6 hours', interval '1 minute' * 2 ^ (greatest(attempt, 1) - 1)) * (0.75 + random() / 2)
$$;

REVOKE ALL ON FUNCTION
    message_way, way_of, lane_of, queue_messages, is_gathered, gather_mails, mails_to_send, carry_mails, queue_moves_on, queue_time, set_queue_time, count_messages, bury_messages, park_messages, ready_channels, message_partitions, bury_outdated, outbox_pause FROM PUBLIC;
