-- Fetching, bringing in vain, taking back, opening again; and what few deliveries say of themselves.

-- What was there before cannot break these constraints, so that nobody waits while it is looked at.
ALTER TABLE deliveries ADD COLUMN picked_up_at timestamptz,
    ADD CONSTRAINT delivery_picked_up_at CHECK (picked_up_at IS NULL OR status <> 'pending') NOT VALID;

ALTER TABLE delivery_history
    -- What was shown at the recipient's, and whom the store asked once more.
    ADD COLUMN received_by text CONSTRAINT history_received_by CHECK (octet_length(received_by) <= 400),
    ADD COLUMN lat double precision CONSTRAINT history_lat CHECK (lat BETWEEN -90 AND 90),
    ADD COLUMN lon double precision CONSTRAINT history_lon CHECK (lon BETWEEN -180 AND 180),
    ADD COLUMN cash_amount bigint CONSTRAINT history_cash CHECK (cash_amount >= 0),
    ADD COLUMN cash_currency text CONSTRAINT history_currency CHECK (cash_currency ~ '^[A-Z]{3}$'),
    ADD COLUMN asked_again uuid[],
    DROP CONSTRAINT history_action,
    ADD CONSTRAINT history_action CHECK (
        action IN ('create', 'edit', 'accept', 'decline', 'pick_up', 'fail', 'deliver', 'cancel', 'reassign', 'reopen',
            'offer', 'release', 'withdraw')) NOT VALID;
DROP TRIGGER never_rewritten ON delivery_history;
CREATE TRIGGER never_rewritten BEFORE UPDATE ON delivery_history
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('reason', 'note', 'received_by', 'lat', 'lon');

-- What few deliveries have, so that the others cost nothing. A row is written as a whole, with its delivery's step.
CREATE TABLE delivery_extras (
    delivery_id uuid PRIMARY KEY REFERENCES deliveries,
    -- Where it is fetched, if not at the store's address, and from when on.
    ready_at timestamptz,
    pickup_address text CONSTRAINT extras_pickup_address CHECK (octet_length(pickup_address) <= 800),
    pickup_lat double precision CONSTRAINT extras_pickup_lat CHECK (pickup_lat BETWEEN -90 AND 90),
    pickup_lon double precision CONSTRAINT extras_pickup_lon CHECK (pickup_lon BETWEEN -180 AND 180),
    pickup_instructions text CONSTRAINT extras_pickup_instructions CHECK (octet_length(pickup_instructions) <= 4000),
    -- What there is to carry.
    pieces smallint CONSTRAINT extras_pieces CHECK (pieces BETWEEN 1 AND 99),
    weight_g integer CONSTRAINT extras_weight CHECK (weight_g > 0),
    size text CONSTRAINT extras_size CHECK (size IN ('small', 'medium', 'large', 'bulky')),
    fragile boolean,
    cold boolean,
    -- Money in the smallest unit of its currency: what it is worth, what is to be collected, what the courier gets.
    value_amount bigint CONSTRAINT extras_value CHECK (value_amount >= 0),
    value_currency text CONSTRAINT extras_value_currency CHECK (value_currency ~ '^[A-Z]{3}$'),
    cash_amount bigint CONSTRAINT extras_cash CHECK (cash_amount >= 0),
    cash_currency text CONSTRAINT extras_cash_currency CHECK (cash_currency ~ '^[A-Z]{3}$'),
    pay_amount bigint CONSTRAINT extras_pay CHECK (pay_amount >= 0),
    pay_currency text CONSTRAINT extras_pay_currency CHECK (pay_currency ~ '^[A-Z]{3}$'),
    -- What handing over must show.
    pin text CONSTRAINT extras_pin CHECK (pin ~ '^[0-9]{4}$'),
    wants_photo boolean NOT NULL,
    wants_signature boolean NOT NULL,
    -- How often it was brought in vain, when and why the last time, and whether its courier may give it back freely.
    attempts integer NOT NULL CONSTRAINT extras_attempts CHECK (attempts >= 0),
    attempted_at timestamptz,
    attempt_reason text CONSTRAINT extras_attempt_reason CHECK (
        attempt_reason IN ('nobody_home', 'wrong_address', 'refused', 'damaged', 'unreachable', 'other')),
    cancel_is_free boolean NOT NULL,
    -- From whom the store took it back last, and when.
    former_id uuid,
    former_at timestamptz,
    -- When couriers are offered it at the earliest; in which order they have turns, if they have any, and how long each is.
    offer_at timestamptz,
    turn_order text CONSTRAINT extras_turn_order CHECK (turn_order IN ('given', 'nearest', 'reliable')),
    turn_seconds smallint CONSTRAINT extras_turn_seconds CHECK (turn_seconds BETWEEN 15 AND 600),
    -- Whether that time is still to come, whose turn it is, and when that is over, or it is offered at all.
    is_held boolean NOT NULL,
    turn_id uuid,
    turn_at timestamptz,
    -- Whose turn has not come; who stands as declined without its being counted; whose declining is counted although it
    -- does not stand so any more.
    waiting uuid[] NOT NULL,
    uncounted uuid[] NOT NULL,
    counted uuid[] NOT NULL,
    CONSTRAINT extras_pickup_location CHECK ((pickup_lat IS NULL) = (pickup_lon IS NULL)),
    CONSTRAINT extras_money CHECK ((value_amount IS NULL) = (value_currency IS NULL)
        AND (cash_amount IS NULL) = (cash_currency IS NULL) AND (pay_amount IS NULL) = (pay_currency IS NULL)),
    CONSTRAINT extras_attempt CHECK (attempts > 0 OR attempted_at IS NULL),
    CONSTRAINT extras_former CHECK ((former_id IS NULL) = (former_at IS NULL)),
    CONSTRAINT extras_turns CHECK ((turn_order IS NULL) = (turn_seconds IS NULL)),
    CONSTRAINT extras_turn_at CHECK ((turn_at IS NULL) = (turn_id IS NULL AND NOT is_held))
);
CREATE INDEX extras_turn ON delivery_extras (turn_at) WHERE turn_at IS NOT NULL;

-- How often a PIN was tried on a carry, which is named by when it was accepted. Right ones are tries, too, so that no guess
-- beside others is more than one of five.
CREATE TABLE pin_tries (
    delivery_id uuid PRIMARY KEY REFERENCES deliveries,
    carry timestamptz NOT NULL,
    tries smallint NOT NULL CONSTRAINT pin_tries_bound CHECK (tries BETWEEN 1 AND 5),
    tried_at timestamptz NOT NULL
);

-- What couriers got for what they delivered: a row as long as it is delivered.
CREATE TABLE earnings (
    delivery_id uuid PRIMARY KEY REFERENCES deliveries,
    courier_id uuid NOT NULL REFERENCES couriers,
    store_id uuid NOT NULL REFERENCES stores,
    at timestamptz NOT NULL,
    amount bigint NOT NULL CONSTRAINT earnings_amount CHECK (amount >= 0),
    currency text NOT NULL CONSTRAINT earnings_currency CHECK (currency ~ '^[A-Z]{3}$')
);
CREATE INDEX earnings_of_courier ON earnings (courier_id, at);

-- Where a delivery stands among others of its status in a list, which is read backwards: what is open by its due time, soonest
-- first, then what has none; what is over by its end, latest first.
CREATE FUNCTION place_in_list(
    status delivery_status, due_at timestamptz, delivered_at timestamptz, cancelled_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (1000000 * extract(epoch FROM CASE
        WHEN status >= 'in_progress' THEN coalesce(timestamptz '2200-01-01 00:00+00' - due_at, interval '0')
        ELSE coalesce(delivered_at, cancelled_at) - timestamptz '2000-01-01 00:00+00' END))::bigint
$$;

ALTER TABLE jobs
    -- The same for a courier's list, where what stands in its route comes first. Nodes of before leave it out.
    ADD COLUMN place bigint,
    -- Which stop of a route of how many it is.
    ADD COLUMN stop integer[] CONSTRAINT job_stop CHECK (cardinality(stop) = 2 AND stop[1] BETWEEN 1 AND stop[2]),
    -- Until when a former holder sees it.
    ADD COLUMN until timestamptz,
    DROP CONSTRAINT job_status,
    ADD CONSTRAINT job_status CHECK (status <> 'cancelled' OR until IS NOT NULL) NOT VALID;

-- Places what a node of before writes.
CREATE FUNCTION place_job() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    SELECT place_in_list(NEW.status, d.due_at, d.delivered_at, d.cancelled_at) INTO NEW.place
    FROM deliveries d WHERE d.id = NEW.delivery_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER placed BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.place IS NULL) EXECUTE FUNCTION place_job();

-- The same for what there is already.
CREATE FUNCTION fill_places(INOUT place uuid, OUT done bigint)
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
REVOKE ALL ON FUNCTION place_in_list, place_job, fill_places FROM PUBLIC;
INSERT INTO schema_backfills (name) VALUES ('fill_places');

-- Indexes of tables with many rows are made after the migration and what is filled in, while others write. Where whose list it
-- is stands as an expression, no statement comes upon the index but that of the list.
CREATE TABLE schema_indexes (
    name text PRIMARY KEY,
    -- What stands behind the name.
    definition text NOT NULL
);
INSERT INTO schema_indexes (name, definition) VALUES
    ('deliveries_in_order', 'deliveries (coalesce(store_id), status, place_in_list(status, due_at, delivered_at, cancelled_at), id)'),
    ('jobs_in_order', 'jobs (coalesce(courier_id), status, place, delivery_id)'),
    ('jobs_kept', 'jobs (until) WHERE until IS NOT NULL');

-- How many deliveries a courier may carry at once.
ALTER TABLE trust ADD COLUMN max_jobs integer NOT NULL DEFAULT 20;

-- What a store wants of a delivery that does not say it; and when it is open, in its words.
ALTER TABLE stores
    ADD COLUMN turn_order text CONSTRAINT store_turn_order CHECK (turn_order IN ('given', 'nearest', 'reliable')),
    ADD COLUMN turn_seconds smallint CONSTRAINT store_turn_seconds CHECK (turn_seconds BETWEEN 15 AND 600),
    ADD COLUMN lat double precision CONSTRAINT store_lat CHECK (lat BETWEEN -90 AND 90),
    ADD COLUMN lon double precision CONSTRAINT store_lon CHECK (lon BETWEEN -180 AND 180),
    ADD COLUMN tell_recipients boolean NOT NULL DEFAULT false,
    ADD COLUMN opening_hours text CONSTRAINT store_opening_hours CHECK (octet_length(opening_hours) <= 800),
    ADD CONSTRAINT store_turns CHECK ((turn_order IS NULL) = (turn_seconds IS NULL)),
    ADD CONSTRAINT store_location CHECK ((lat IS NULL) = (lon IS NULL));

-- What handing over must show where a delivery does not say it.
ALTER TABLE stores ADD COLUMN proof_pin boolean NOT NULL DEFAULT false,
    ADD COLUMN proof_photo boolean NOT NULL DEFAULT false, ADD COLUMN proof_signature boolean NOT NULL DEFAULT false;

-- A node of before would give back what was fetched, and leave behind that it was.
UPDATE schema_least SET migration = 22;
