-- Figures by area: counted day by day, and kept when a day is over.

-- The time zone of a place: the nearest of its country's, or the first where the place is not known.
CREATE OR REPLACE FUNCTION zone_of(code text, at_lat double precision, at_lon double precision) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT zone FROM country_zones WHERE country = code
        ORDER BY CASE WHEN at_lat IS NOT NULL THEN distance_m(at_lat, at_lon, lat, lon) END, rank LIMIT 1), 'UTC')
$$;

-- Where the middle of a place's cell is, of so many degrees in all from south to north or from west to east.
CREATE OR REPLACE FUNCTION middle_of_cell(degrees double precision, in_all double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (least(floor((degrees + in_all / 2) * 32768 / in_all), 32767) + 0.5) * in_all / 32768 - in_all / 2
$$;

-- For how many days figures are kept: so far back as anybody asks, two periods of the longest length.
CREATE OR REPLACE FUNCTION area_days_kept() RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT 740 $$;

-- The numbers of a day one behind the other, four bytes each: how many cells there are, and then as its columns stand.
CREATE OR REPLACE FUNCTION pack_areas(figures area_days) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
    SELECT int4send(cardinality(figures.cells)) || coalesce(string_agg(int4send(number), ''), '')
    FROM unnest(figures.cells || figures.deliveries || figures.delivered || figures.returned || figures.failed || figures.seconds) AS number
$$;

-- What became of the deliveries that a store created on a day.
CREATE OR REPLACE FUNCTION count_areas(store uuid, zone text, counted date) RETURNS area_days
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    -- An id has its time, nearly; and midnight may come twice.
    least_id constant uuid := first_uuid(counted::timestamp AT TIME ZONE zone - interval '2 hours');
    most_id constant uuid := first_uuid((counted + 1)::timestamp AT TIME ZONE zone + interval '2 hours');
    -- What is of the day wherever its clocks are changed, so that it need not be looked up.
    surely_from constant timestamptz := counted::timestamp AT TIME ZONE zone + interval '2 hours';
    surely_to constant timestamptz := (counted + 1)::timestamp AT TIME ZONE zone - interval '2 hours';
    result area_days;
BEGIN
    WITH made AS MATERIALIZED (
        SELECT CASE WHEN recipient_lat IS NULL THEN -1 ELSE
                least(floor((recipient_lat + 90) * 32768 / 180), 32767)::integer << 15
                    | least(floor((recipient_lon + 180) * 32768 / 360), 32767)::integer END AS cell,
            -- Whoever gave it back may never have it again.
            cardinality(forfeited) AS returned, coalesce(x.attempts, 0) AS failed,
            CASE WHEN status = 'delivered' THEN greatest(floor(date_part('epoch', delivered_at - accepted_at)), 0)::integer END AS seconds
        FROM unnest(enum_range(NULL::delivery_status)) AS known
            CROSS JOIN LATERAL (
                SELECT * FROM deliveries WHERE store_id = store AND status = known AND id BETWEEN least_id AND most_id OFFSET 0) d
            LEFT JOIN LATERAL (SELECT attempts FROM delivery_extras WHERE delivery_id = d.id OFFSET 0) x ON true
        WHERE created_at >= surely_from AND created_at < surely_to OR (created_at AT TIME ZONE zone)::date = counted),
    grouped AS (
        SELECT cell, count(*)::integer AS deliveries, count(seconds)::integer AS delivered, sum(returned)::integer AS returned,
            sum(failed)::integer AS failed
        FROM made GROUP BY cell ORDER BY cell)
    SELECT store, counted, coalesce(array_agg(cell), '{}'), coalesce(array_agg(deliveries), '{}'),
        coalesce(array_agg(delivered), '{}'), coalesce(array_agg(returned), '{}'), coalesce(array_agg(failed), '{}'),
        coalesce((SELECT array_agg(seconds ORDER BY cell) FROM made WHERE seconds IS NOT NULL), '{}')
    INTO result FROM grouped;
    result.packed := pack_areas(result);
    RETURN result;
END
$$;

-- The figures of a store's days, each as kept or, where that is not so or no longer right, as counted now.
CREATE OR REPLACE FUNCTION areas_between(store uuid, zone_now text, first_day date, last_day date) RETURNS SETOF area_days
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    kept_through constant date := coalesce(
        (SELECT through FROM area_stores WHERE store_id = store AND zone = zone_now), '-infinity');
    changed constant date[] := ARRAY(
        SELECT DISTINCT (at AT TIME ZONE zone_now)::date FROM area_marks
        WHERE store_id = store AND at >= (first_day - 1)::timestamp AT TIME ZONE zone_now
            AND (at AT TIME ZONE zone_now)::date BETWEEN first_day AND least(last_day, kept_through));
    -- The days before were perhaps over before any were kept (`fold_areas`), and are then counted as well.
    surely_kept_from constant date := (now() AT TIME ZONE zone_now)::date - area_days_kept();
    counted date;
BEGIN
    RETURN QUERY SELECT * FROM area_days
        WHERE store_id = store AND day BETWEEN first_day AND least(last_day, kept_through) AND day <> ALL (changed);
    FOREACH counted IN ARRAY changed LOOP
        RETURN NEXT count_areas(store, zone_now, counted);
    END LOOP;
    counted := first_day;
    WHILE counted <= last_day AND counted <= kept_through AND counted < surely_kept_from LOOP
        IF counted <> ALL (changed) AND NOT EXISTS (SELECT FROM area_days d WHERE d.store_id = store AND d.day = counted) THEN
            RETURN NEXT count_areas(store, zone_now, counted);
        END IF;
        counted := counted + 1;
    END LOOP;
    counted := greatest(first_day, kept_through + 1);
    WHILE counted <= last_day LOOP
        RETURN NEXT count_areas(store, zone_now, counted);
        counted := counted + 1;
    END LOOP;
END
$$;

-- Counts a day, and keeps its figures in the place of those there may be.
CREATE OR REPLACE FUNCTION keep_area_day(store uuid, zone text, counted date) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM area_days WHERE store_id = store AND day = counted;
    INSERT INTO area_days SELECT figures.* FROM count_areas(store, zone, counted) AS figures WHERE figures.cells <> '{}';
END
$$;

-- Keeps the figures of some days: of those that were changed since, and of those that have been over for three hours. Gives whether there
-- may be more. A change within two hours of its delivery's creation leaves no mark, and no commit takes an hour.
CREATE OR REPLACE FUNCTION fold_areas() RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    is_all boolean := true;
    days_left integer := 100;
    next record;
    ripe date;
    since date;
BEGIN
    -- What one counts another would write over.
    IF NOT pg_try_advisory_xact_lock(7311146951) THEN RETURN false; END IF;
    FOR next IN
        SELECT store_id, zone, through, (at AT TIME ZONE zone)::date AS day, sum(count(*)) OVER () AS marks
        FROM (SELECT store_id, at FROM area_marks ORDER BY id LIMIT 300) oldest LEFT JOIN area_stores USING (store_id)
        GROUP BY 1, 2, 3, 4
    LOOP
        is_all := next.marks < 300;
        -- What is counted after the marks are taken has their changes in it.
        DELETE FROM area_marks WHERE store_id = next.store_id AND (next.day IS NULL
            OR at BETWEEN next.day - interval '1 day' AND next.day + interval '2 days' AND (at AT TIME ZONE next.zone)::date = next.day);
        IF next.day <= next.through THEN PERFORM keep_area_day(next.store_id, next.zone, next.day); END IF;
    END LOOP;
    FOR next IN
        SELECT a.store_id, a.zone, a.through, zone_of(s.country, s.lat, s.lon) AS zone_now
        FROM area_stores a JOIN stores s ON s.id = a.store_id WHERE a.next_at <= now() ORDER BY a.next_at LIMIT 50
    LOOP
        EXIT WHEN days_left <= 0;
        IF next.zone <> next.zone_now THEN
            DELETE FROM area_days WHERE store_id = next.store_id;
            next.through := NULL;
        END IF;
        ripe := ((now() - interval '3 hours') AT TIME ZONE next.zone_now)::date - 1;
        since := next.through + 1;
        IF since IS NULL THEN
            -- From the first delivery on.
            SELECT greatest(min((first.created_at AT TIME ZONE next.zone_now)::date), ripe - area_days_kept()) INTO since
            FROM unnest(enum_range(NULL::delivery_status)) AS known, LATERAL (
                SELECT created_at FROM deliveries WHERE store_id = next.store_id AND status = known ORDER BY id LIMIT 1) first
            HAVING count(*) > 0;
        END IF;
        since := least(since, ripe + 1);
        WHILE since <= ripe AND days_left > 0 LOOP
            PERFORM keep_area_day(next.store_id, next.zone_now, since);
            since := since + 1;
            days_left := days_left - 1;
        END LOOP;
        UPDATE area_stores SET zone = next.zone_now, through = since - 1,
            next_at = CASE WHEN since <= ripe THEN next_at ELSE (ripe + 2)::timestamp AT TIME ZONE next.zone_now + interval '3 hours' END
        WHERE store_id = next.store_id;
    END LOOP;
    RETURN NOT is_all OR days_left <= 0 OR EXISTS (SELECT FROM area_stores WHERE next_at <= now());
END
$$;

-- A changed delivery whose day may have been kept. Whose recipient is forgotten counts as before.
CREATE OR REPLACE FUNCTION mark_area() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.recipient_first_name <> '' AND NEW.recipient_first_name = ''
        AND (OLD.recipient_lat IS NULL) = (NEW.recipient_lat IS NULL) THEN
        RETURN NULL;
    END IF;
    INSERT INTO area_marks (store_id, at) VALUES (NEW.store_id, NEW.created_at);
    RETURN NULL;
END
$$;

-- A store's days are those of where it is.
CREATE OR REPLACE FUNCTION place_areas() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO area_stores (store_id) VALUES (NEW.id) ON CONFLICT (store_id) DO UPDATE SET next_at = DEFAULT;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION
    zone_of, middle_of_cell, area_days_kept, pack_areas, count_areas, areas_between, keep_area_day, fold_areas, mark_area, place_areas FROM PUBLIC;
