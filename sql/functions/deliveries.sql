-- What the statements that read and write deliveries ask for.

-- Where a delivery stands among others of its status in a list, which is read backwards: what is open by its due time, soonest
-- first, then what has none; what is over by its end, latest first. An index has it: with another result it needs another name.
CREATE OR REPLACE FUNCTION place_in_list(
    status delivery_status, due_at timestamptz, delivered_at timestamptz, cancelled_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (1000000 * extract(epoch FROM CASE
        WHEN status >= 'in_progress' THEN coalesce(timestamptz '2200-01-01 00:00+00' - due_at, interval '0')
        ELSE coalesce(delivered_at, cancelled_at) - timestamptz '2000-01-01 00:00+00' END))::bigint
$$;

-- Places in a courier's list what a node of before writes.
CREATE OR REPLACE FUNCTION place_job() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    SELECT place_in_list(NEW.status, d.due_at, d.delivered_at, d.cancelled_at) INTO NEW.place
    FROM deliveries d WHERE d.id = NEW.delivery_id;
    RETURN NEW;
END
$$;

-- The same for what was there before.
CREATE OR REPLACE FUNCTION fill_places(INOUT place uuid, OUT done bigint)
LANGUAGE sql AS $$
    WITH next AS MATERIALIZED (
        SELECT id, place_in_list(d.status, due_at, delivered_at, cancelled_at) AS at, d.status,
            CASE status WHEN 'pending' THEN candidates ELSE ARRAY[courier_id] END AS people
        FROM deliveries d WHERE id > fill_places.place ORDER BY id LIMIT 1000),
    placed AS (
        UPDATE jobs j SET place = next.at FROM next, unnest(people) AS person
        WHERE j.courier_id = person AND j.status = next.status AND j.delivery_id = next.id AND j.place IS NULL)
    SELECT (SELECT id FROM next ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM next)
$$;

-- How many deliveries a courier carries, by what is committed now: whoever asks holds the courier.
CREATE OR REPLACE FUNCTION jobs_in_hand(courier uuid) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (SELECT count(*) FROM jobs WHERE courier_id = courier AND status = 'in_progress');
END
$$;

REVOKE ALL ON FUNCTION
    place_in_list, place_job, fill_places, jobs_in_hand FROM PUBLIC;
