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
    withdraw, withdraw_pushes, device_is_given_up, notifications_are_off FROM PUBLIC;
