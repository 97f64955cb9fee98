-- Seats that few may hold at once, on all nodes together.

-- Has the session say that a node lives, for as long as the session does.
CREATE OR REPLACE FUNCTION node_lives(node integer) RETURNS void
LANGUAGE sql AS $$ SELECT pg_advisory_lock_shared(731114696, node) $$;

-- Whether none does. The lock goes back at once: two who ask would take each other for the node.
CREATE OR REPLACE FUNCTION node_is_gone(node integer) RETURNS boolean
LANGUAGE sql AS $$
    SELECT CASE WHEN pg_try_advisory_lock(731114696, node) THEN pg_advisory_unlock(731114696, node) ELSE false END
$$;

-- So one asks at a time.
CREATE OR REPLACE FUNCTION ask_for_nodes_alone() RETURNS void
LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(7311146970) $$;

-- Takes a seat while fewer than the most are held, and gives its number, or null. Whoever cannot do without recalls the oldest.
CREATE OR REPLACE FUNCTION take_seat(holder uuid, most integer, id uuid, node integer, recalls boolean) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    taken smallint;
    recalled uuid;
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
        PERFORM ask_for_nodes_alone();
        DELETE FROM seats s
            WHERE s.holder = take_seat.holder AND s.node <> take_seat.node AND node_is_gone(s.node);
        EXIT WHEN NOT FOUND;
    END LOOP;
    IF recalls THEN
        UPDATE seats s SET is_recalled = true
            WHERE s.holder = take_seat.holder AND s.number = (
                SELECT o.number FROM seats o WHERE o.holder = take_seat.holder AND NOT o.is_recalled
                ORDER BY o.taken_at LIMIT 1)
            RETURNING s.id INTO recalled;
        IF FOUND THEN PERFORM pg_notify('kurir_seats', recalled::text); END IF;
    END IF;
    RETURN NULL;
END
$$;

-- Drops the seats of nodes that are gone and those of this one that it holds no more, and writes down which it holds. One whose number
-- another node took meanwhile, while this one was not to be heard, stays without.
CREATE OR REPLACE FUNCTION restore_seats(node integer, holders uuid[], numbers smallint[], ids uuid[]) RETURNS void
LANGUAGE sql AS $$
    SELECT ask_for_nodes_alone();
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
    node_lives, node_is_gone, ask_for_nodes_alone, take_seat, restore_seats FROM PUBLIC;
