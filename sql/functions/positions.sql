-- Where couriers are and have been, and how far that is from somewhere.

-- Metres from one place to another in a straight line, along a great circle. Kurir's own, since the extension that has it
-- (earthdistance) wants a superuser; Swift has the same (`Location.meters`), and a test compares the two.
CREATE OR REPLACE FUNCTION distance_m(
    lat double precision, lon double precision, other_lat double precision, other_lon double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- The least of 1 and nothing would be 1.
    SELECT CASE WHEN lat + lon + other_lat + other_lon IS NOT NULL THEN 2 * 6371008.8 * asin(least(1, sqrt(
        power(sin(radians(other_lat - lat) / 2), 2)
        + cos(radians(lat)) * cos(radians(other_lat)) * power(sin(radians(other_lon - lon) / 2), 2)))) END
$$;

-- When a courier arrives with a delivery that it brings, by where it said it was within that time and what it brings before, in the
-- order of its list: when that was reckoned (microseconds since 1970), metres and seconds from then, and 1 where a router says so of
-- the same stops, else 0: straight lines, so much longer, at that speed (metres a second). NULL where nobody can tell.
CREATE OR REPLACE FUNCTION arrival_of(
    delivery uuid, courier uuid, fresh interval, detour double precision, speed double precision) RETURNS double precision[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
    seen positions;
    stops uuid[];
    straight double precision;
BEGIN
    SELECT * INTO seen FROM positions p WHERE p.courier_id = courier AND p.at >= now() - fresh;
    IF NOT FOUND THEN RETURN NULL; END IF;
    SELECT array_agg(leg.id ORDER BY leg.nth), sum(leg.meters) INTO stops, straight FROM (
        SELECT s.id, row_number() OVER way AS nth, distance_m(
            lag(s.lat, 1, seen.lat) OVER way, lag(s.lon, 1, seen.lon) OVER way, s.lat, s.lon) AS meters
        FROM (
            SELECT own.place FROM jobs own
            WHERE own.courier_id = courier AND own.status = 'in_progress' AND own.delivery_id = delivery OFFSET 0) own,
            LATERAL (
                SELECT j.place, j.delivery_id FROM jobs j
                WHERE j.courier_id = courier AND j.status = 'in_progress'
                    AND (j.place, j.delivery_id) >= (own.place, delivery) OFFSET 0) j,
            LATERAL (
                SELECT d.id, d.recipient_lat AS lat, d.recipient_lon AS lon FROM deliveries d
                WHERE d.id = j.delivery_id AND d.recipient_lat IS NOT NULL OFFSET 0) s
        WINDOW way AS (ORDER BY j.place DESC, j.delivery_id DESC)) leg;
    IF seen.way_at >= now() - fresh AND seen.way_stops[1:cardinality(stops)] = stops THEN
        RETURN ARRAY[
            extract(epoch FROM seen.way_at) * 1e6, seen.way_meters[cardinality(stops)],
            seen.way_seconds[cardinality(stops)], 1];
    END IF;
    IF stops IS NULL THEN RETURN NULL; END IF;
    RETURN ARRAY[
        extract(epoch FROM least(seen.at, now())) * 1e6, straight * detour, straight * detour / speed, 0];
END
$$;

-- Makes the partitions of yesterday, today and the next two weeks, and drops those that are wholly older than so many days. Gives up
-- where somebody reads for long: that can wait.
CREATE OR REPLACE FUNCTION trail_partitions(days integer) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
    day date;
    part text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7311146939) THEN RETURN; END IF;
    FOR day IN SELECT generate_series(current_date - 1, current_date + 14, '1 day') LOOP
        part := 'trails' || to_char(day, '_YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE trails INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
        EXECUTE format('ALTER TABLE trails ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, day, day + 1);
    END LOOP;
    -- Only names of partitions end with a day.
    FOR part IN SELECT relname FROM (
            SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'trails'::regclass OFFSET 0) parts
        WHERE to_date(right(relname, 8), 'YYYYMMDD') + 1 + days <= now()
    LOOP
        EXECUTE format('DROP TABLE %I', part);
    END LOOP;
END
$$;

-- Forgets where couriers are who are off duty and carry nothing, whom nobody is shown any more; and which carries were told of long
-- ago.
CREATE OR REPLACE FUNCTION forget_positions() RETURNS void
LANGUAGE sql AS $$
    DELETE FROM positions p
    WHERE NOT EXISTS (
            SELECT FROM couriers k WHERE k.id = p.courier_id AND NOT k.off AND duty_now(k.on_duty, k.duty_until) OFFSET 0)
        AND NOT EXISTS (SELECT FROM jobs j WHERE j.courier_id = p.courier_id AND j.status = 'in_progress' OFFSET 0);
    -- What is carried for longer has been told all the same.
    DELETE FROM nearby_told WHERE delivery_id = ANY (ARRAY(
        SELECT delivery_id FROM nearby_told n WHERE told_at < now() - interval '7 days'
            AND NOT EXISTS (SELECT FROM deliveries d WHERE d.id = n.delivery_id AND d.status = 'in_progress' OFFSET 0)
        ORDER BY told_at LIMIT 10000));
$$;

REVOKE ALL ON FUNCTION distance_m, arrival_of, trail_partitions, forget_positions FROM PUBLIC;
