-- Reports of the road: where they are, when two are the same, and what votes make of them.

-- The boxes that a circle lies in. Where it crosses the line at which dates change, there is one on each side.
CREATE OR REPLACE FUNCTION boxes_around(lat double precision, lon double precision, meters double precision) RETURNS SETOF box
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN near_pole THEN box(point(-180, lat - height), point(180, lat + height))
        ELSE box(point(lon + shift - width, lat - height), point(lon + shift + width, lat + height)) END
    FROM (SELECT meters / 111000 AS height) north,
        -- Around a pole it goes all the way round.
        LATERAL (SELECT abs(lat) + height >= 89 AS near_pole, height / cos(radians(least(abs(lat) + height, 89))) AS width) east,
        (VALUES (0), (360), (-360)) AS s(shift)
    WHERE meters IS NOT NULL AND CASE WHEN near_pole THEN shift = 0 ELSE lon + shift - width <= 180 AND lon + shift + width >= -180 END
$$;

-- The boxes between these lines: two where west lies east of east. The line at which dates change has two numbers: a box that ends there
-- has what stands on it by either.
CREATE OR REPLACE FUNCTION boxes_between(
    south double precision, west double precision, north double precision, east double precision) RETURNS SETOF box
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT box(point(west, south), point(east, north)) WHERE west <= east
    UNION ALL SELECT box(point(west, south), point(180, north)) WHERE west > east
    UNION ALL SELECT box(point(-180, south), point(east, north)) WHERE west > east
    UNION ALL SELECT box(point(-east, south), point(-east, north)) WHERE abs(east) = 180 AND west > -180 AND west <= east
    UNION ALL SELECT box(point(-west, south), point(-west, north)) WHERE abs(west) = 180 AND east < 180 AND west <= east
$$;

-- What holds within a box, of these kinds: of a crowd so many around the middle, by walking from there outwards. That is why bitmaps are
-- off: they gather everything, and sort it.
CREATE OR REPLACE FUNCTION roads_in(area box, middle point, kinds text[], most integer)
RETURNS TABLE (id uuid, kind text, lat double precision, lon double precision)
LANGUAGE plpgsql STABLE SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
BEGIN
    RETURN QUERY SELECT r.id, r.kind, r.lat, r.lon FROM road_reports r
        WHERE r.place <@ area AND r.is_listed AND (r.valid_until > now()) IS NOT FALSE AND r.kind = ANY (kinds)
        ORDER BY r.place <-> middle LIMIT most;
END
$$;

-- Keeps a report, unless there is a valid one of its kind within 150 metres, whose id it gives. Of several at once each looks when the
-- one before is committed: the kind is locked until then.
CREATE OR REPLACE FUNCTION report_road(
    report uuid, author uuid, kind text, road_type text, title text, body text, road text, department text,
    lat double precision, lon double precision) RETURNS uuid
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    same uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(report_road.kind, 7311147000));
    SELECT r.id INTO same
    FROM boxes_around(report_road.lat, report_road.lon, 150) AS area, LATERAL (
        SELECT * FROM road_reports r WHERE r.is_listed AND r.place <@ area OFFSET 0) r
    WHERE r.kind = report_road.kind AND (r.valid_until > clock_timestamp()) IS NOT FALSE
        AND distance_m(r.lat, r.lon, report_road.lat, report_road.lon) <= 150
    ORDER BY distance_m(r.lat, r.lon, report_road.lat, report_road.lon), r.id LIMIT 1;
    IF FOUND THEN RETURN same; END IF;
    INSERT INTO road_reports (id, author_id, kind, road_type, title, text, road, department, lat, lon, valid_from, valid_until)
    VALUES (report, author, report_road.kind, report_road.road_type, report_road.title, body, report_road.road,
        report_road.department, report_road.lat, report_road.lon, now(), road_end(report_road.kind));
    PERFORM pg_notify('kurir_roads', report::text);
    RETURN NULL;
END
$$;

-- When what is said now of such a report comes to its end.
CREATE OR REPLACE FUNCTION road_end(kind text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$ SELECT CASE WHEN kind <> 'radar_stationary' THEN clock_timestamp() + interval '1 day' END $$;

-- Counts a vote: 'counted'; 'again' if the account has said so before; 'over' if there is nothing to vote on any more; NULL if there is no
-- such report. The report is held meanwhile, so that one vote comes after the other.
CREATE OR REPLACE FUNCTION vote_on_road(report uuid, voter uuid, said text) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    known road_reports;
    is_removed boolean;
BEGIN
    SELECT * INTO known FROM road_reports WHERE id = report FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF NOT known.is_listed OR known.valid_until <= clock_timestamp() THEN RETURN 'over'; END IF;
    INSERT INTO road_votes (report_id, account_id, vote) VALUES (report, voter, said) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'again'; END IF;
    IF said = 'still_there' THEN
        DELETE FROM road_votes WHERE report_id = report AND vote = 'gone';
        UPDATE road_reports SET gone_votes = 0, still_there_votes = known.still_there_votes + 1,
            valid_until = CASE WHEN known.valid_until IS NOT NULL THEN clock_timestamp() + interval '1 day' END
        WHERE id = report;
    ELSE
        is_removed := known.gone_votes + 1 = 5 OR known.author_id IS NOT DISTINCT FROM voter;
        UPDATE road_reports SET gone_votes = known.gone_votes + 1, is_listed = NOT is_removed,
            gone_at = CASE WHEN is_removed THEN clock_timestamp() END, gone_by = CASE WHEN is_removed THEN 'votes' END
        WHERE id = report;
    END IF;
    RETURN 'counted';
END
$$;

-- Takes what sources say, as a list of objects, each source's entry once. What is new is announced. What people have said is gone
-- stays gone, and is forgotten no sooner than thirty days after its source named it last. What its source had ended, or what had
-- come to its end, is there again.
CREATE OR REPLACE FUNCTION import_roads(entries jsonb, OUT created bigint, OUT updated bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    added uuid[];
BEGIN
    WITH taken AS (
        INSERT INTO road_reports AS r (id, kind, road_type, title, text, road, department, lat, lon, source, source_id,
            valid_from, valid_until)
        SELECT uuid_v7(), e.kind, e.road_type, e.title, e.text, e.road, e.department, e.lat, e.lon, e.source, e.source_id,
            now(), road_end(e.kind)
        FROM jsonb_to_recordset(entries) AS e(kind text, road_type text, title text, text text, road text, department text,
            lat double precision, lon double precision, source text, source_id text)
        ORDER BY e.source, e.source_id
        ON CONFLICT (source, source_id) DO UPDATE SET kind = EXCLUDED.kind, road_type = EXCLUDED.road_type,
            title = EXCLUDED.title, text = EXCLUDED.text, road = EXCLUDED.road, department = EXCLUDED.department,
            lat = EXCLUDED.lat, lon = EXCLUDED.lon, valid_until = EXCLUDED.valid_until,
            is_listed = r.gone_by IS DISTINCT FROM 'votes',
            gone_at = CASE r.gone_by WHEN 'votes' THEN now() END, gone_by = nullif(r.gone_by, 'source')
        RETURNING r.id, r.xmax = 0 AS is_new)
    SELECT array_agg(id) FILTER (WHERE is_new), count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new)
    INTO added, created, updated FROM taken;
    -- So many ids fit into one announcement.
    FOR part IN 0..coalesce(cardinality(added) - 1, -1) / 200 LOOP
        CONTINUE WHEN cardinality(added) IS NULL;
        PERFORM pg_notify('kurir_roads', array_to_string(added[part * 200 + 1:part * 200 + 200], ''));
    END LOOP;
END
$$;

-- Ends what a source does not name any more, by their ids there; gives how many.
CREATE OR REPLACE FUNCTION end_roads(ended_source text, named jsonb) RETURNS bigint
LANGUAGE sql SET jit = off AS $$
    WITH ended AS (
        UPDATE road_reports SET is_listed = false, gone_at = now(), gone_by = 'source'
        WHERE source = ended_source AND is_listed AND (valid_until > now()) IS NOT FALSE
            AND source_id NOT IN (SELECT jsonb_array_elements_text(named))
        RETURNING 1)
    SELECT count(*) FROM ended
$$;

-- Takes out of all searches what has come to its end, and forgets what has been over for thirty days: some at a time. Says whether
-- there may be more.
CREATE OR REPLACE FUNCTION tidy_roads() RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    ended bigint;
    forgotten bigint;
BEGIN
    UPDATE road_reports SET is_listed = false WHERE id = ANY (ARRAY(
        SELECT id FROM road_reports WHERE is_listed AND valid_until IS NOT NULL AND valid_until <= now()
        ORDER BY valid_until LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED));
    GET DIAGNOSTICS ended = ROW_COUNT;
    DELETE FROM road_reports WHERE id = ANY (ARRAY(
        SELECT id FROM road_reports WHERE NOT is_listed AND coalesce(gone_at, valid_until) < now() - interval '30 days'
        ORDER BY coalesce(gone_at, valid_until) LIMIT 1000 FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN greatest(ended, forgotten) = 1000;
END
$$;

-- What somebody said of the road goes with the account.
CREATE OR REPLACE FUNCTION erase_road(person uuid) RETURNS void
LANGUAGE sql SET enable_seqscan = off SET jit = off AS $$
    DELETE FROM road_reports WHERE author_id = person;
    DELETE FROM road_votes WHERE account_id = person;
$$;

REVOKE ALL ON FUNCTION
    boxes_around, boxes_between, roads_in, report_road, road_end, vote_on_road, import_roads, end_roads, tidy_roads, erase_road FROM PUBLIC;
