-- What recipients see of their delivery, and what they say of it.

-- The link of a delivery's recipient. The token in it follows from the delivery, the link's number and the server's secret, so
-- that it can be told again although only its keyed hash is kept.
CREATE TABLE trackings (
    delivery_id uuid PRIMARY KEY REFERENCES deliveries,
    -- Which of its links it is; those before it were ended.
    link integer NOT NULL DEFAULT 1 CONSTRAINT tracking_link CHECK (link > 0),
    token_hash bytea NOT NULL CONSTRAINT tracking_token_is_hashed CHECK (octet_length(token_hash) = 32),
    ended boolean NOT NULL DEFAULT false,
    -- How many SMS its recipient got.
    texts smallint NOT NULL DEFAULT 0 CONSTRAINT tracking_texts CHECK (texts BETWEEN 0 AND 4)
);
CREATE UNIQUE INDEX trackings_by_token ON trackings (token_hash);

-- What a recipient wishes, and thinks of it afterwards, stands with what few deliveries have. Steps leave it alone.
ALTER TABLE delivery_extras
    ADD COLUMN wishes jsonb CONSTRAINT extras_wishes CHECK (
        jsonb_typeof(wishes) = 'array' AND jsonb_array_length(wishes) BETWEEN 1 AND 3 AND octet_length(wishes::text) <= 4000),
    ADD COLUMN stars smallint CONSTRAINT extras_stars CHECK (stars BETWEEN 1 AND 5),
    ADD COLUMN rating text CONSTRAINT extras_rating CHECK (octet_length(rating) <= 2000),
    ADD COLUMN rated_at timestamptz,
    ADD CONSTRAINT extras_rated CHECK ((stars IS NULL) = (rated_at IS NULL) AND (rating IS NULL OR stars IS NOT NULL)),
    ALTER COLUMN wants_photo SET DEFAULT false, ALTER COLUMN wants_signature SET DEFAULT false,
    ALTER COLUMN attempts SET DEFAULT 0, ALTER COLUMN cancel_is_free SET DEFAULT false, ALTER COLUMN is_held SET DEFAULT false,
    ALTER COLUMN waiting SET DEFAULT '{}', ALTER COLUMN uncounted SET DEFAULT '{}', ALTER COLUMN counted SET DEFAULT '{}';

-- How many stars a courier got in how many ratings, and their mean when there were ten, twenty and so on: from one that moved
-- with each it could tell who gave which.
ALTER TABLE couriers
    ADD COLUMN ratings integer NOT NULL DEFAULT 0 CONSTRAINT courier_ratings CHECK (ratings >= 0),
    ADD COLUMN stars integer NOT NULL DEFAULT 0 CONSTRAINT courier_stars CHECK (stars BETWEEN ratings AND 5 * ratings),
    ADD COLUMN mean_stars double precision CONSTRAINT courier_mean_stars CHECK (mean_stars BETWEEN 1 AND 5);
