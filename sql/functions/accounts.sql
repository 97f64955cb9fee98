-- What other nodes hear of accounts and sessions.

-- A session that ends is told to every node, which may remember it for a moment.
CREATE OR REPLACE FUNCTION sessions_have_ended() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('kurir_sessions', account_id::text)
    FROM (SELECT DISTINCT account_id FROM ended WHERE expires_at > now()) e;
    RETURN NULL;
END
$$;

-- What a session says of its account is remembered with it.
CREATE OR REPLACE FUNCTION account_speaks_otherwise() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('kurir_sessions', NEW.id::text);
    RETURN NULL;
END
$$;

-- Gives a device to the account that claims it last. An account has so many: one more drops the one that was claimed longest ago, and a
-- device is claimed anew whenever its app starts. A browser's device is called as its page calls it: a new subscription takes the
-- place of the one before.
CREATE OR REPLACE FUNCTION claim_device(
    person uuid, wanted text, its_platform text, its_keys jsonb, its_name text, most integer)
RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    -- One after the other, each of whom sees what those before have claimed: they are no more together.
    PERFORM FROM accounts WHERE id = person FOR NO KEY UPDATE;
    INSERT INTO devices (account_id, token, platform, keys, name) VALUES (person, wanted, its_platform, its_keys, its_name)
        ON CONFLICT (token) DO UPDATE SET (account_id, platform, keys, name, claimed_at) =
            (EXCLUDED.account_id, EXCLUDED.platform, EXCLUDED.keys, EXCLUDED.name, clock_timestamp());
    -- What waits for those that it replaces goes to it.
    DELETE FROM devices WHERE account_id = person AND name = its_name AND token <> wanted;
    DELETE FROM devices WHERE token IN (
        SELECT token FROM devices WHERE account_id = person AND token <> wanted ORDER BY claimed_at DESC OFFSET most - 1);
END
$$;

REVOKE ALL ON FUNCTION
    sessions_have_ended, account_speaks_otherwise, claim_device FROM PUBLIC;
