-- Whose a number or an e-mail address is.

-- Gives a place that was proven to an account. Whoever only said that it was theirs loses it; `phone_taken` or `email_taken`
-- refuses one that somebody else has proven. What was to prove another place, or was sent to one before, is void. Gives
-- the place before, if that was proven and is another one.
CREATE OR REPLACE FUNCTION prove_place(person uuid, proven text) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    former text;
BEGIN
    IF EXISTS (SELECT FROM couriers WHERE id = person) THEN
        -- In one order always, so that two who prove the same never wait for each other.
        PERFORM FROM couriers WHERE id = ANY (ARRAY(
            SELECT person UNION SELECT id FROM couriers WHERE phone = proven)) ORDER BY id FOR UPDATE;
        SELECT phone INTO former FROM couriers WHERE id = person AND phone_verified AND phone <> proven;
        UPDATE couriers SET phone = NULL WHERE phone = proven AND NOT phone_verified AND id <> person;
        UPDATE couriers SET phone = proven, phone_verified = true WHERE id = person;
    ELSE
        PERFORM FROM stores WHERE id = ANY (ARRAY(
            SELECT person UNION SELECT id FROM stores WHERE lower(email) = lower(proven))) ORDER BY id FOR UPDATE;
        SELECT email INTO former FROM stores WHERE id = person AND email_verified AND lower(email) <> lower(proven);
        UPDATE stores SET email = NULL WHERE lower(email) = lower(proven) AND NOT email_verified AND id <> person;
        UPDATE stores SET email = proven, email_verified = true WHERE id = person;
    END IF;
    DELETE FROM confirmations WHERE account_id = person;
    PERFORM withdraw('confirmation_code', ARRAY[person]);
    PERFORM void_resets(person);
    RETURN former;
END
$$;

-- Ends all of an account's codes for a new password.
CREATE OR REPLACE FUNCTION void_resets(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    DELETE FROM reset_codes WHERE account_id = person;
    PERFORM withdraw('password_reset', ARRAY[person]);
END
$$;

REVOKE ALL ON FUNCTION
    prove_place, void_resets FROM PUBLIC;
