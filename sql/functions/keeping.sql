-- What is not kept, and what is not forgotten.

-- A message without its code: neither what it says nor what the app gets of it has it any more.
CREATE OR REPLACE FUNCTION forget_codes(ids uuid[], since timestamptz DEFAULT '-infinity', till timestamptz DEFAULT 'infinity')
RETURNS void
LANGUAGE sql SET plan_cache_mode = force_generic_plan AS $$
    UPDATE messages SET
        title = replace(replace(title, coalesce(data->>'url', ''), '…'), coalesce(data->>'code', ''), '…'),
        body = replace(replace(body, coalesce(data->>'url', ''), '…'), coalesce(data->>'code', ''), '…'),
        sms = replace(replace(sms, coalesce(data->>'url', ''), '…'), coalesce(data->>'code', ''), '…'),
        data = data - '{code,url}'::text[]
    WHERE id = ANY (ids) AND created_at BETWEEN since AND till AND data ?| '{code,url}'
$$;

-- A message that has left the queue has no code, unless it was given up and may be tried once more. As its owner, since at
-- the end of a transaction the trigger is a gateway's.
CREATE OR REPLACE FUNCTION forget_code() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM messages_dead d WHERE d.id = OLD.id AND d.created_at = OLD.created_at AND OLD.expires_at > clock_timestamp())
    AND NOT EXISTS (SELECT FROM message_queue q WHERE q.id = OLD.id) THEN
        PERFORM forget_codes(ARRAY[OLD.id], OLD.created_at, OLD.created_at);
    END IF;
    RETURN NULL;
END
$$;

-- What was given up may be tried again only as long as it is true, and so is its code good. Gives how many lost theirs.
CREATE OR REPLACE FUNCTION forget_void_codes() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    void uuid[] := ARRAY(
        SELECT d.id FROM messages_dead d JOIN messages m ON m.id = d.id AND m.created_at = d.created_at
        WHERE d.has_code AND NOT is_still_true(m)
        LIMIT 1000 FOR UPDATE OF d SKIP LOCKED);
BEGIN
    PERFORM forget_codes(void);
    UPDATE messages_dead SET has_code = false WHERE id = ANY (void);
    RETURN cardinality(void);
END
$$;

-- The same for messages that had arrived, or were withdrawn, before codes were forgotten at all.
CREATE OR REPLACE FUNCTION forget_former_codes(INOUT place uuid, OUT done bigint)
LANGUAGE plpgsql AS $$
DECLARE
    next uuid[] := ARRAY(SELECT id FROM messages WHERE id > place ORDER BY id LIMIT 1000);
BEGIN
    PERFORM forget_codes(ARRAY(
        SELECT id FROM messages m WHERE id = ANY (next) AND data ?| '{code,url}'
            AND NOT EXISTS (SELECT FROM message_queue q WHERE q.id = m.id)
            AND NOT EXISTS (SELECT FROM messages_dead d WHERE d.id = m.id AND d.has_code)));
    place := next[cardinality(next)];
    done := cardinality(next);
END
$$;

-- What an audit has is kept for so long.
CREATE OR REPLACE FUNCTION audit_begins() RETURNS timestamptz
LANGUAGE sql STABLE AS $$ SELECT now() - interval '400 days' $$;

CREATE OR REPLACE FUNCTION refuse_forgetting() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at >= audit_begins() THEN
        RAISE EXCEPTION 'audit is kept for 400 days: DELETE refused'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'audit_never_forgotten', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN OLD;
END
$$;

CREATE OR REPLACE FUNCTION note_new_identity() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (kind, account_id) VALUES (TG_ARGV[0], NEW.id);
    RETURN NULL;
END
$$;

-- Counts something that a stranger can make happen as often as it likes. So that nobody can fill the disk, there are lines for 500
-- different ones an hour, and one for all others of a kind. Beyond 50 an address has one for all whom it meant. What is tried at an
-- account has room of its own, 20 lines each, so that nobody hides it behind what is tried elsewhere.
CREATE OR REPLACE FUNCTION note_failure(failure text, account uuid, from_address text, meant bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    this_hour timestamptz := date_trunc('hour', clock_timestamp());
    is_full boolean := false;
BEGIN
    IF EXISTS (
        SELECT FROM audit_failures
        WHERE hour = this_hour AND kind = failure AND address = from_address AND who = meant) THEN
        NULL;
    ELSIF account IS NULL THEN
        SELECT count(*) >= 500, CASE WHEN count(*) FILTER (WHERE address = from_address) < 50 THEN meant ELSE '' END
            INTO is_full, meant FROM audit_failures WHERE account_id IS NULL;
    ELSE
        SELECT count(*) >= 5000 OR count(*) FILTER (WHERE account_id = account) >= 20
            INTO is_full FROM audit_failures WHERE account_id IS NOT NULL;
    END IF;
    INSERT INTO audit_failures AS f (hour, kind, address, who, account_id)
    VALUES (this_hour, failure, CASE WHEN is_full THEN '' ELSE from_address END,
        CASE WHEN is_full THEN '' ELSE meant END, CASE WHEN NOT is_full THEN account END)
    ON CONFLICT (hour, kind, address, who) DO UPDATE SET count = f.count + 1, at = EXCLUDED.at;
END
$$;

-- Makes lines of `audit` of the hours that are over, and drops what is too old. Says whether there may be more of that.
CREATE OR REPLACE FUNCTION renew_audit() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    dropped integer;
BEGIN
    WITH past AS (DELETE FROM audit_failures WHERE hour < date_trunc('hour', clock_timestamp()) RETURNING *)
    INSERT INTO audit (id, at, kind, account_id, address, who, count)
        SELECT id, at, kind, account_id, nullif(address, ''), nullif(who, ''), count FROM past;
    DELETE FROM audit WHERE id IN (
        SELECT id FROM audit WHERE id < first_uuid(audit_begins()) AND at < audit_begins() ORDER BY id LIMIT 500);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped = 500;
END
$$;

REVOKE ALL ON FUNCTION
    forget_codes, forget_code, forget_void_codes, forget_former_codes, audit_begins, refuse_forgetting, note_new_identity, note_failure, renew_audit FROM PUBLIC;
