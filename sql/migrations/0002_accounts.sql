-- Who may sign in, by what, and with which sessions and devices.

CREATE FUNCTION is_oib(digits text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    remainder integer := 10;
BEGIN
    IF digits !~ '^[0-9]{11}$' THEN RETURN false; END IF;
    FOR place IN 1..10 LOOP
        remainder := (remainder + substr(digits, place, 1)::integer) % 10;
        IF remainder = 0 THEN remainder := 10; END IF;
        remainder := remainder * 2 % 11;
    END LOOP;
    RETURN (11 - remainder) % 10 = substr(digits, 11, 1)::integer;
END
$$;
COMMENT ON FUNCTION is_oib IS 'Whether the eleventh digit is the ISO 7064 MOD 11,10 check digit of the ten before it.';

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    kind text NOT NULL CONSTRAINT account_kind CHECK (kind IN ('store', 'courier')),
    password_hash text NOT NULL CONSTRAINT account_password_is_hashed CHECK (password_hash LIKE '$scrypt$%'),
    language text NOT NULL CONSTRAINT account_language CHECK (language ~ '^[a-z]{2,3}$'),
    notifications_enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- What the profiles refer to, so that an account has the profile of its kind.
    UNIQUE (id, kind)
);

CREATE TABLE stores (
    id uuid PRIMARY KEY,
    kind text NOT NULL DEFAULT 'store' CONSTRAINT store_is_a_store CHECK (kind = 'store'),
    email text NOT NULL CONSTRAINT store_email CHECK (email ~ '^[^@[:space:]]+@[^@[:space:]]+\.[^@[:space:]]+$' AND length(email) <= 254),
    tax_id text NOT NULL CONSTRAINT store_tax_id CHECK (is_oib(tax_id)),
    name text NOT NULL CONSTRAINT store_name CHECK (name <> '' AND octet_length(name) <= 400),
    address text NOT NULL CONSTRAINT store_address CHECK (address <> '' AND octet_length(address) <= 800),
    phone text NOT NULL CONSTRAINT store_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    CONSTRAINT tax_id_taken UNIQUE (tax_id),
    FOREIGN KEY (id, kind) REFERENCES accounts (id, kind) ON DELETE CASCADE
);
CREATE UNIQUE INDEX email_taken ON stores (lower(email));

CREATE TABLE couriers (
    id uuid PRIMARY KEY,
    kind text NOT NULL DEFAULT 'courier' CONSTRAINT courier_is_a_courier CHECK (kind = 'courier'),
    first_name text NOT NULL CONSTRAINT courier_first_name CHECK (first_name <> '' AND octet_length(first_name) <= 240),
    last_name text NOT NULL CONSTRAINT courier_last_name CHECK (last_name <> '' AND octet_length(last_name) <= 240),
    phone text NOT NULL CONSTRAINT courier_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    accepted integer NOT NULL DEFAULT 0 CONSTRAINT courier_accepted CHECK (accepted >= 0),
    delivered integer NOT NULL DEFAULT 0 CONSTRAINT courier_delivered CHECK (delivered >= 0),
    cancelled integer NOT NULL DEFAULT 0 CONSTRAINT courier_cancelled CHECK (cancelled >= 0),
    declined integer NOT NULL DEFAULT 0 CONSTRAINT courier_declined CHECK (declined >= 0),
    CONSTRAINT phone_taken UNIQUE (phone),
    FOREIGN KEY (id, kind) REFERENCES accounts (id, kind) ON DELETE CASCADE
);
-- The directory is read in this order, page by page.
CREATE INDEX couriers_by_name ON couriers (lower(last_name), lower(first_name), id);

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE CONSTRAINT session_token_is_hashed CHECK (length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    user_agent text CONSTRAINT session_user_agent CHECK (octet_length(user_agent) <= 800),
    address text NOT NULL CONSTRAINT session_address CHECK (length(address) <= 45)
);
CREATE INDEX sessions_of_account ON sessions (account_id, id DESC);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE devices (
    token text PRIMARY KEY CONSTRAINT device_token CHECK (token <> '' AND octet_length(token) <= 1024),
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL CONSTRAINT device_platform CHECK (platform IN ('apns', 'fcm', 'webpush')),
    -- What web push needs beyond the address: the browser's public key and its secret.
    keys jsonb,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT device_keys CHECK ((keys IS NOT NULL) = (platform = 'webpush'))
);
CREATE INDEX devices_of_account ON devices (account_id);

-- One code an account: a newer one takes the place of the one before.
CREATE TABLE password_resets (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    code_hash bytea NOT NULL CONSTRAINT reset_code_is_hashed CHECK (length(code_hash) = 32),
    tries_left integer NOT NULL CONSTRAINT reset_tries CHECK (tries_left >= 0),
    expires_at timestamptz NOT NULL
);
