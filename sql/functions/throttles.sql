-- How often something may be tried.

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
    SELECT max(extract(epoch FROM t.drained_at - clock_timestamp()) - (b.burst - 1) * b.step) INTO wait
        FROM throttles t JOIN unnest(subjects, steps, bursts) b(subject, step, burst) USING (subject);
    IF wait > 0 THEN RETURN wait; END IF;
    UPDATE throttles t SET drained_at = t.drained_at + make_interval(secs => b.step)
        FROM unnest(subjects, steps) b(subject, step) WHERE t.subject = b.subject;
    RETURN 0;
END
$$;

REVOKE ALL ON FUNCTION
    throttle FROM PUBLIC;
