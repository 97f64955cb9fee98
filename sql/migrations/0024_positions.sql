-- Where couriers are, and where they have been while they carried something.

-- When a courier's stores see where it is: while it is on duty, or only while it carries something of theirs.
ALTER TABLE couriers ADD COLUMN share_position text NOT NULL DEFAULT 'carrying'
    CONSTRAINT courier_share_position CHECK (share_position IN ('always', 'carrying'));

-- Where each courier was last, while it is on duty or carries something. No index has what changes, so that a change is one more
-- version of a narrow row in its page. It is logged, since replicas could not read it otherwise; but nobody waits for the log.
CREATE TABLE positions (
    courier_id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    lat double precision NOT NULL CONSTRAINT position_lat CHECK (lat BETWEEN -90 AND 90),
    lon double precision NOT NULL CONSTRAINT position_lon CHECK (lon BETWEEN -180 AND 180),
    accuracy_m double precision NOT NULL CONSTRAINT position_accuracy CHECK (accuracy_m BETWEEN 0 AND 1000),
    speed_mps double precision,
    heading double precision,
    -- What a router said last: when, and how long and far it is to each of these deliveries, one after the other.
    way_at timestamptz,
    way_stops uuid[],
    way_seconds double precision[],
    way_meters double precision[],
    CONSTRAINT position_way CHECK (num_nulls(way_at, way_stops, way_seconds, way_meters) IN (0, 4))
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);

-- Where couriers went while they carried something, for the proof of that alone: a partition for each day, which is dropped as a whole.
CREATE TABLE trails (
    courier_id uuid NOT NULL,
    at timestamptz NOT NULL,
    lat double precision NOT NULL CONSTRAINT trail_lat CHECK (lat BETWEEN -90 AND 90),
    lon double precision NOT NULL CONSTRAINT trail_lon CHECK (lon BETWEEN -180 AND 180),
    accuracy_m real NOT NULL,
    CONSTRAINT one_place_at_a_time PRIMARY KEY (courier_id, at)
) PARTITION BY RANGE (at);

-- The carries whose store was told that they are nearly there. A carry is named by when it was accepted.
CREATE TABLE nearby_told (
    delivery_id uuid PRIMARY KEY,
    carry timestamptz NOT NULL,
    told_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX nearby_told_by_time ON nearby_told (told_at);

-- Makes the partitions of yesterday, today and the next two weeks, and drops those that are wholly older than so many days. Gives up
-- where somebody reads for long: that can wait.
CREATE FUNCTION trail_partitions(days integer) RETURNS void
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
    FOR part IN SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = 'trails'::regclass AND to_date(right(relname, 8), 'YYYYMMDD') + 1 + days <= now()
    LOOP
        EXECUTE format('DROP TABLE %I', part);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION trail_partitions FROM PUBLIC;
SELECT trail_partitions(7);
