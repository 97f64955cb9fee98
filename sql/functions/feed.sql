-- The feeds: how events get their numbers, and how long they are kept.

-- Numbers what the journal has, up to so many events or one entry, and tells the accounts concerned to those who listen,
-- by the ends of their ids. True when there is more; null when somebody else is at it.
CREATE OR REPLACE FUNCTION number_events(most integer) RETURNS boolean
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET jit = off AS $$
DECLARE
    before event_rounds;
    moment timestamptz;
    taken bigint[];
    -- Beside each that was taken, from a gap: which, and until when that counts.
    gap_of bigint[];
    until_of xid8[];
    newest bigint;
    has_more boolean;
    seen pg_snapshot;
    marks text[];
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN RAISE 'number_events is a transaction of its own'; END IF;
    -- One at a time, until the commit.
    IF NOT pg_try_advisory_xact_lock(7311146936) THEN RETURN NULL; END IF;
    SELECT * INTO before FROM event_rounds ORDER BY journal_id DESC, numbered_at DESC LIMIT 1;
    -- No finer than what clients are told, and never backwards, whatever the clock does.
    moment := greatest(before.numbered_at, date_trunc('milliseconds', clock_timestamp()));
    WITH fresh AS MATERIALIZED (
        SELECT id, sum(cardinality(accounts)) OVER (ORDER BY id) - cardinality(accounts) AS events_before FROM (
            SELECT id, accounts FROM event_journal WHERE id > before.journal_id ORDER BY id LIMIT most) e),
    found AS MATERIALIZED (
        SELECT late.id, gap.first AS gap, gap.until
        FROM unnest(before.gaps_first, before.gaps_last, before.gaps_before) AS gap(first, last, until), LATERAL (
            SELECT id FROM event_journal WHERE id BETWEEN gap.first AND gap.last OFFSET 0) late
        UNION ALL
        SELECT id, NULL, NULL FROM fresh WHERE events_before < most),
    entries AS (DELETE FROM event_journal WHERE id = ANY (ARRAY(SELECT id FROM found)) RETURNING *),
    told AS (
        SELECT e.id, e.delivery_id, e.seq, e.at, e.data, t.account, t.type, t.place
        FROM entries e, unnest(e.accounts, e.types) WITH ORDINALITY AS t(account, type, place)),
    placed AS (
        SELECT *, row_number() OVER (PARTITION BY account ORDER BY id, place) AS place_of_account FROM told),
    -- Looked up once an account, and handed on within it: what is joined is looked up for each of them.
    numbered AS MATERIALIZED (
        SELECT p.*, p.place_of_account + max(CASE WHEN place_of_account = 1 THEN coalesce(
            (SELECT number FROM events e WHERE e.account_id = p.account AND e.numbered_at <= moment
                ORDER BY numbered_at DESC, number DESC LIMIT 1),
            (SELECT number FROM feed_ends f WHERE f.account_id = p.account), 0) END) OVER (PARTITION BY account) AS number
        FROM placed p),
    written AS (
        INSERT INTO events (account_id, numbered_at, number, type, delivery_id, seq, at, data)
        SELECT account, moment, number, type, delivery_id, seq, at, data FROM numbered)
    SELECT found.*, (SELECT count(*) FROM fresh) >= most OR EXISTS (SELECT FROM fresh WHERE events_before >= most),
        pg_current_snapshot(), ARRAY(SELECT right(account::text, 12) FROM numbered WHERE place_of_account = 1)
    INTO taken, gap_of, until_of, newest, has_more, seen, marks
    FROM (SELECT coalesce(array_agg(id), '{}'), array_agg(gap), array_agg(until), max(id) FROM found) found;
    newest := greatest(newest, before.journal_id);
    IF taken <> '{}' THEN
        DELETE FROM event_rounds WHERE journal_id <= newest;
        INSERT INTO event_rounds
        SELECT moment, newest, coalesce(array_agg(first), '{}'), coalesce(array_agg(last), '{}'), coalesce(array_agg(until), '{}')
        FROM (
            -- What is missing between what was found, and before and behind it.
            SELECT lag(id) OVER ranges + 1 AS first, id - 1 AS last, until FROM (
                -- Until everybody has ended who might still show what is missing. What is said of a transaction to come
                -- was said in a cluster that this database was copied from.
                SELECT gap, unnest(ARRAY[gap - 1, last + 1]) AS id, until
                FROM unnest(before.gaps_first, before.gaps_last, before.gaps_before) AS known(gap, last, until)
                UNION ALL
                -- Whoever drew what is missing now has had its id for longer than this transaction, which draws its own
                -- only after it has looked. The snapshot's end would be too early: who began last need not be among what
                -- it knows of.
                SELECT NULL, unnest(ARRAY[before.journal_id, newest + 1]), pg_current_xact_id()
                UNION ALL
                SELECT gap, id, coalesce(until, pg_current_xact_id()) FROM unnest(taken, gap_of, until_of) AS late(id, gap, until)) ids
            WINDOW ranges AS (PARTITION BY gap ORDER BY id)) missing
        WHERE first <= last AND (until = pg_current_xact_id() OR until > pg_snapshot_xmin(seen) AND until <= pg_snapshot_xmax(seen));
        -- A notice holds up to 8000 bytes.
        FOR part IN 0..(cardinality(marks) - 1) / 600 LOOP
            PERFORM pg_notify('kurir_events', array_to_string(marks[part * 600 + 1:part * 600 + 600], ''));
        END LOOP;
    END IF;
    RETURN has_more;
END
$$;

-- Makes the partition of the week that a day is in, if it is not there yet.
CREATE OR REPLACE FUNCTION make_event_partition(day timestamptz) RETURNS void
LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
    week date := date_trunc('week', day);
    part text := 'events' || to_char(week, '_YYYYMMDD');
BEGIN
    IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, week, week + 7);
END
$$;

-- Makes the partitions of this week and the next four, and drops the oldest if it is wholly older than so many days; true
-- when there was one. Gives up where somebody reads for long: dropping can wait, and what is added up before it takes no
-- lock that others wait for.
CREATE OR REPLACE FUNCTION event_partitions(days integer) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    ahead timestamptz;
    part text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7311146937) THEN RETURN false; END IF;
    FOR ahead IN SELECT generate_series(now(), now() + interval '4 weeks', '1 week') LOOP
        PERFORM make_event_partition(ahead);
    END LOOP;
    -- Only names of partitions end with a day.
    SELECT relname INTO part FROM (
        SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'events'::regclass OFFSET 0) parts
    WHERE to_date(right(relname, 8), 'YYYYMMDD') + 7 + days <= now()
    ORDER BY relname LIMIT 1;
    IF part IS NULL THEN RETURN false; END IF;
    EXECUTE format(
        'INSERT INTO feed_ends (account_id, number, numbered_at)
            SELECT account_id, max(number), max(numbered_at) FROM %I GROUP BY account_id ORDER BY account_id
        ON CONFLICT (account_id) DO UPDATE SET number = EXCLUDED.number, numbered_at = EXCLUDED.numbered_at', part);
    EXECUTE format('DROP TABLE %I', part);
    RETURN true;
END
$$;

-- Forgets cursors of before after which something came that is older than so many days, some at a time; gives how many.
-- Whoever has read everything is never told that something is gone.
CREATE OR REPLACE FUNCTION forget_former_cursors(days integer) RETURNS bigint
LANGUAGE sql SET enable_seqscan = off AS $$
    WITH old AS (
        DELETE FROM event_cursors_before WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM event_cursors_before
            WHERE next_at < now() - make_interval(days => days) ORDER BY next_at LIMIT 1000
            FOR UPDATE SKIP LOCKED))
        RETURNING 1)
    SELECT count(*) FROM old
$$;

REVOKE ALL ON FUNCTION
    number_events, make_event_partition, event_partitions, forget_former_cursors FROM PUBLIC;
