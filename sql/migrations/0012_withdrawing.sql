-- One way to take back what has become untrue, and one to take leave of a courier.

-- By `seq`, which no other index can give: asked for in that order, a subject's messages are found by this index whatever
-- the planner believes of a table that is empty one moment and has a million rows the next.
CREATE INDEX queue_of_subject ON message_queue (subject, seq) WHERE subject IS NOT NULL;
DROP INDEX queue_by_subject;

-- A code that was sent is about the account that asked for it.
UPDATE message_queue SET subject = account_id WHERE kind = 'password_reset';

-- Takes messages of a kind back that tell of these subjects, each for one person if one is named beside it: those that
-- wait leave the queue, and those that a gateway has are not tried again. Gives how many there were.
CREATE FUNCTION withdraw(untrue_kind text, subjects uuid[], people uuid[] DEFAULT NULL) RETURNS integer
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
    RETURN cardinality(untrue);
END
$$;

-- The smallest UUID of version 7 of a moment.
CREATE FUNCTION first_uuid(moment timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008', 32, '0')::uuid
$$;

-- Gives up what has expired, or has waited for longer than messages are kept, whether or not anybody serves its channel;
-- gives how many that were.
CREATE FUNCTION bury_outdated(days integer) RETURNS bigint
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
CREATE INDEX queue_by_end ON message_queue (expires_at) WHERE expires_at IS NOT NULL;

-- Partnerships that have ended, as long as the courier still stands somewhere among that store's deliveries.
CREATE TABLE partnership_endings (
    store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
    courier_id uuid NOT NULL REFERENCES couriers ON DELETE CASCADE,
    -- Which end is meant: the two may become partners again, and end that, too, before leave has been taken.
    ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Until then somebody is at it.
    worked_until timestamptz NOT NULL,
    PRIMARY KEY (store_id, courier_id)
);

REVOKE ALL ON FUNCTION withdraw, first_uuid, bury_outdated FROM PUBLIC;
