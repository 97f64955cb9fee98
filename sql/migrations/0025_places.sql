-- Places that an account keeps, in an order of its own.
CREATE TABLE places (
    account_id uuid NOT NULL REFERENCES accounts,
    id uuid NOT NULL,
    rank integer NOT NULL CONSTRAINT place_rank CHECK (rank > 0),
    name text NOT NULL CONSTRAINT place_name CHECK (name <> '' AND octet_length(name) <= 500),
    address text NOT NULL CONSTRAINT place_address CHECK (address <> '' AND octet_length(address) <= 800),
    lat double precision CONSTRAINT place_lat CHECK (lat BETWEEN -90 AND 90),
    lon double precision CONSTRAINT place_lon CHECK (lon BETWEEN -180 AND 180),
    phone text CONSTRAINT place_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    note text CONSTRAINT place_note CHECK (note <> '' AND octet_length(note) <= 2000),
    -- Name and address without what makes no difference: case, accents, spaces (`place_sameness`).
    sameness bytea NOT NULL CONSTRAINT place_sameness CHECK (octet_length(sameness) = 32),
    words tsvector NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT place_once UNIQUE (account_id, sameness),
    CONSTRAINT place_location CHECK ((lat IS NULL) = (lon IS NULL))
);
CREATE INDEX places_in_order ON places (account_id, rank, id);

-- The place that an account has chosen; without a row it is where it is.
CREATE TABLE selected_places (
    account_id uuid PRIMARY KEY,
    place_id uuid NOT NULL,
    FOREIGN KEY (account_id, place_id) REFERENCES places ON DELETE CASCADE
);
