-- What keeps repeated and excessive requests in order, on all nodes alike.

-- The first answer to a request that came with an Idempotency-Key, committed with what the request did.
CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key text NOT NULL CONSTRAINT idempotency_key CHECK (key <> '' AND length(key) <= 255),
    -- Of method, path and body: the same key with another request is a mistake.
    fingerprint bytea NOT NULL CONSTRAINT idempotency_fingerprint CHECK (length(fingerprint) = 32),
    status smallint NOT NULL,
    -- Names and values, one after the other.
    headers text[] NOT NULL,
    -- Encrypted, since answers hold codes and people's data.
    body bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- How often something was tried: `drained_at` is when a bucket that leaks steadily will be empty again.
CREATE UNLOGGED TABLE throttles (
    subject bytea PRIMARY KEY CONSTRAINT throttle_subject_is_hashed CHECK (length(subject) = 32),
    drained_at timestamptz NOT NULL
);
CREATE INDEX throttles_by_end ON throttles (drained_at);

-- Takes one try from every bucket; gives the seconds to wait when one of them is full, and then takes none.
CREATE FUNCTION throttle(subjects bytea[], steps double precision[], bursts double precision[]) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
    wait double precision;
BEGIN
    -- In one order always, so that two callers never wait for each other.
    INSERT INTO throttles AS t (subject, drained_at)
        SELECT s, clock_timestamp() FROM unnest(subjects) s ORDER BY s
        ON CONFLICT (subject) DO UPDATE SET drained_at = greatest(t.drained_at, clock_timestamp());
    SELECT max(extract(epoch FROM t.drained_at - clock_timestamp()) - (b.burst - 1) * b.step) INTO wait
        FROM throttles t JOIN unnest(subjects, steps, bursts) b(subject, step, burst) USING (subject);
    IF wait > 0 THEN RETURN wait; END IF;
    UPDATE throttles t SET drained_at = t.drained_at + make_interval(secs => b.step)
        FROM unnest(subjects, steps) b(subject, step) WHERE t.subject = b.subject;
    RETURN 0;
END
$$;

-- Known to every node of this database: what codes are derived from and stored answers are encrypted with.
CREATE TABLE server_secret (
    only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT server_secret_is_one CHECK (only_one),
    secret bytea NOT NULL CONSTRAINT server_secret_length CHECK (length(secret) = 32)
);
