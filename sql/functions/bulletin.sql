-- The bulletin.

-- Puts entries of feeds or of operators into the bulletin; gives the new ones. Those that are `told` stand in everybody's feed, too.
CREATE OR REPLACE FUNCTION publish_bulletins(source_name text, kind text, entries jsonb, told boolean) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE
    added uuid[];
BEGIN
    WITH made AS (
        INSERT INTO bulletins (id, source, category, title, text, link, guid, published_at, day)
        SELECT uuid_v7(), source_name, kind, e.title, e.text, e.link, e.guid, t.at, (t.at AT TIME ZONE 'UTC')::date
        FROM jsonb_to_recordset(entries) AS e(title text, text text, link text, guid text, published_at timestamptz),
            -- What says that it is of tomorrow would stand on top till then.
            LATERAL (SELECT least(coalesce(e.published_at, now()), now()) AS at) t
        ON CONFLICT DO NOTHING RETURNING id)
    SELECT array_agg(id ORDER BY id) INTO added FROM made;
    IF told THEN
        INSERT INTO event_journal (accounts, types, data)
        SELECT readers, array_fill('bulletin.published'::text, ARRAY[cardinality(readers)]),
            jsonb_build_object('bulletin_id', bulletin, 'category', kind, 'urgent', false)
        FROM unnest(added) AS bulletin, (
            SELECT array_agg(id) AS readers FROM (
                SELECT id, row_number() OVER (ORDER BY id) / 500 AS part FROM accounts WHERE erased_at IS NULL) everybody
            GROUP BY part) parts;
    END IF;
    RETURN coalesce(added, '{}');
END
$$;

-- Keeps the counts.
CREATE OR REPLACE FUNCTION count_bulletins() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bulletin_counts AS c (store_id, count)
    SELECT store_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE 0 END FROM changed GROUP BY store_id ORDER BY store_id
    ON CONFLICT (store_id) DO UPDATE SET count = c.count + CASE TG_OP WHEN 'INSERT' THEN EXCLUDED.count ELSE
        -(SELECT count(*) FROM changed WHERE changed.store_id IS NOT DISTINCT FROM EXCLUDED.store_id) END;
    RETURN NULL;
END
$$;

-- Takes back what waits of what a store has told, for one courier or for all. Notices of it are worth a day.
CREATE OR REPLACE FUNCTION withdraw_bulletins(store uuid, courier uuid DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    told uuid[] := ARRAY(
        SELECT id FROM (
            SELECT id, urgent FROM bulletins b WHERE b.store_id = store AND b.published_at > now() - interval '1 day'
            ORDER BY b.store_id DESC, b.published_at DESC, b.id DESC LIMIT 100) latest
        WHERE urgent);
BEGIN
    RETURN withdraw('bulletin_published', told, CASE WHEN courier IS NOT NULL THEN array_fill(courier, ARRAY[cardinality(told)]) END);
END
$$;

REVOKE ALL ON FUNCTION publish_bulletins, withdraw_bulletins, count_bulletins FROM PUBLIC;
