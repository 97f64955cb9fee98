-- How stores gain couriers.

-- A UUID of version 7: what is random but for the time in front and the version, which differs in two bits from 4.
CREATE FUNCTION uuid_v7() RETURNS uuid
LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

CREATE TABLE invites (
    id uuid PRIMARY KEY,
    store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
    -- Whom it is for: a courier, or a number that was nobody's when it was invited.
    courier_id uuid REFERENCES couriers ON DELETE CASCADE,
    phone text CONSTRAINT invite_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    code_hash bytea NOT NULL CONSTRAINT invite_code_is_hashed CHECK (length(code_hash) = 32),
    channel text NOT NULL CONSTRAINT invite_channel CHECK (channel IN ('push', 'sms')),
    state text NOT NULL DEFAULT 'open' CONSTRAINT invite_state CHECK (state IN ('open', 'redeemed', 'expired', 'revoked')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    redeemed_by uuid REFERENCES couriers ON DELETE SET NULL,
    redeemed_at timestamptz,
    CONSTRAINT invite_is_for_one CHECK (num_nonnulls(courier_id, phone) = 1),
    CONSTRAINT invite_redeemed CHECK ((state = 'redeemed') = (redeemed_at IS NOT NULL)),
    CONSTRAINT invite_code_unique UNIQUE (code_hash)
);
CREATE UNIQUE INDEX one_open_invite_to_a_courier ON invites (store_id, courier_id) WHERE state = 'open';
CREATE UNIQUE INDEX one_open_invite_to_a_number ON invites (store_id, phone) WHERE state = 'open';
CREATE INDEX invites_of_store ON invites (store_id, id DESC);
CREATE INDEX invites_to_courier ON invites (courier_id, id DESC);
CREATE INDEX invites_to_number ON invites (phone, id DESC);

CREATE TABLE partners (
    store_id uuid NOT NULL REFERENCES stores ON DELETE CASCADE,
    courier_id uuid NOT NULL REFERENCES couriers ON DELETE CASCADE,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT already_partner PRIMARY KEY (store_id, courier_id)
);
CREATE INDEX partners_of_courier ON partners (courier_id, store_id);

-- The cancellations that counted against a courier, never rewritten.
CREATE TABLE cancellations (
    id uuid PRIMARY KEY,
    courier_id uuid NOT NULL REFERENCES couriers,
    store_id uuid NOT NULL REFERENCES stores,
    delivery_id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    reason text
);
CREATE INDEX cancellations_of_courier ON cancellations (courier_id, id DESC);
CREATE TRIGGER never_rewritten BEFORE UPDATE OR DELETE OR TRUNCATE ON cancellations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
