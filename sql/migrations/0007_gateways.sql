-- How messages leave: gateways claim them under a lease, and say what became of them.

-- What a gateway shows over HTTP; what is shown once is kept as its hash.
CREATE TABLE gateway_keys (
    id uuid PRIMARY KEY,
    name text NOT NULL CONSTRAINT gateway_key_name CHECK (name <> '' AND octet_length(name) <= 400),
    channels text[] NOT NULL CONSTRAINT gateway_key_channels CHECK (
        cardinality(channels) > 0 AND channels <@ '{push,sms,email}'::text[]),
    key_hash bytea NOT NULL UNIQUE CONSTRAINT gateway_key_is_hashed CHECK (length(key_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz,
    revoked_at timestamptz
);

-- Messages that were given up, with the reason.
CREATE TABLE outbox_dead (
    id uuid PRIMARY KEY,
    kind text NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    platform text,
    language text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb NOT NULL,
    account_id uuid,
    subject uuid,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    attempt integer NOT NULL,
    reason text NOT NULL CONSTRAINT outbox_dead_reason CHECK (octet_length(reason) <= 2000),
    died_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX outbox_dead_by_time ON outbox_dead (died_at, id);

-- How many messages were delivered, by minute; several rows a minute, so that gateways do not wait for each other.
CREATE TABLE outbox_delivered (
    channel text NOT NULL,
    minute timestamptz NOT NULL,
    slot integer NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (channel, minute, slot)
);

-- Gives messages up. Those that expired are given up with their last word, which is that.
CREATE FUNCTION outbox_bury(seqs bigint[], reason text) RETURNS void
LANGUAGE sql AS $$
    WITH buried AS (DELETE FROM outbox WHERE seq = ANY (seqs) RETURNING *)
    INSERT INTO outbox_dead (id, kind, channel, address, platform, language, title, body, data, account_id, subject,
            created_at, expires_at, attempt, reason)
        SELECT id, kind, channel, address, platform, language, title, body, data, account_id, subject, created_at,
            expires_at, attempt, left(outbox_bury.reason, 500)
        FROM buried
    ON CONFLICT (id) DO NOTHING
$$;

-- After how long a message is tried again: a minute at first, six hours at the most, twelve times in about a day.
CREATE FUNCTION outbox_pause(attempt integer) RETURNS interval
LANGUAGE sql VOLATILE AS $$
    SELECT least(interval '6 hours', interval '1 minute' * 2 ^ (greatest(attempt, 1) - 1)) * (0.75 + random() / 2)
$$;

-- Takes the oldest message of up to so many addresses, for so long. Nobody else is given a message to one of these
-- addresses meanwhile.
CREATE FUNCTION outbox_claim(wanted_channel text, wanted integer, lease_seconds integer)
RETURNS TABLE (id uuid, lease uuid, kind text, channel text, address text, platform text, language text, title text,
    body text, data jsonb, attempt integer, created_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
    -- The database's clock, and not the transaction's: a gateway may claim again and again in one.
    moment timestamptz := clock_timestamp();
BEGIN
    IF wanted NOT BETWEEN 1 AND 500 OR lease_seconds NOT BETWEEN 5 AND 3600 THEN
        RAISE EXCEPTION 'claim 1 to 500 messages for 5 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Leases that were forgotten are over: their messages are the first to be had again.
    UPDATE outbox o SET lease = NULL FROM (
        SELECT seq FROM outbox WHERE channel = wanted_channel AND lease IS NOT NULL AND ready_at <= moment
        ORDER BY seq LIMIT 500 FOR UPDATE SKIP LOCKED) over WHERE o.seq = over.seq;
    PERFORM outbox_bury(array_agg(seq), 'expired') FROM (
        SELECT seq FROM outbox
        WHERE channel = wanted_channel AND lease IS NULL AND ready_at <= moment AND expires_at <= moment
        ORDER BY ready_at, seq LIMIT 500 FOR UPDATE SKIP LOCKED) late HAVING count(*) > 0;
    RETURN QUERY
        WITH heads AS (
            SELECT seq FROM outbox o
            WHERE channel = wanted_channel AND lease IS NULL AND ready_at <= moment AND NOT EXISTS (
                SELECT FROM outbox before
                WHERE before.channel = o.channel AND before.address = o.address
                    AND (before.seq < o.seq OR before.lease IS NOT NULL))
            ORDER BY ready_at, seq LIMIT wanted FOR UPDATE SKIP LOCKED),
        claimed AS (
            UPDATE outbox o
            SET lease = gen_random_uuid(), ready_at = moment + make_interval(secs => lease_seconds),
                attempt = o.attempt + 1
            FROM heads WHERE o.seq = heads.seq
            RETURNING o.*)
        SELECT c.id, c.lease, c.kind, c.channel, c.address, c.platform, c.language, c.title, c.body, c.data, c.attempt,
            c.created_at
        FROM claimed c ORDER BY c.seq;
END
$$;

-- Says that messages have arrived: 'done' for each whose lease is still good, else 'lost'.
CREATE FUNCTION outbox_ack(ids uuid[], leases uuid[], channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
    WITH given AS (SELECT * FROM unnest(ids, leases) WITH ORDINALITY AS g(id, lease, no)),
    held AS MATERIALIZED (
        SELECT o.seq, o.id FROM outbox o JOIN given g ON g.id = o.id AND g.lease = o.lease
        WHERE o.channel = ANY (channels) ORDER BY o.seq FOR UPDATE OF o),
    done AS (DELETE FROM outbox o USING held WHERE o.seq = held.seq RETURNING o.id, o.channel),
    counted AS (
        INSERT INTO outbox_delivered AS d (channel, minute, slot, count)
        SELECT channel, date_trunc('minute', clock_timestamp()), pg_backend_pid() % 16, count(*) FROM done
        GROUP BY channel ORDER BY channel
        ON CONFLICT (channel, minute, slot) DO UPDATE SET count = d.count + EXCLUDED.count)
    SELECT g.id, CASE WHEN EXISTS (SELECT FROM done WHERE done.id = g.id) THEN 'done' ELSE 'lost' END
    FROM given g ORDER BY g.no
$$;

-- Says that messages have not arrived. Each of them is `{"id", "lease", "reason"}` and perhaps
-- `"retry_after_seconds"`, `"permanent"`, and `"unregistered"`, which forgets the device. Gives 'retry', 'dead' or 'lost'.
CREATE FUNCTION outbox_nack(messages jsonb, channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
    given record;
    held record;
BEGIN
    -- In one order always, so that two gateways never wait for each other.
    FOR given IN
        SELECT m.*, o.seq FROM jsonb_to_recordset(messages) AS m(
            id uuid, lease uuid, reason text, retry_after_seconds integer, permanent boolean, unregistered boolean)
        LEFT JOIN outbox o ON o.id = m.id ORDER BY o.seq
    LOOP
        SELECT * INTO held FROM outbox o
            WHERE o.id = given.id AND o.lease = given.lease AND o.channel = ANY (channels) FOR UPDATE;
        IF NOT FOUND THEN
            RETURN QUERY SELECT given.id, 'lost';
            CONTINUE;
        END IF;
        IF given.unregistered THEN
            DELETE FROM devices d WHERE d.token = held.address AND held.channel = 'push';
        END IF;
        IF given.permanent OR given.unregistered OR held.attempt >= 12 OR held.expires_at <= clock_timestamp() THEN
            PERFORM outbox_bury(ARRAY[held.seq], coalesce(given.reason, 'no reason given'));
            RETURN QUERY SELECT given.id, 'dead';
        ELSE
            UPDATE outbox o SET lease = NULL, ready_at = clock_timestamp() + coalesce(
                make_interval(secs => given.retry_after_seconds), outbox_pause(held.attempt)) WHERE o.seq = held.seq
                RETURNING ready_at INTO held.ready_at;
            -- What waits behind it need not be looked at before.
            UPDATE outbox o SET ready_at = held.ready_at
                WHERE o.channel = held.channel AND o.address = held.address AND o.lease IS NULL
                    AND o.ready_at < held.ready_at;
            RETURN QUERY SELECT given.id, 'retry';
        END IF;
    END LOOP;
END
$$;

-- Keeps messages for so long from now on: 'extended' for each whose lease is still good, else 'lost'.
CREATE FUNCTION outbox_extend(ids uuid[], leases uuid[], lease_seconds integer, channels text[] DEFAULT '{push,sms,email}')
RETURNS TABLE (id uuid, result text)
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
    WITH given AS (SELECT * FROM unnest(ids, leases) WITH ORDINALITY AS g(id, lease, no)),
    held AS MATERIALIZED (
        SELECT o.seq FROM outbox o JOIN given g ON g.id = o.id AND g.lease = o.lease
        WHERE o.channel = ANY (channels) ORDER BY o.seq FOR UPDATE OF o),
    extended AS (
        UPDATE outbox o SET ready_at = clock_timestamp() + make_interval(secs => lease_seconds) FROM held
        WHERE o.seq = held.seq RETURNING o.id)
    SELECT g.id, CASE WHEN EXISTS (SELECT FROM extended e WHERE e.id = g.id) THEN 'extended' ELSE 'lost' END
    FROM given g ORDER BY g.no
$$;

REVOKE ALL ON FUNCTION outbox_bury, outbox_pause, outbox_claim, outbox_ack, outbox_nack, outbox_extend FROM PUBLIC;

-- Gateways that live in the database are members of this role, which may call these functions and do nothing else.
-- Roles belong to the whole cluster: another database may have made it.
DO $$
BEGIN
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kurir_gateway') THEN
            CREATE ROLE kurir_gateway NOLOGIN;
        END IF;
    EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL;
        WHEN insufficient_privilege THEN
            RAISE WARNING 'not allowed to make the role kurir_gateway: without it gateways can only use HTTP';
            RETURN;
    END;
    GRANT EXECUTE ON FUNCTION outbox_claim, outbox_ack, outbox_nack, outbox_extend TO kurir_gateway;
END
$$;
