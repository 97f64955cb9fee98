-- Couriers' credentials. What they are, and even of which kind, is sealed.
CREATE TABLE credentials (
    courier_id uuid NOT NULL REFERENCES couriers ON DELETE CASCADE,
    id uuid NOT NULL,
    -- A keyed hash of what was scanned, so that it is kept once.
    sameness bytea NOT NULL CONSTRAINT credential_sameness CHECK (octet_length(sameness) = 32),
    sealed bytea NOT NULL CONSTRAINT credential_sealed CHECK (octet_length(sealed) BETWEEN 29 AND 70000),
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (courier_id, id),
    CONSTRAINT credential_once UNIQUE (courier_id, sameness)
);

-- Whoever ends a partnership ends what was shared within it, by the second key.
CREATE TABLE credential_shares (
    store_id uuid NOT NULL,
    courier_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    PRIMARY KEY (store_id, courier_id, credential_id),
    CONSTRAINT shared_credential FOREIGN KEY (courier_id, credential_id) REFERENCES credentials ON DELETE CASCADE,
    CONSTRAINT shared_with_partner FOREIGN KEY (store_id, courier_id) REFERENCES partners ON DELETE CASCADE
);
CREATE INDEX shares_of_credential ON credential_shares (courier_id, credential_id, store_id);

-- Which kinds of papers a store wants of its couriers.
ALTER TABLE stores ADD COLUMN wants text[] NOT NULL DEFAULT '{}'
    CONSTRAINT store_wants CHECK (wants <@ ARRAY['eu_dcc', 'licence', 'insurance', 'health', 'other']);
