-- Pictures, what they hang on, and what is signed when a delivery is handed over.

-- A picture. Its id has its time, and so its week: a week is dropped as a whole.
CREATE TABLE files (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts,
    type text NOT NULL CONSTRAINT file_type CHECK (type IN ('image/jpeg', 'image/png', 'image/webp')),
    sha256 bytea NOT NULL CONSTRAINT file_sha256 CHECK (octet_length(sha256) = 32),
    width integer NOT NULL CONSTRAINT file_width CHECK (width > 0),
    height integer NOT NULL CONSTRAINT file_height CHECK (height > 0),
    bytes integer NOT NULL CONSTRAINT file_bytes CHECK (bytes > 0),
    -- Of the smaller one, where there is one.
    small_bytes integer CONSTRAINT file_small_bytes CHECK (small_bytes > 0),
    -- Where its bytes are: in the database, on their way to a store of pictures, or in that.
    place text NOT NULL DEFAULT 'here' CONSTRAINT file_place CHECK (place IN ('here', 'leaving', 'there')),
    -- The step that it hangs on.
    delivery_id uuid,
    seq integer,
    CONSTRAINT file_hangs_on_a_step CHECK ((delivery_id IS NULL) = (seq IS NULL)),
    CONSTRAINT file_pixels CHECK (width::bigint * height <= 40000000)
) PARTITION BY RANGE (id);
CREATE INDEX files_loose ON files (id) WHERE delivery_id IS NULL;
CREATE INDEX files_to_move ON files (id) WHERE delivery_id IS NOT NULL AND place <> 'there';
CREATE INDEX files_of_delivery ON files (delivery_id, seq) WHERE delivery_id IS NOT NULL;

-- The bytes of pictures, in pieces that nobody minds to hold. They are packed already.
CREATE TABLE file_pieces (
    file_id uuid NOT NULL,
    is_small boolean NOT NULL,
    number smallint NOT NULL CONSTRAINT piece_number CHECK (number >= 0),
    bytes bytea NOT NULL CONSTRAINT piece_bytes CHECK (octet_length(bytes) > 0 AND octet_length(bytes) < 65537),
    PRIMARY KEY (file_id, is_small, number)
) PARTITION BY RANGE (file_id);
ALTER TABLE file_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Pictures that are to be removed from the store of pictures; not before those are over that may still put them there.
CREATE TABLE file_removals (
    file_id uuid PRIMARY KEY,
    due_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'
);
CREATE INDEX file_removals_by_time ON file_removals (due_at);

-- What was signed in the commit that delivered something; `seq` is that step's. The text is signed as it stands. A row is written with
-- its delivery's step, which needs no second look; and it stays in one piece, since packing two kilobytes takes longer than writing them.
CREATE TABLE proofs (
    delivery_id uuid NOT NULL,
    seq integer NOT NULL CONSTRAINT proof_seq CHECK (seq > 0),
    bundle text NOT NULL,
    signature bytea NOT NULL CONSTRAINT proof_signature CHECK (octet_length(signature) = 64),
    key_id text NOT NULL,
    -- What is personal in it, with its salts.
    disclosures jsonb NOT NULL,
    PRIMARY KEY (delivery_id, seq)
) WITH (toast_tuple_target = 8160);

-- What hangs on a step, as its id and its hash, which are told when the picture itself is gone; and whether its PIN was right.
ALTER TABLE delivery_history ADD COLUMN pictures jsonb, ADD COLUMN pin_matched boolean;

-- Makes the partitions of this week and the next four, and drops those that are wholly older than so many days. Gives up where
-- somebody reads for long: that can wait.
CREATE FUNCTION file_partitions(days integer) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    kept text;
    week date;
    part text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7311146938) THEN RETURN; END IF;
    FOREACH kept IN ARRAY '{files,file_pieces}'::text[] LOOP
        FOR week IN SELECT generate_series(date_trunc('week', now()), now() + interval '4 weeks', '1 week') LOOP
            part := kept || to_char(week, '_YYYYMMDD');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            EXECUTE format(
                'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', part, kept);
            EXECUTE format(
                'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                kept, part, first_uuid(week), first_uuid(week + 7));
        END LOOP;
        FOR part IN SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
            WHERE inhparent = kept::regclass AND to_date(right(relname, 8), 'YYYYMMDD') + 7 + days <= now()
        LOOP
            EXECUTE format('DROP TABLE %I', part);
        END LOOP;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION file_partitions FROM PUBLIC;
SELECT file_partitions(90);
