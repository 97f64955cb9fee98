-- Seats that few may hold at once, on all nodes together.

-- Has the session say that a node lives, for as long as the session does.
CREATE OR REPLACE FUNCTION node_lives(node integer) RETURNS void
LANGUAGE sql AS $$ SELECT pg_advisory_lock_shared(731114696, node) $$;

-- Whether none does.
CREATE OR REPLACE FUNCTION node_is_gone(node integer) RETURNS boolean
LANGUAGE sql AS $$ SELECT pg_try_advisory_xact_lock(731114696, node) $$;

-- Takes a seat while fewer than the most are held, and gives its number, or null. Whoever must have one recalls the oldest, unless one
-- is being given back already.
CREATE OR REPLACE FUNCTION take_seat(holder uuid, most integer, id uuid, node integer, recalls boolean) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    taken smallint;
BEGIN
    LOOP
        -- The lowest one that is free, so that of two who take one at once the second finds the first in its way, and looks again.
        INSERT INTO seats (holder, number, id, node)
            SELECT take_seat.holder, n, take_seat.id, take_seat.node FROM generate_series(1, most) n
            WHERE NOT EXISTS (SELECT FROM seats s WHERE s.holder = take_seat.holder AND s.number = n)
            ORDER BY n LIMIT 1
            ON CONFLICT DO NOTHING RETURNING seats.number INTO taken;
        IF FOUND THEN RETURN taken; END IF;
        CONTINUE WHEN (SELECT count(*) FROM seats s WHERE s.holder = take_seat.holder) < most;
        DELETE FROM seats s
            WHERE s.holder = take_seat.holder AND s.node <> take_seat.node AND node_is_gone(s.node);
        EXIT WHEN NOT FOUND;
    END LOOP;
    IF recalls AND NOT EXISTS (SELECT FROM seats s WHERE s.holder = take_seat.holder AND s.is_recalled) THEN
        UPDATE seats s SET is_recalled = true
            WHERE s.holder = take_seat.holder
                AND s.id = (SELECT o.id FROM seats o WHERE o.holder = take_seat.holder ORDER BY o.id LIMIT 1)
            RETURNING s.id INTO id;
        PERFORM pg_notify('kurir_seats', id::text);
    END IF;
    RETURN NULL;
END
$$;

-- Drops the seats of nodes that are gone and those of this one that it holds no more, and writes down which it holds.
CREATE OR REPLACE FUNCTION restore_seats(node integer, holders uuid[], numbers smallint[], ids uuid[]) RETURNS void
LANGUAGE sql AS $$
    WITH gone AS MATERIALIZED (
        SELECT n.node FROM (SELECT DISTINCT s.node FROM seats s WHERE s.node <> restore_seats.node) n WHERE node_is_gone(n.node))
    DELETE FROM seats s WHERE s.node IN (SELECT g.node FROM gone g)
        OR s.node = restore_seats.node AND NOT EXISTS (SELECT FROM unnest(ids) AS own(id) WHERE own.id = s.id);
    -- One whose number is not known yet is being taken.
    INSERT INTO seats (holder, number, id, node)
        SELECT h, n, i, restore_seats.node FROM unnest(holders, numbers, ids) AS own(h, n, i) WHERE n IS NOT NULL ORDER BY h, n
        ON CONFLICT DO NOTHING
$$;

REVOKE ALL ON FUNCTION
    node_lives, node_is_gone, take_seat, restore_seats FROM PUBLIC;
