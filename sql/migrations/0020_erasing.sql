-- Accounts that are blocked, that leave, and that are gone; and recipients, whom nobody knows for ever.

ALTER TABLE accounts ADD COLUMN blocked_at timestamptz, ADD COLUMN erased_at timestamptz;

-- Who is `off` is blocked, about to leave, or gone. Names are empty where nobody has them any more.
ALTER TABLE stores
    ADD COLUMN off boolean NOT NULL DEFAULT false,
    ALTER COLUMN tax_id DROP NOT NULL,
    DROP CONSTRAINT store_name, DROP CONSTRAINT store_address, DROP CONSTRAINT store_phone,
    ADD CONSTRAINT store_name CHECK ((name <> '' OR off) AND octet_length(name) <= 400),
    ADD CONSTRAINT store_address CHECK ((address <> '' OR off) AND octet_length(address) <= 800),
    ADD CONSTRAINT store_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$' OR phone = '' AND off);
ALTER TABLE couriers
    ADD COLUMN off boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT courier_first_name, DROP CONSTRAINT courier_last_name,
    ADD CONSTRAINT courier_first_name CHECK ((first_name <> '' OR off) AND octet_length(first_name) <= 240),
    ADD CONSTRAINT courier_last_name CHECK ((last_name <> '' OR off) AND octet_length(last_name) <= 240);
-- The same where every commit that offers or accepts looks anyway, and waits for whoever changes it.
ALTER TABLE partners
    ADD COLUMN store_off boolean NOT NULL DEFAULT false, ADD COLUMN courier_off boolean NOT NULL DEFAULT false;

-- What is over may lose its words.
ALTER TABLE deliveries
    DROP CONSTRAINT delivery_first_name, DROP CONSTRAINT delivery_last_name, DROP CONSTRAINT delivery_address,
    DROP CONSTRAINT delivery_description,
    ADD CONSTRAINT delivery_first_name CHECK (
        (recipient_first_name <> '' OR status IN ('delivered', 'cancelled')) AND octet_length(recipient_first_name) <= 240),
    ADD CONSTRAINT delivery_last_name CHECK (
        (recipient_last_name <> '' OR status IN ('delivered', 'cancelled')) AND octet_length(recipient_last_name) <= 240),
    ADD CONSTRAINT delivery_address CHECK (
        (recipient_address <> '' OR status IN ('delivered', 'cancelled')) AND octet_length(recipient_address) <= 800),
    ADD CONSTRAINT delivery_description CHECK (
        (description <> '' OR status IN ('delivered', 'cancelled')) AND octet_length(description) <= 4000);
CREATE INDEX recipients_by_end ON deliveries ((coalesce(delivered_at, cancelled_at)))
    WHERE recipient_first_name <> '' AND coalesce(delivered_at, cancelled_at) IS NOT NULL;
-- For how many days after its end a delivery tells its recipient.
ALTER TABLE trust ADD COLUMN recipient_days integer NOT NULL DEFAULT 90 CONSTRAINT trust_recipient_days CHECK (recipient_days > 0);

-- Who leaves, and from when on that cannot be taken back. What is erased then has stages, each done piece by piece.
CREATE TABLE erasures (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    -- None before it has begun.
    stage text CONSTRAINT erasure_stage CHECK (stage IN ('delivered', 'cancelled', 'messages')),
    place uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- What it signed in with, as messages have it.
    login text
);
CREATE INDEX erasures_by_time ON erasures (due_at);

-- Whose messages they are, and whom events of others name.
CREATE INDEX messages_of_account ON messages (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX events_about_courier ON events ((data->>'courier_id')) WHERE data->>'courier_id' IS NOT NULL;
CREATE INDEX events_about_store ON events ((data->>'store_id')) WHERE data->>'store_id' IS NOT NULL;

-- A history still refuses to be rewritten, but may lose the texts that are named here.
CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
DROP TRIGGER never_rewritten ON delivery_history;
CREATE TRIGGER never_removed BEFORE DELETE OR TRUNCATE ON delivery_history
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_rewritten BEFORE UPDATE ON delivery_history
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('reason', 'note');
DROP TRIGGER never_rewritten ON cancellations;
CREATE TRIGGER never_removed BEFORE DELETE OR TRUNCATE ON cancellations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_rewritten BEFORE UPDATE ON cancellations
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('reason');
DROP TRIGGER never_rewritten ON audit;
CREATE TRIGGER never_removed BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER never_rewritten BEFORE UPDATE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('address', 'who');

REVOKE ALL ON FUNCTION refuse_rewriting FROM PUBLIC;
