-- What is kept, and from whom.

-- The servers' secret is sealed with a key that is not in the database. `secret` is that of a database from before such
-- keys, until it is adopted.
ALTER TABLE server_secret ALTER COLUMN secret DROP NOT NULL;
ALTER TABLE server_secret ADD COLUMN sealed bytea, ADD COLUMN sealed_by text,
    ADD CONSTRAINT server_secret_is_sealed CHECK (
        (secret IS NULL) = (sealed IS NOT NULL) AND (sealed IS NULL) = (sealed_by IS NULL));

-- Messages with a code lose it when they have arrived, or when it is void.
ALTER TABLE message_queue ADD COLUMN has_code boolean NOT NULL DEFAULT false;
ALTER TABLE messages_dead ADD COLUMN has_code boolean NOT NULL DEFAULT false;
CREATE INDEX dead_with_code ON messages_dead (id) WHERE has_code;
UPDATE message_queue SET has_code = true WHERE kind IN ('invite', 'password_reset');
UPDATE messages_dead d SET has_code = true FROM messages m
    WHERE m.id = d.id AND m.created_at = d.created_at AND m.kind IN ('invite', 'password_reset');

CREATE FUNCTION forget_code() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
-- At the end of the transaction, since a message that leaves by one way may be written anew for another before that.
CREATE CONSTRAINT TRIGGER code_is_forgotten AFTER DELETE ON message_queue DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.has_code) EXECUTE FUNCTION forget_code();

-- A message without its code: neither what it says nor what the app gets of it has it any more.
CREATE FUNCTION forget_codes(ids uuid[], since timestamptz DEFAULT '-infinity', till timestamptz DEFAULT 'infinity')
RETURNS void
LANGUAGE sql SET plan_cache_mode = force_generic_plan AS $$
    UPDATE messages SET
        title = replace(replace(title, coalesce(data->>'url', ''), '…'), coalesce(data->>'code', ''), '…'),
        body = replace(replace(body, coalesce(data->>'url', ''), '…'), coalesce(data->>'code', ''), '…'),
        data = data - '{code,url}'::text[]
    WHERE id = ANY (ids) AND created_at BETWEEN since AND till AND data ?| '{code,url}'
$$;

-- The same for messages that had arrived, or were withdrawn, before codes were forgotten at all.
CREATE FUNCTION forget_former_codes(INOUT place uuid, OUT done bigint)
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
INSERT INTO schema_backfills (name) VALUES ('forget_former_codes');

-- What happened to accounts, keys and the like that somebody may ask for later. It is never rewritten, and kept for 400
-- days.
CREATE TABLE audit (
    id uuid PRIMARY KEY DEFAULT uuid_v7(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL CONSTRAINT audit_kind CHECK (kind ~ '^[a-z_]+\.[a-z_]+$' AND length(kind) <= 60),
    -- Whose it is, even when that account is gone.
    account_id uuid,
    -- From where.
    address text CONSTRAINT audit_address CHECK (length(address) <= 45),
    -- A keyed hash of what somebody called the account, which may not exist.
    who bytea CONSTRAINT audit_who CHECK (length(who) = 16),
    detail jsonb NOT NULL DEFAULT '{}' CONSTRAINT audit_detail CHECK (octet_length(detail::text) <= 4000),
    -- How often, where the same happened again and again.
    count integer NOT NULL DEFAULT 1 CONSTRAINT audit_count CHECK (count > 0)
);
CREATE INDEX audit_of_account ON audit (account_id, id DESC) WHERE account_id IS NOT NULL;

-- What fails is counted by the hour, and becomes a line of `audit` after it. Without an address and a name it is what
-- there was no room for.
CREATE TABLE audit_failures (
    hour timestamptz NOT NULL,
    kind text NOT NULL,
    address text NOT NULL,
    who bytea NOT NULL,
    account_id uuid,
    id uuid NOT NULL DEFAULT uuid_v7(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    count integer NOT NULL DEFAULT 1,
    PRIMARY KEY (hour, kind, address, who)
);

CREATE FUNCTION refuse_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
CREATE TRIGGER never_rewritten BEFORE UPDATE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_forgotten BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_forgetting();

-- Whatever changes what somebody signs in with is noted.
CREATE FUNCTION note_new_identity() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER email_is_noted AFTER UPDATE OF email ON stores
    FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION note_new_identity('email.changed');
CREATE TRIGGER phone_is_noted AFTER UPDATE OF phone ON couriers
    FOR EACH ROW WHEN (OLD.phone IS DISTINCT FROM NEW.phone) EXECUTE FUNCTION note_new_identity('phone.changed');

-- Keys of gateways end, and gateways in the database have channels like those with keys: a row that has the name of
-- their role in place of a key.
ALTER TABLE gateway_keys ALTER COLUMN key_hash DROP NOT NULL;
ALTER TABLE gateway_keys ADD COLUMN expires_at timestamptz, ADD COLUMN role text,
    ADD CONSTRAINT gateway_key_or_role CHECK (num_nonnulls(key_hash, role) = 1);
CREATE INDEX gateway_keys_of_role ON gateway_keys (role) WHERE role IS NOT NULL;

REVOKE ALL ON FUNCTION forget_codes, forget_former_codes, forget_code, refuse_forgetting, note_new_identity FROM PUBLIC;
