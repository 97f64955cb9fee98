-- Conversations: how they begin and end, what is read and taken back, how long they are kept, and pictures in them.

-- Whoever has two begin to work together, or to talk, holds this before it looks whether they do the other. So many locks are there
-- for all pairs, since one transaction may make many partners.
CREATE OR REPLACE FUNCTION hold_pair(store uuid, courier uuid) RETURNS void
LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(731114695, (uuid_hash(store) # uuid_hash(courier)) & 1023) $$;

-- Who works together may write. Whoever ends a partnership holds it first, and then its conversation.
CREATE OR REPLACE FUNCTION conversation_opens_or_ends() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE conversations SET is_open = false WHERE store_id = OLD.store_id AND courier_id = OLD.courier_id;
    ELSE
        IF TG_OP = 'INSERT' THEN PERFORM hold_pair(NEW.store_id, NEW.courier_id); END IF;
        UPDATE conversations SET is_open = NOT NEW.store_off AND NOT NEW.courier_off
        WHERE store_id = NEW.store_id AND courier_id = NEW.courier_id;
    END IF;
    RETURN NULL;
END
$$;

-- The one conversation of two who are or were partners, which begins with that id if there is none; no row for all others. Who
-- redeemed an invite stays with it, whatever becomes of the number that it went to.
CREATE OR REPLACE FUNCTION begin_conversation(person uuid, other uuid, new_id uuid) RETURNS TABLE (id uuid, is_new boolean)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    store uuid := (SELECT s.id FROM stores s WHERE s.id IN (person, other) LIMIT 1);
    courier uuid := (SELECT k.id FROM couriers k WHERE k.id IN (person, other) LIMIT 1);
    works boolean;
BEGIN
    IF store IS NULL OR courier IS NULL THEN RETURN; END IF;
    RETURN QUERY SELECT c.id, false FROM conversations c WHERE c.store_id = store AND c.courier_id = courier;
    IF FOUND THEN RETURN; END IF;
    PERFORM hold_pair(store, courier);
    SELECT NOT p.store_off AND NOT p.courier_off INTO works FROM partners p
        WHERE p.store_id = store AND p.courier_id = courier FOR SHARE;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM invites i WHERE i.redeemed_by = courier AND i.store_id = store) THEN
        RETURN;
    END IF;
    INSERT INTO conversations (id, store_id, courier_id, is_open, created_at, latest_at)
        SELECT new_id, store, courier, coalesce(works, false), moment, moment
        FROM date_trunc('milliseconds', clock_timestamp()) AS moment
        ON CONFLICT (store_id, courier_id) DO NOTHING;
    RETURN QUERY SELECT c.id, c.id = new_id FROM conversations c WHERE c.store_id = store AND c.courier_id = courier;
END
$$;

-- How many messages of the other are there that a side has not read which has read so far. Numbers have no gaps, so those after
-- a number are the last ones.
CREATE OR REPLACE FUNCTION unread_in(of conversations, for_store boolean, up_to integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT count(*) FROM (
            SELECT seq, from_store, deleted FROM conversation_messages
            WHERE conversation_id = of.id ORDER BY at DESC, seq DESC LIMIT of.last_seq - up_to) m
        WHERE seq > up_to AND from_store <> for_store AND NOT deleted);
END
$$;

-- How many messages of the other that are there a side comes by which reads on from a number up to another. Times follow numbers, so
-- that where to begin is sought by halves, however long the conversation is.
CREATE OR REPLACE FUNCTION passed_in(of conversations, for_store boolean, before integer, up_to integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    low record;
    high timestamptz := of.latest_at;
    middle timestamptz;
    met record;
BEGIN
    SELECT at, seq INTO low FROM conversation_messages WHERE conversation_id = of.id ORDER BY at, seq LIMIT 1;
    -- What is before `low` has been read, and what is from `high` on has not.
    WHILE before - low.seq > 100 AND high - low.at > interval '1 millisecond' LOOP
        middle := low.at + (high - low.at) / 2;
        SELECT at, seq INTO met FROM conversation_messages
            WHERE conversation_id = of.id AND at >= middle ORDER BY at, seq LIMIT 1;
        IF met.seq <= before THEN low := met; ELSE high := middle; END IF;
    END LOOP;
    RETURN (
        SELECT count(*) FROM (
            SELECT seq, from_store, deleted FROM conversation_messages
            WHERE conversation_id = of.id AND at >= low.at ORDER BY at, seq LIMIT greatest(0, up_to - low.seq + 1)) m
        WHERE seq > before AND seq <= up_to AND from_store <> for_store AND NOT deleted);
END
$$;

-- Notes how far somebody has read, which never goes back, and that it has the conversation open. When nothing is left to read, the
-- notice of it is withdrawn. False where there is no such conversation of its own.
CREATE OR REPLACE FUNCTION read_conversation(conversation uuid, reader uuid, up_to integer, events text[]) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    held conversations;
    is_store boolean;
    before integer;
    left_over integer;
BEGIN
    SELECT * INTO held FROM conversations
        WHERE id = conversation AND reader IN (store_id, courier_id) FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    is_store := held.store_id = reader;
    before := CASE WHEN is_store THEN held.store_read ELSE held.courier_read END;
    up_to := greatest(before, least(up_to, held.last_seq));
    left_over := CASE WHEN up_to = held.last_seq THEN 0 WHEN is_store THEN held.store_unread ELSE held.courier_unread END;
    IF left_over > 0 THEN left_over := left_over - passed_in(held, is_store, before, up_to); END IF;
    IF is_store THEN
        UPDATE conversations SET store_read = up_to, store_unread = left_over, store_read_at = clock_timestamp()
        WHERE id = conversation;
    ELSE
        UPDATE conversations SET courier_read = up_to, courier_unread = left_over, courier_read_at = clock_timestamp()
        WHERE id = conversation;
    END IF;
    IF up_to > before THEN
        INSERT INTO event_journal (accounts, types, data) VALUES (
            ARRAY[held.store_id, held.courier_id], events, jsonb_build_object(
                'conversation_id', conversation, 'by', CASE WHEN is_store THEN 'store' ELSE 'courier' END, 'read_up_to', up_to));
    END IF;
    IF left_over = 0 THEN PERFORM withdraw('message_received', ARRAY[conversation], ARRAY[reader]); END IF;
    RETURN true;
END
$$;

-- Takes a message back, whose time its id has: its words, its picture, and the notice of it. Says `done`, or why not.
CREATE OR REPLACE FUNCTION delete_message(
    conversation uuid, person uuid, message uuid, written_at timestamptz, events text[]) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    held conversations;
    said conversation_messages;
    reader uuid;
BEGIN
    SELECT * INTO held FROM conversations
        WHERE id = conversation AND person IN (store_id, courier_id) FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN 'not_found'; END IF;
    SELECT * INTO said FROM conversation_messages
        WHERE conversation_id = conversation AND at = written_at AND id = message;
    IF NOT FOUND THEN RETURN 'not_found'; END IF;
    IF said.from_store <> (held.store_id = person) THEN RETURN 'not_its_author'; END IF;
    IF said.deleted THEN RETURN 'done'; END IF;
    IF said.at <= clock_timestamp() - interval '10 minutes' THEN RETURN 'too_late'; END IF;
    UPDATE conversation_messages
        SET text = NULL, delivery_id = NULL, file_id = NULL, file_width = NULL, file_height = NULL, deleted = true
        WHERE conversation_id = conversation AND at = said.at AND seq = said.seq;
    UPDATE conversations SET
            store_unread = store_unread - CASE WHEN NOT said.from_store AND said.seq > store_read THEN 1 ELSE 0 END,
            courier_unread = courier_unread - CASE WHEN said.from_store AND said.seq > courier_read THEN 1 ELSE 0 END
        WHERE id = conversation;
    IF said.file_id IS NOT NULL THEN PERFORM drop_files(ARRAY[said.file_id]); END IF;
    reader := CASE WHEN said.from_store THEN held.courier_id ELSE held.store_id END;
    PERFORM erase_messages(ARRAY(
        SELECT id FROM messages WHERE account_id = reader AND id >= first_uuid(said.at - interval '1 minute') AND kind = 'message_received'
            AND data->>'message_id' = message::text));
    INSERT INTO event_journal (accounts, types, data) VALUES (
        ARRAY[held.store_id, held.courier_id], events, jsonb_build_object(
            'conversation_id', conversation, 'message_id', message, 'seq', said.seq));
    RETURN 'done';
END
$$;

-- Hangs pictures on messages, each in the commit of its message. If one is not there any more, nothing is committed.
CREATE OR REPLACE FUNCTION hang_on_messages(ids uuid[], senders uuid[], conversations uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    hung integer;
BEGIN
    UPDATE files f SET conversation_id = m.conversation FROM unnest(ids, senders, conversations) AS m(id, sender, conversation)
    WHERE f.id = m.id AND f.account_id = m.sender AND coalesce(f.delivery_id, f.conversation_id, f.profile_id) IS NULL;
    GET DIAGNOSTICS hung = ROW_COUNT;
    IF hung < cardinality(ids) THEN
        RAISE EXCEPTION '% of % pictures are not there, or hang on something', cardinality(ids) - hung, cardinality(ids)
            USING ERRCODE = 'KU422', CONSTRAINT = 'unknown_file', TABLE = 'files';
    END IF;
END
$$;

-- Gives an account another picture, or none; what it had before is gone. If that is no picture of its own which hangs on nothing
-- else, nothing is committed.
CREATE OR REPLACE FUNCTION show_picture(person uuid, file uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    former uuid;
BEGIN
    SELECT picture INTO former FROM accounts WHERE id = person FOR NO KEY UPDATE;
    IF former IS NOT DISTINCT FROM file THEN RETURN; END IF;
    UPDATE files SET profile_id = person
        WHERE id = file AND account_id = person AND coalesce(delivery_id, conversation_id, profile_id) IS NULL;
    IF NOT FOUND AND file IS NOT NULL THEN
        RAISE EXCEPTION 'the picture is not there, or hangs on something'
            USING ERRCODE = 'KU422', CONSTRAINT = 'unknown_file', TABLE = 'files';
    END IF;
    UPDATE accounts SET picture = file WHERE id = person;
    IF former IS NOT NULL THEN PERFORM drop_files(ARRAY[former]); END IF;
END
$$;

-- Whether somebody sees a picture of a message, or of a profile: its own, its partners', and those of couriers that show it to
-- all stores.
CREATE OR REPLACE FUNCTION sees_picture(reader uuid, conversation uuid, profile uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF conversation IS NOT NULL THEN
        RETURN EXISTS (SELECT FROM conversations WHERE id = conversation AND reader IN (store_id, courier_id));
    END IF;
    RETURN reader = profile
        OR EXISTS (SELECT FROM partners WHERE store_id = reader AND courier_id = profile)
        OR EXISTS (SELECT FROM partners WHERE store_id = profile AND courier_id = reader)
        OR EXISTS (SELECT FROM stores WHERE id = reader) AND EXISTS (
            SELECT FROM accounts a JOIN couriers k ON k.id = a.id WHERE a.id = profile AND a.public_profile AND NOT k.off);
END
$$;

-- Has what goes with a week lie behind one side that has not read it, in some conversations at a time: it is unread no more. Gives in
-- how many it did not, and in how many of these it does now. What somebody holds is passed over, so that nobody waits.
CREATE OR REPLACE FUNCTION leave_behind(week text, side text, OUT late integer, OUT done integer)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    ids uuid[];
BEGIN
    EXECUTE format($q$
        SELECT ARRAY(
            SELECT id FROM conversations c WHERE %1$s_unread > 0 AND %1$s_read < (
                SELECT seq FROM %2$I m WHERE m.conversation_id = c.id ORDER BY at DESC, seq DESC LIMIT 1)
            LIMIT 100)$q$, side, week) INTO ids;
    late := cardinality(ids);
    ids := ARRAY(SELECT id FROM conversations WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
    done := cardinality(ids);
    EXECUTE format($q$
        WITH moved AS (
            UPDATE conversations c SET (%1$s_read, %1$s_unread) = (
                SELECT greatest(c.%1$s_read, max(seq)), greatest(0, c.%1$s_unread - count(*) FILTER (
                    WHERE seq > c.%1$s_read AND from_store <> %2$L AND NOT deleted))
                FROM %3$I m WHERE m.conversation_id = c.id)
            WHERE id = ANY ($1) RETURNING id, %1$s_id AS reader, %1$s_unread AS unread)
        SELECT withdraw('message_received', array_agg(id), array_agg(reader)) FROM moved WHERE unread = 0 HAVING count(*) > 0$q$,
        side, side = 'store', week) USING ids;
END
$$;

-- Makes the partitions of this week and the next four, and takes one that is wholly older than so many days nearer to its end; true when
-- there is more to do at once. What goes with it goes before it, some at a time, and nobody waits for that; it is dropped last, in a
-- commit of its own, since all who talk wait for that. Gives up where somebody reads for long: that can wait.
CREATE OR REPLACE FUNCTION conversation_partitions(days integer) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    week date;
    part text;
    side text;
    behind record;
    pictures uuid[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(7311146940) THEN RETURN false; END IF;
    FOR week IN SELECT generate_series(date_trunc('week', now()), now() + interval '4 weeks', '1 week') LOOP
        part := 'conversation_messages' || to_char(week, '_YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE conversation_messages INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
        EXECUTE format(
            'ALTER TABLE conversation_messages ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, week, week + 7);
    END LOOP;
    -- Only names of partitions end with a day.
    SELECT relname INTO part FROM (
        SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = 'conversation_messages'::regclass OFFSET 0) parts
    WHERE to_date(right(relname, 8), 'YYYYMMDD') + 7 + days <= now()
    ORDER BY relname LIMIT 1;
    IF part IS NULL THEN RETURN false; END IF;
    FOREACH side IN ARRAY '{store,courier}'::text[] LOOP
        SELECT * INTO behind FROM leave_behind(part, side);
        -- Whoever holds what is left holds this up, and not the other way round.
        IF behind.late > 0 THEN RETURN behind.done > 0; END IF;
    END LOOP;
    EXECUTE format($q$
        WITH gone AS (
            DELETE FROM %1$I WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE file_id IS NOT NULL LIMIT 500)) RETURNING file_id)
        SELECT array_agg(file_id) FROM gone$q$, part) INTO pictures;
    IF pictures IS NULL THEN EXECUTE format('DROP TABLE %I', part); ELSE PERFORM drop_files(pictures); END IF;
    RETURN true;
END
$$;

-- Erases the next messages of an account that is gone, and says where to go on; no place when that was all. What it wrote was for
-- somebody who has nothing left to read there.
CREATE OR REPLACE FUNCTION erase_said(person uuid, INOUT place uuid, INOUT place_at timestamptz)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    held conversations;
    last_at timestamptz;
    pictures uuid[];
BEGIN
    SELECT c.* INTO held FROM conversations c
        WHERE person IN (store_id, courier_id) AND id = ANY (ARRAY(
            SELECT id FROM conversations WHERE store_id = person AND (id >= place AND place_at > '-infinity' OR id > place)
            UNION ALL
            SELECT id FROM conversations WHERE courier_id = person AND (id >= place AND place_at > '-infinity' OR id > place)))
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        place := NULL;
        RETURN;
    END IF;
    -- Where the one before was done, this one begins.
    IF held.id <> place THEN place_at := '-infinity'; END IF;
    UPDATE conversations SET
            store_unread = CASE WHEN held.courier_id = person THEN 0 ELSE store_unread END,
            courier_unread = CASE WHEN held.store_id = person THEN 0 ELSE courier_unread END
        WHERE id = held.id;
    SELECT max(at) INTO last_at FROM (
        SELECT at FROM conversation_messages WHERE conversation_id = held.id AND at > place_at ORDER BY at, seq LIMIT 5000) next;
    SELECT array_agg(file_id) INTO pictures FROM conversation_messages
        WHERE conversation_id = held.id AND at > place_at AND at <= last_at
            AND from_store = (held.store_id = person) AND file_id IS NOT NULL;
    UPDATE conversation_messages
        SET text = NULL, delivery_id = NULL, file_id = NULL, file_width = NULL, file_height = NULL, deleted = true
        WHERE conversation_id = held.id AND at > place_at AND at <= last_at
            AND from_store = (held.store_id = person) AND NOT deleted;
    PERFORM drop_files(pictures);
    place := held.id;
    -- The one behind it is next when this one is done.
    place_at := coalesce(last_at, '-infinity');
END
$$;

REVOKE ALL ON FUNCTION
    hold_pair, conversation_opens_or_ends, begin_conversation, unread_in, passed_in, read_conversation, delete_message, hang_on_messages,
    show_picture, sees_picture, leave_behind, conversation_partitions, erase_said FROM PUBLIC;
