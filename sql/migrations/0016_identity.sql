-- Who one is: what one signs in with is proven by a code that was sent there.

-- Whoever is here already counts as proven, and so does who registers by a node of before.
-- Whoever proves a number or an address takes it from all who only said that it was theirs: so it may be missing.
ALTER TABLE couriers
    ADD COLUMN phone_verified boolean NOT NULL DEFAULT true,
    ALTER COLUMN phone DROP NOT NULL,
    DROP CONSTRAINT phone_taken,
    ADD CONSTRAINT courier_verified_phone CHECK (phone IS NOT NULL OR NOT phone_verified);
CREATE UNIQUE INDEX phone_taken ON couriers (phone) WHERE phone_verified;
CREATE INDEX couriers_by_phone ON couriers (phone, phone_verified, id);
ALTER TABLE stores
    ADD COLUMN email_verified boolean NOT NULL DEFAULT true,
    ALTER COLUMN email DROP NOT NULL,
    ADD CONSTRAINT store_verified_email CHECK (email IS NOT NULL OR NOT email_verified);
DROP INDEX email_taken;
CREATE UNIQUE INDEX email_taken ON stores (lower(email)) WHERE email_verified;
CREATE INDEX stores_by_email ON stores (lower(email), email_verified, id);

-- The place that an account is about to prove, and the code that was sent there.
CREATE TABLE confirmations (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    place text NOT NULL CONSTRAINT confirmation_place CHECK (place <> '' AND length(place) <= 254),
    code_hash bytea NOT NULL CONSTRAINT confirmation_code_is_hashed CHECK (length(code_hash) = 32),
    tries_left integer NOT NULL CONSTRAINT confirmation_tries CHECK (tries_left >= 0),
    expires_at timestamptz NOT NULL
);
CREATE INDEX confirmations_by_end ON confirmations (expires_at);

-- What an account signed in with before, and the link that brings it back.
CREATE TABLE former_places (
    token_hash bytea PRIMARY KEY CONSTRAINT former_place_token_is_hashed CHECK (length(token_hash) = 32),
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    place text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX former_places_of_account ON former_places (account_id, created_at);
CREATE INDEX former_places_by_end ON former_places (expires_at);

-- Codes for a new password, several at once for an account, each with tries of its own. One that was asked for without there
-- being such an account has no account. Nodes of before use password_resets.
CREATE TABLE reset_codes (
    id uuid PRIMARY KEY,
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    code_hash bytea NOT NULL CONSTRAINT reset_code_is_hashed CHECK (length(code_hash) = 32),
    tries_left integer NOT NULL CONSTRAINT reset_tries_left CHECK (tries_left >= 0),
    expires_at timestamptz NOT NULL
);
CREATE INDEX reset_codes_of_account ON reset_codes (account_id, id);
CREATE INDEX reset_codes_by_end ON reset_codes (expires_at);

-- How often somebody guessed at any of an account's codes, from an address that the account has not used.
CREATE TABLE reset_guesses (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    count integer NOT NULL,
    since timestamptz NOT NULL
);
CREATE INDEX reset_guesses_by_age ON reset_guesses (since);

-- From where and by what an account has signed in. `agent` is a hash of what the browser or app calls itself.
CREATE TABLE used_addresses (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    address text NOT NULL,
    agent bigint NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, address, agent)
);
CREATE INDEX used_addresses_by_age ON used_addresses (used_at);
INSERT INTO used_addresses (account_id, address, agent, used_at)
    SELECT account_id, address, hashtextextended(coalesce(user_agent, ''), 0), max(used_at) FROM sessions GROUP BY 1, 2, 3;

-- An invite may go out by no channel: the store passes its link on.
ALTER TABLE invites DROP CONSTRAINT invite_channel,
    ADD CONSTRAINT invite_channel CHECK (channel IN ('push', 'sms', 'link'));
-- When an SMS last invited a number, whichever store it was.
CREATE TABLE invited_numbers (
    phone text PRIMARY KEY,
    invited_at timestamptz NOT NULL
);
CREATE INDEX invited_numbers_by_age ON invited_numbers (invited_at);

-- When a gateway last asked for a channel's messages, to the minute.
CREATE TABLE channel_claims (
    channel message_channel PRIMARY KEY,
    claimed_at timestamptz NOT NULL
);
INSERT INTO channel_claims SELECT channel, '-infinity' FROM unnest(enum_range(NULL::message_channel)) AS channel;
