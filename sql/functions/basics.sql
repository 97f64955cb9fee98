-- What everything else uses.

-- A UUID of version 7: what is random but for the time in front and the version, which differs in two bits from 4.
CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid
LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

-- The smallest UUID of version 7 of a moment.
CREATE OR REPLACE FUNCTION first_uuid(moment timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008', 32, '0')::uuid
$$;

CREATE OR REPLACE FUNCTION is_oib(digits text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    remainder integer := 10;
BEGIN
    IF digits !~ '^[0-9]{11}$' THEN RETURN false; END IF;
    FOR place IN 1..10 LOOP
        remainder := (remainder + substr(digits, place, 1)::integer) % 10;
        IF remainder = 0 THEN remainder := 10; END IF;
        remainder := remainder * 2 % 11;
    END LOOP;
    RETURN (11 - remainder) % 10 = substr(digits, 11, 1)::integer;
END
$$;

-- History is written once. A table that holds it takes this trigger, so that not even a hand at psql rewrites it:
--
--   CREATE TRIGGER never_rewritten BEFORE UPDATE OR DELETE OR TRUNCATE ON delivery_history
--       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--
-- By statement, so that a change which meets no row is refused too, and so that TRUNCATE is seen at all.
-- What has grown old leaves by dropping its partition, which fires no trigger.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is never rewritten: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_never_rewritten', TABLE = TG_TABLE_NAME;
END
$$;

-- A row of history may lose the texts that the trigger names, and nothing else ever changes.
CREATE OR REPLACE FUNCTION refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(NEW) - TG_ARGV <> to_jsonb(OLD) - TG_ARGV OR EXISTS (
        SELECT FROM unnest(TG_ARGV) AS name
        WHERE to_jsonb(NEW)->>name IS NOT NULL AND to_jsonb(NEW)->>name IS DISTINCT FROM to_jsonb(OLD)->>name)
    THEN
        RAISE EXCEPTION '% is never rewritten: % refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_never_rewritten', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION
    uuid_v7, first_uuid, is_oib, refuse_change, refuse_rewriting FROM PUBLIC;
