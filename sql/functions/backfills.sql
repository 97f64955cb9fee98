-- Filling in by pieces what a migration wants of the rows that there are.

-- Does a step of what is to be filled in, and says how many rows that makes; null when that was all.
CREATE OR REPLACE FUNCTION continue_backfill(backfill text, OUT rows bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    place uuid := (SELECT after FROM schema_backfills WHERE name = backfill);
    done bigint;
BEGIN
    EXECUTE format('SELECT * FROM %I($1)', backfill) INTO place, done USING place;
    IF done = 0 THEN
        DELETE FROM schema_backfills WHERE name = backfill;
    ELSE
        UPDATE schema_backfills b SET after = place, rows = b.rows + done WHERE name = backfill RETURNING b.rows INTO continue_backfill.rows;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION
    continue_backfill FROM PUBLIC;
