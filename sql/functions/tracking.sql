-- What recipients are told of their delivery's steps.

-- Rows of trackings are inserted with a bare ON CONFLICT DO NOTHING. Two who make the same link at once conflict in its delivery
-- and in its token, and an ON CONFLICT that names one of the two fails in the other.

-- What an SMS said of the step before is taken back, if it waits. `said` has the notice of this step, if it is one that is told,
-- with its link: it is given as notices for the outbox, unless the link was ended, or the recipient got four already.
CREATE OR REPLACE FUNCTION text_recipient(delivery uuid, said jsonb) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    -- What no gateway has is taken back unsent, and is none of the four.
    unsent integer := (SELECT count(*) FROM (
        SELECT FROM message_queue WHERE subject = delivery AND kind = 'recipient_tracking' AND lease IS NULL
        ORDER BY id FOR UPDATE) waiting);
BEGIN
    PERFORM withdraw('recipient_tracking', ARRAY[delivery]);
    IF unsent > 0 THEN UPDATE trackings SET texts = greatest(texts - unsent, 0) WHERE delivery_id = delivery; END IF;
    IF NOT said ? 'notice' THEN RETURN NULL; END IF;
    INSERT INTO trackings (delivery_id, link, token_hash)
        VALUES (delivery, (said->>'link')::integer, decode(said->>'token_hash', 'hex'))
        ON CONFLICT DO NOTHING;
    UPDATE trackings SET texts = texts + 1
        WHERE delivery_id = delivery AND link = (said->>'link')::integer AND NOT ended AND texts < 4;
    IF NOT FOUND THEN RETURN NULL; END IF;
    RETURN jsonb_build_array(said->'notice' || jsonb_build_object('language', (
        SELECT a.language FROM deliveries d JOIN accounts a ON a.id = d.store_id WHERE d.id = delivery)));
END
$$;

-- Ends a delivery's link and takes back the SMS that wait with it; none is made by itself any more.
CREATE OR REPLACE FUNCTION end_tracking(delivery uuid, hash bytea) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    INSERT INTO trackings (delivery_id, token_hash, ended) VALUES (delivery, hash, true) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN UPDATE trackings SET ended = true WHERE delivery_id = delivery; END IF;
    PERFORM withdraw('recipient_tracking', ARRAY[delivery]);
END
$$;

-- The number of the link by which a delivery's recipient is told of it.
CREATE OR REPLACE FUNCTION recipient_link(delivery uuid) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT link FROM trackings WHERE delivery_id = delivery), 1);
END
$$;

REVOKE ALL ON FUNCTION
    text_recipient, end_tracking, recipient_link FROM PUBLIC;
