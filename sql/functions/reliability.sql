-- How reliable couriers are.

-- Of what a courier delivered or gave back. Rounded up, so that nobody passes for faultless who is not; below five there is
-- nothing to tell.
CREATE OR REPLACE FUNCTION note_shortfall() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    ended bigint := NEW.delivered::bigint + NEW.cancelled;
BEGIN
    NEW.shortfall := CASE WHEN ended < 5 THEN 101 ELSE (100 * NEW.cancelled::bigint + ended - 1) / ended END;
    RETURN NEW;
END
$$;

-- The same for couriers from before it was noted.
CREATE OR REPLACE FUNCTION fill_shortfalls(INOUT place uuid, OUT done bigint)
LANGUAGE sql AS $$
    WITH next AS MATERIALIZED (SELECT id FROM couriers WHERE id > place ORDER BY id LIMIT 1000 FOR NO KEY UPDATE),
    noted AS (
        UPDATE couriers c SET delivered = c.delivered FROM next WHERE c.id = next.id AND c.delivered + c.cancelled >= 5)
    SELECT (SELECT id FROM next ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM next)
$$;

REVOKE ALL ON FUNCTION
    note_shortfall, fill_shortfalls FROM PUBLIC;
