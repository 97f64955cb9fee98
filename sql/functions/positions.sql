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
    DELETE FROM nearby_told WHERE delivery_id = ANY (ARRAY(
        SELECT delivery_id FROM nearby_told WHERE told_at < now() - interval '7 days' ORDER BY told_at LIMIT 10000));
$$;

REVOKE ALL ON FUNCTION distance_m, trail_partitions, forget_positions FROM PUBLIC;
