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
            'release', 'withdraw')) NOT VALID;
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
    -- Whose turn has not come; who stands as declined without its being counted; whose declining is counted although it
    -- does not stand so any more.
    waiting uuid[] NOT NULL,
    uncounted uuid[] NOT NULL,
    counted uuid[] NOT NULL,
    CONSTRAINT extras_pickup_location CHECK ((pickup_lat IS NULL) = (pickup_lon IS NULL)),
    CONSTRAINT extras_money CHECK ((value_amount IS NULL) = (value_currency IS NULL)
        AND (cash_amount IS NULL) = (cash_currency IS NULL) AND (pay_amount IS NULL) = (pay_currency IS NULL)),
    CONSTRAINT extras_attempt CHECK (attempts > 0 OR attempted_at IS NULL),
    CONSTRAINT extras_former CHECK ((former_id IS NULL) = (former_at IS NULL))
);

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

-- What handing over must show where a delivery does not say it.
ALTER TABLE stores ADD COLUMN proof_pin boolean NOT NULL DEFAULT false,
    ADD COLUMN proof_photo boolean NOT NULL DEFAULT false, ADD COLUMN proof_signature boolean NOT NULL DEFAULT false;

-- A node of before would give back what was fetched, and leave behind that it was.
UPDATE schema_least SET migration = 22;
