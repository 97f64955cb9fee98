-- Stores of other countries, cancellations that are contested and excused, couriers by reliability, words to an invite.

-- Outside Croatia the number is one for value added tax, in capitals and digits; Kurir itself checks the country's rule.
ALTER TABLE stores
    ADD COLUMN country text NOT NULL DEFAULT 'HR' CONSTRAINT store_country CHECK (country ~ '^[A-Z]{2}$'),
    DROP CONSTRAINT store_tax_id,
    ADD CONSTRAINT store_tax_id CHECK (
        CASE country WHEN 'HR' THEN is_oib(tax_id) ELSE tax_id ~ '^[A-Z0-9+*]{2,20}$' END),
    DROP CONSTRAINT tax_id_taken,
    ADD CONSTRAINT tax_id_taken UNIQUE (country, tax_id);

-- What a courier said beside its reason.
ALTER TABLE cancellations ADD COLUMN note text CONSTRAINT cancellation_note CHECK (octet_length(note) <= 2000);
DROP TRIGGER never_rewritten ON cancellations;
CREATE TRIGGER never_rewritten BEFORE UPDATE ON cancellations
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('reason', 'note');

-- What a courier and its store say of a cancellation afterwards. An excused one counts no more.
CREATE TABLE cancellation_reviews (
    cancellation_id uuid PRIMARY KEY REFERENCES cancellations,
    contested_at timestamptz,
    -- The courier's words.
    note text CONSTRAINT review_note CHECK (octet_length(note) <= 2000),
    excused_at timestamptz,
    CONSTRAINT review_says_something CHECK (num_nonnulls(contested_at, excused_at) > 0),
    CONSTRAINT review_note_contests CHECK (note IS NULL OR contested_at IS NOT NULL)
);

-- `shortfall` is how many in a hundred a courier did not deliver of those it had to; 101 where that would tell too little. It is
-- rounded, so that most deliveries do not change it, nor any index.
ALTER TABLE couriers
    ADD COLUMN excused integer NOT NULL DEFAULT 0 CONSTRAINT courier_excused CHECK (excused >= 0),
    ADD COLUMN shortfall smallint NOT NULL DEFAULT 101 CONSTRAINT courier_shortfall CHECK (shortfall BETWEEN 0 AND 101);
CREATE INDEX couriers_by_reliability ON couriers (shortfall, lower(last_name), lower(first_name), id);

-- Of what a courier delivered or gave back. Rounded up, so that nobody passes for faultless who is not; below five there is
-- nothing to tell.
CREATE FUNCTION note_shortfall() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    ended bigint := NEW.delivered::bigint + NEW.cancelled;
BEGIN
    NEW.shortfall := CASE WHEN ended < 5 THEN 101 ELSE (100 * NEW.cancelled::bigint + ended - 1) / ended END;
    RETURN NEW;
END
$$;

-- The same for couriers from before it was noted.
CREATE FUNCTION fill_shortfalls(INOUT place uuid, OUT done bigint)
LANGUAGE sql AS $$
    WITH next AS MATERIALIZED (SELECT id FROM couriers WHERE id > place ORDER BY id LIMIT 1000 FOR NO KEY UPDATE),
    noted AS (
        UPDATE couriers c SET delivered = c.delivered FROM next WHERE c.id = next.id AND c.delivered + c.cancelled >= 5)
    SELECT (SELECT id FROM next ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM next)
$$;

CREATE TRIGGER shortfall_is_noted BEFORE INSERT OR UPDATE OF delivered, cancelled ON couriers
    FOR EACH ROW EXECUTE FUNCTION note_shortfall();
REVOKE ALL ON FUNCTION note_shortfall, fill_shortfalls FROM PUBLIC;
INSERT INTO schema_backfills (name) VALUES ('fill_shortfalls');

-- What a store writes to whom it invites.
ALTER TABLE invites ADD COLUMN message text CONSTRAINT invite_message CHECK (octet_length(message) <= 800);
