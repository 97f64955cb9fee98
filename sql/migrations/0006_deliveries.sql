-- Deliveries: what they are now, how they came to be so, and who is to know.

-- Backwards, this is the order of the lists: pending, in progress, delivered, cancelled. A page is one range of an index
-- then, wherever it begins.
CREATE TYPE delivery_status AS ENUM ('cancelled', 'delivered', 'in_progress', 'pending');

CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    store_id uuid NOT NULL REFERENCES stores,
    status delivery_status NOT NULL,
    -- How many steps it made: that of its newest step.
    version integer NOT NULL CONSTRAINT delivery_version CHECK (version > 0),
    -- Who carries or carried it.
    courier_id uuid REFERENCES couriers,
    -- Whom the store chose, and of those who declined; whoever gave it back may never have it again, chosen or not.
    candidates uuid[] NOT NULL CONSTRAINT delivery_candidates CHECK (cardinality(candidates) <= 500),
    declined uuid[] NOT NULL DEFAULT '{}' CONSTRAINT delivery_declined CHECK (declined <@ candidates),
    forfeited uuid[] NOT NULL DEFAULT '{}',
    recipient_first_name text NOT NULL CONSTRAINT delivery_first_name CHECK (recipient_first_name <> '' AND octet_length(recipient_first_name) <= 240),
    recipient_last_name text NOT NULL CONSTRAINT delivery_last_name CHECK (recipient_last_name <> '' AND octet_length(recipient_last_name) <= 240),
    recipient_address text NOT NULL CONSTRAINT delivery_address CHECK (recipient_address <> '' AND octet_length(recipient_address) <= 800),
    recipient_phone text CONSTRAINT delivery_phone CHECK (recipient_phone ~ '^\+[1-9][0-9]{6,14}$'),
    recipient_lat double precision CONSTRAINT delivery_lat CHECK (recipient_lat BETWEEN -90 AND 90),
    recipient_lon double precision CONSTRAINT delivery_lon CHECK (recipient_lon BETWEEN -180 AND 180),
    description text NOT NULL CONSTRAINT delivery_description CHECK (description <> '' AND octet_length(description) <= 4000),
    instructions text CONSTRAINT delivery_instructions CHECK (octet_length(instructions) <= 4000),
    reference text CONSTRAINT delivery_reference CHECK (octet_length(reference) <= 400),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    accepted_at timestamptz,
    delivered_at timestamptz,
    cancelled_at timestamptz,
    CONSTRAINT delivery_location CHECK ((recipient_lat IS NULL) = (recipient_lon IS NULL)),
    CONSTRAINT delivery_has_courier CHECK (
        CASE status WHEN 'pending' THEN courier_id IS NULL WHEN 'cancelled' THEN true ELSE courier_id IS NOT NULL END),
    CONSTRAINT delivery_courier_has_not_forfeited CHECK (courier_id <> ALL (forfeited)),
    CONSTRAINT delivery_accepted_at CHECK (CASE status WHEN 'cancelled' THEN true ELSE (accepted_at IS NOT NULL) = (courier_id IS NOT NULL) END),
    CONSTRAINT delivery_delivered_at CHECK ((delivered_at IS NOT NULL) = (status = 'delivered')),
    CONSTRAINT delivery_cancelled_at CHECK ((cancelled_at IS NOT NULL) = (status = 'cancelled'))
);
CREATE INDEX deliveries_of_store ON deliveries (store_id, status, id);
CREATE UNIQUE INDEX reference_taken ON deliveries (store_id, reference) WHERE reference IS NOT NULL;

-- What stands in a courier's list: what is offered to it, what it carries, what it has delivered.
CREATE TABLE jobs (
    courier_id uuid NOT NULL,
    status delivery_status NOT NULL CONSTRAINT job_status CHECK (status <> 'cancelled'),
    delivery_id uuid NOT NULL REFERENCES deliveries,
    store_id uuid NOT NULL,
    PRIMARY KEY (courier_id, status, delivery_id)
);

-- Every step of every delivery, in its order; `seq` is the delivery's version after it.
CREATE TABLE delivery_history (
    delivery_id uuid NOT NULL REFERENCES deliveries,
    seq integer NOT NULL CONSTRAINT history_seq CHECK (seq > 0),
    action text NOT NULL CONSTRAINT history_action CHECK (
        action IN ('create', 'edit', 'accept', 'decline', 'deliver', 'cancel', 'release', 'withdraw')),
    actor_kind text NOT NULL CONSTRAINT history_actor CHECK (actor_kind IN ('store', 'courier')),
    actor_id uuid NOT NULL,
    -- Whom a step of the store is about: whose delivery is released, who is withdrawn.
    courier_id uuid,
    status delivery_status NOT NULL,
    at timestamptz NOT NULL,
    reason text CONSTRAINT history_reason CHECK (octet_length(reason) <= 2000),
    note text CONSTRAINT history_note CHECK (octet_length(note) <= 2000),
    -- The candidates that came and went with this step.
    added uuid[] NOT NULL DEFAULT '{}',
    removed uuid[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (delivery_id, seq)
);
CREATE TRIGGER never_rewritten BEFORE UPDATE OR DELETE OR TRUNCATE ON delivery_history
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Each account's feed. Ordered by transaction and, within one, by id, and read only up to the oldest transaction that is
-- still open: nothing can come before what was read.
CREATE TABLE events (
    account_id uuid NOT NULL,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id bigint GENERATED ALWAYS AS IDENTITY,
    type text NOT NULL CONSTRAINT event_type CHECK (type ~ '^[a-z_]+\.[a-z_]+$'),
    delivery_id uuid,
    seq integer,
    at timestamptz NOT NULL DEFAULT now(),
    -- What an event tells that is not about a delivery.
    data jsonb,
    PRIMARY KEY (account_id, xact, id),
    CONSTRAINT event_of_delivery CHECK ((delivery_id IS NULL) = (seq IS NULL))
);
-- For removing what is old: the table grows in the order of time, so that this index is next to nothing.
CREATE INDEX events_by_age ON events USING brin (at) WITH (pages_per_range = 32);

-- Up to which transaction old events may have been removed.
CREATE TABLE events_kept (
    only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT events_kept_is_one CHECK (only_one),
    after xid8 NOT NULL
);
INSERT INTO events_kept (after) VALUES ('0');
