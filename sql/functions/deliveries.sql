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

-- Whether a courier carries so many deliveries, by what is committed now: whoever asks holds the courier. More are not counted.
CREATE OR REPLACE FUNCTION carries(courier uuid, number bigint) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN number <= (
        SELECT count(*) FROM (SELECT FROM jobs WHERE courier_id = courier AND status = 'in_progress' LIMIT greatest(number, 0)) carried);
END
$$;

-- How many they are, which nodes of before ask.
CREATE OR REPLACE FUNCTION jobs_in_hand(courier uuid) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (SELECT count(*) FROM jobs WHERE courier_id = courier AND status = 'in_progress');
END
$$;

-- How many texts the steps of a delivery tell that may be erased, by what is committed now: whoever asks holds the delivery.
CREATE OR REPLACE FUNCTION texts_of_steps(delivery uuid) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(num_nonnulls(reason, note, received_by, lat)), 0) FROM delivery_history
        WHERE delivery_id = delivery);
END
$$;

-- What few steps bring along, each in the commit of its step. These are functions, since a part of a statement that writes
-- nothing costs all other steps more than a call costs these.

-- What a courier gets for what it has delivered.
CREATE OR REPLACE FUNCTION earn(delivery uuid, courier uuid, store uuid, moment timestamptz, earned jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO earnings (delivery_id, courier_id, store_id, at, amount, currency)
    VALUES (delivery, courier, store, moment, (earned->>'amount')::bigint, earned->>'currency');
END
$$;

-- It was not delivered after all.
CREATE OR REPLACE FUNCTION unearn(delivery uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM earnings WHERE delivery_id = delivery;
END
$$;

-- A cancellation that counts, which can be looked up and excused.
CREATE OR REPLACE FUNCTION note_return(
    courier uuid, store uuid, delivery uuid, moment timestamptz, reason text, note text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO cancellations (id, courier_id, store_id, delivery_id, at, reason, note)
    VALUES (uuid_v7(), courier, store, delivery, moment, reason, note);
END
$$;

-- What few deliveries have, in the place of what they had.
CREATE OR REPLACE FUNCTION keep_extras(extras jsonb) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    kept delivery_extras := jsonb_populate_record(NULL::delivery_extras, extras);
BEGIN
    -- What the recipient said stays.
    DELETE FROM delivery_extras WHERE delivery_id = kept.delivery_id
    RETURNING wishes, stars, rating, rated_at INTO kept.wishes, kept.stars, kept.rating, kept.rated_at;
    INSERT INTO delivery_extras SELECT kept.*;
END
$$;

-- Another due time is another place in the lists of couriers, but for those who have said in which order they go.
CREATE OR REPLACE FUNCTION move_jobs(couriers uuid[], status_now delivery_status, delivery uuid, new_place bigint) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    UPDATE jobs SET place = new_place
    WHERE courier_id = ANY (couriers) AND status = status_now AND delivery_id = delivery AND stop IS NULL;
END
$$;

-- Has couriers without a device be told by SMS of what they are offered, beside the store of each; ten minutes after the last time at
-- the earliest.
CREATE OR REPLACE FUNCTION text_offers(couriers uuid[], stores uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    INSERT INTO offer_texts AS t (courier_id, store_id, due_at)
    SELECT DISTINCT ON (courier) courier, store, now() FROM unnest(couriers, stores) AS offered(courier, store) ORDER BY courier
    ON CONFLICT (courier_id) DO UPDATE SET store_id = EXCLUDED.store_id,
        due_at = coalesce(t.due_at, greatest(EXCLUDED.due_at, t.sent_at + interval '10 minutes'));
END
$$;

-- Takes back what couriers were told of offers by SMS, as far as nothing else is offered to them but what has gone.
CREATE OR REPLACE FUNCTION untext_offers(couriers uuid[], gone uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM withdraw('offers_waiting', ARRAY(
        SELECT DISTINCT lost.courier FROM unnest(couriers, gone) AS lost(courier, delivery) WHERE NOT EXISTS (
            SELECT FROM jobs j WHERE j.courier_id = lost.courier AND j.status = 'pending' AND j.until IS NULL
                -- What another one has lost may still be offered to this one.
                AND (j.courier_id, j.delivery_id) NOT IN (SELECT * FROM unnest(couriers, gone)))));
END
$$;

-- Whether a courier works for a store no more.
CREATE OR REPLACE FUNCTION courier_has_left(store uuid, courier uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NOT EXISTS (SELECT FROM partners WHERE store_id = store AND courier_id = courier AND NOT courier_off);
END
$$;

-- How a step left a delivery.
CREATE OR REPLACE FUNCTION status_at(delivery uuid, step integer) RETURNS delivery_status
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT status FROM delivery_history WHERE delivery_id = delivery AND seq = step);
END
$$;

REVOKE ALL ON FUNCTION
    place_in_list, place_job, fill_places, carries, jobs_in_hand, texts_of_steps, earn, unearn, note_return, keep_extras, move_jobs,
    text_offers, untext_offers, courier_has_left, status_at FROM PUBLIC;
