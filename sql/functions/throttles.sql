-- How often something may be tried. A clock that was ahead and is put right leaves nobody waiting for longer than a bucket, or whoever
-- tries again although it is full, ever has to.

-- Takes one try from every bucket; gives the seconds to wait when one of them is full, and then takes none.
CREATE OR REPLACE FUNCTION throttle(subjects bytea[], steps double precision[], bursts double precision[]) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
    wait double precision;
BEGIN
    -- In one order always, so that two callers never wait for each other.
    INSERT INTO throttles AS t (subject, drained_at)
        SELECT s, clock_timestamp() FROM unnest(subjects) s ORDER BY s
        ON CONFLICT (subject) DO UPDATE SET drained_at = greatest(t.drained_at, clock_timestamp());
    UPDATE throttles t SET drained_at = clock_timestamp() + full_for
        FROM unnest(subjects, steps, bursts) b(subject, step, burst),
            LATERAL (SELECT greatest(make_interval(secs => b.burst * b.step), interval '1 day') AS full_for) most
        WHERE t.subject = b.subject AND t.drained_at > clock_timestamp() + full_for;
    SELECT max(extract(epoch FROM t.drained_at - clock_timestamp()) - (b.burst - 1) * b.step) INTO wait
        FROM throttles t JOIN unnest(subjects, steps, bursts) b(subject, step, burst) USING (subject);
    IF wait > 0 THEN RETURN wait; END IF;
    UPDATE throttles t SET drained_at = t.drained_at + make_interval(secs => b.step)
        FROM unnest(subjects, steps) b(subject, step) WHERE t.subject = b.subject;
    RETURN 0;
END
$$;

-- Takes as many of those wanted from a bucket as a tenth of its room allows, and at least the least. Gives the number, or the
-- seconds to wait below zero, and then takes none.
CREATE OR REPLACE FUNCTION take_share(
    bucket bytea, step double precision, burst double precision, least_wanted double precision, wanted double precision)
RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
    room double precision;
    granted double precision;
BEGIN
    INSERT INTO throttles AS t (subject, drained_at) VALUES (bucket, clock_timestamp())
        ON CONFLICT (subject) DO UPDATE SET
            drained_at = least(greatest(t.drained_at, clock_timestamp()), clock_timestamp() + make_interval(secs => burst * take_share.step))
        RETURNING burst - extract(epoch FROM t.drained_at - clock_timestamp()) / step INTO room;
    -- The clock goes on between the two moments.
    room := least(room, burst);
    IF room < least_wanted THEN RETURN least((room - least_wanted) * step, -0.001); END IF;
    granted := greatest(least_wanted, least(wanted, floor(room / 10)));
    UPDATE throttles SET drained_at = drained_at + make_interval(secs => granted * step) WHERE subject = bucket;
    RETURN granted;
END
$$;

-- Who tries again although a bucket is full waits for longer, up to a day.
CREATE OR REPLACE FUNCTION lengthen_wait(subjects bytea[], steps double precision[], bursts double precision[])
RETURNS double precision
LANGUAGE sql AS $$
    WITH full_ones AS MATERIALIZED (
        SELECT t.subject, b.step FROM throttles t JOIN unnest(subjects, steps, bursts) b(subject, step, burst) USING (subject)
        WHERE extract(epoch FROM t.drained_at - clock_timestamp()) > (b.burst - 1) * b.step
        ORDER BY t.subject FOR UPDATE OF t),
    lengthened AS (
        UPDATE throttles t
        SET drained_at = least(t.drained_at + make_interval(secs => f.step), clock_timestamp() + interval '1 day')
        FROM full_ones f WHERE t.subject = f.subject RETURNING t.subject, t.drained_at)
    SELECT coalesce(max(extract(epoch FROM l.drained_at - clock_timestamp()) - (b.burst - 1) * b.step), 0)::float8
    FROM lengthened l JOIN unnest(subjects, steps, bursts) b(subject, step, burst) USING (subject)
$$;

REVOKE ALL ON FUNCTION
    throttle, take_share, lengthen_wait FROM PUBLIC;
