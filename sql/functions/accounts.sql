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

REVOKE ALL ON FUNCTION
    sessions_have_ended, account_speaks_otherwise FROM PUBLIC;
