-- Pictures: what they hang on, and how long they are kept.

-- Makes the partitions of this week and the next four, and drops those that are wholly older than so many days; of one that has
-- pictures of messages or profiles, which live as long as those, only the others, some at a time. Gives up where somebody reads for
-- long: that can wait.
CREATE OR REPLACE FUNCTION file_partitions(days integer) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    kept text;
    week date;
    part text;
    lasting boolean;
    outdated uuid[];
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
        -- Only names of partitions end with a day.
        FOR part IN SELECT relname FROM (
                SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = kept::regclass OFFSET 0) parts
            WHERE to_date(right(relname, 8), 'YYYYMMDD') + 7 + days <= now()
        LOOP
            EXECUTE format(
                'SELECT EXISTS (SELECT FROM files WHERE id >= %L AND id < %L AND num_nonnulls(conversation_id, profile_id) > 0)',
                first_uuid(to_date(right(part, 8), 'YYYYMMDD')), first_uuid(to_date(right(part, 8), 'YYYYMMDD') + 7))
                INTO lasting;
            IF lasting THEN
                IF kept = 'files' THEN
                    EXECUTE format(
                        'SELECT ARRAY(SELECT id FROM %I WHERE num_nonnulls(conversation_id, profile_id) = 0 LIMIT 500)', part)
                        INTO outdated;
                    PERFORM drop_files(outdated);
                END IF;
                CONTINUE;
            END IF;
            EXECUTE format('LOCK TABLE %I', part);
            IF kept = 'files' THEN
                EXECUTE format($i$INSERT INTO file_removals SELECT id FROM %I WHERE place <> 'here'$i$, part);
            END IF;
            EXECUTE format('DROP TABLE %I', part);
        END LOOP;
    END LOOP;
END
$$;

-- Hangs pictures on a step of a delivery, in the commit of that step: those that the account has sent, and that hang on nothing
-- yet. If that does not hold for one of them, nothing is committed.
CREATE OR REPLACE FUNCTION hang_files(ids uuid[], sender uuid, delivery uuid, step integer) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    hung integer;
BEGIN
    UPDATE files SET delivery_id = delivery, seq = step
    WHERE id = ANY (ids) AND account_id = sender AND coalesce(delivery_id, conversation_id, profile_id) IS NULL;
    GET DIAGNOSTICS hung = ROW_COUNT;
    IF hung < cardinality(ids) THEN
        RAISE EXCEPTION '% of % pictures are not there, or hang on something', cardinality(ids) - hung, cardinality(ids)
            USING ERRCODE = 'KU422', CONSTRAINT = 'unknown_file', TABLE = 'files';
    END IF;
END
$$;

-- Removes pictures that have hung on nothing for an hour, some at a time; gives how many.
CREATE OR REPLACE FUNCTION drop_loose_files() RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    loose uuid[] := ARRAY(
        SELECT id FROM files
        WHERE id < first_uuid(now() - interval '1 hour') AND coalesce(delivery_id, conversation_id, profile_id) IS NULL
        ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED);
BEGIN
    PERFORM drop_files(loose);
    RETURN cardinality(loose);
END
$$;

-- Removes pictures for good.
CREATE OR REPLACE FUNCTION drop_files(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM file_pieces WHERE file_id = ANY (ids);
    WITH gone AS (DELETE FROM files WHERE id = ANY (ids) RETURNING id, place)
    INSERT INTO file_removals SELECT id FROM gone WHERE place <> 'here';
END
$$;

-- Pictures that hang on something and are not in the store of pictures, the oldest first. From now on they may be there.
CREATE OR REPLACE FUNCTION leaving_files(most integer) RETURNS TABLE (id uuid, type text, bytes integer, small_bytes integer)
LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    UPDATE files f SET place = 'leaving'
    WHERE f.id = ANY (ARRAY(
        SELECT n.id FROM files n
        WHERE coalesce(n.delivery_id, n.conversation_id, n.profile_id) IS NOT NULL AND n.place <> 'there' ORDER BY n.id LIMIT most))
    RETURNING f.id, f.type, f.bytes, f.small_bytes
$$;

-- Forgets the bytes of a picture, which are in the store of pictures.
CREATE OR REPLACE FUNCTION file_arrived(file uuid) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
    UPDATE files SET place = 'there' WHERE id = file;
    DELETE FROM file_pieces WHERE file_id = file;
$$;

-- Takes what is personal out of proofs, as far as the pattern says; what is signed stays, and still verifies.
CREATE OR REPLACE FUNCTION erase_disclosures(deliveries uuid[], pattern text) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
    UPDATE proofs p SET disclosures = (
        SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(p.disclosures) WHERE key !~ pattern)
    WHERE delivery_id = ANY (deliveries) AND disclosures <> '{}'
$$;

REVOKE ALL ON FUNCTION file_partitions, hang_files, drop_loose_files, drop_files, leaving_files, file_arrived,
    erase_disclosures FROM PUBLIC;
