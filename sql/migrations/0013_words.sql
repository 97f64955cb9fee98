-- What can be searched for: the words of deliveries and of couriers, without case and accents. They stand beside what
-- they are about, since that changes with every step, and its words hardly ever do.

-- Without case and accents, whatever the locale of the database.
CREATE FUNCTION folded(text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) = length($1) THEN lower($1) ELSE lower(translate(
        normalize(replace(replace($1, 'ß', 'ss'), 'ẞ', 'ss'), NFKD),
        E'đĐłŁøØħĦıæÆœŒðÐþÞς\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030A\u030B\u030C\u030F\u0311\u031B\u0323\u0326\u0327\u0328',
        'dDlLoOhHiaAoOdDtTσ')) END
$$;

-- Letters and digits that stand together, with nothing between them that is a sign, a picture, or space.
CREATE FUNCTION words_of(text text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN array_remove(
        regexp_split_to_array(folded(text), '[\u0001-/:-@\[-`{-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]+'), '');
END
$$;

-- The words of a text and the ends of a phone number, all behind the mark of whoever may search for them. A number among
-- the words is found without the zeros it begins with, too.
CREATE FUNCTION searchable(mark text, text text, phone text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    word text;
    marked text[] := '{}';
BEGIN
    FOREACH word IN ARRAY words_of(text) LOOP
        marked := marked || (mark || left(word, 40));
        IF word ~ '^0+[1-9][0-9]*$' THEN marked := marked || (mark || ltrim(left(word, 40), '0')); END IF;
    END LOOP;
    FOR digits IN 3 .. coalesce(length(phone) - 1, 0) LOOP
        marked := marked || (mark || '#' || right(phone, digits));
    END LOOP;
    RETURN array_to_tsvector(marked);
END
$$;

-- What begins so, behind one of these marks.
CREATE FUNCTION beginning(marks text[], with_word text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('''' || array_to_string(marks, with_word || ''':* | ''') || with_word || ''':*')::tsquery
$$;

-- What somebody looks for who types a text: something that has, for each of its words, one that begins so; or, where it
-- is a number, a phone number with these digits. The marks are those of whoever's things may be found. NULL when it has
-- no words. Words that are shorter than `shortest` are left out where there are others: so much begins with them that an
-- index does not help.
CREATE FUNCTION search_for(marks text[], text text, shortest integer DEFAULT 1) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words text[] := words_of(text);
    word text;
    asked tsquery;
    digits text := substring(translate(text, ' -/().', '') FROM '^(?:\+|00|0)?([0-9]{3,})$');
BEGIN
    IF EXISTS (SELECT FROM unnest(words) w WHERE length(w) >= shortest) THEN
        words := ARRAY(SELECT w FROM unnest(words) w WHERE length(w) >= shortest);
    END IF;
    FOREACH word IN ARRAY words LOOP
        asked := coalesce(asked && beginning(marks, left(word, 40)), beginning(marks, left(word, 40)));
    END LOOP;
    RETURN CASE WHEN digits IS NULL THEN asked ELSE asked || beginning(marks, '#' || digits) END;
END
$$;

-- A short name for an account among words. That two have the same does no harm: whose the words are is asked, too.
CREATE FUNCTION mark_of(account uuid) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT right(account::text, 6) $$;

CREATE TABLE delivery_words (
    delivery_id uuid PRIMARY KEY,
    store_id uuid NOT NULL,
    words tsvector NOT NULL
);

CREATE FUNCTION note_words_of_delivery() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO delivery_words (delivery_id, store_id, words) VALUES (
        NEW.id, NEW.store_id, searchable(
            mark_of(NEW.store_id),
            concat_ws(' ', NEW.recipient_first_name, NEW.recipient_last_name, NEW.recipient_address, NEW.description,
                NEW.instructions, NEW.reference),
            NEW.recipient_phone))
    ON CONFLICT (delivery_id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE TRIGGER words_of_new AFTER INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION note_words_of_delivery();
CREATE TRIGGER words_of_edited AFTER UPDATE ON deliveries FOR EACH ROW
    WHEN ((OLD.recipient_first_name, OLD.recipient_last_name, OLD.recipient_address, OLD.recipient_phone,
            OLD.description, OLD.instructions, OLD.reference)
        IS DISTINCT FROM (NEW.recipient_first_name, NEW.recipient_last_name, NEW.recipient_address,
            NEW.recipient_phone, NEW.description, NEW.instructions, NEW.reference))
    EXECUTE FUNCTION note_words_of_delivery();

-- Of each courier the name, for everybody; and for each store that it works for the number as well, and its place among
-- that store's couriers.
CREATE TABLE courier_words (
    courier_id uuid NOT NULL REFERENCES couriers ON DELETE CASCADE,
    -- NULL: everybody.
    store_id uuid REFERENCES stores ON DELETE CASCADE,
    last_name text NOT NULL,
    first_name text NOT NULL,
    words tsvector NOT NULL,
    UNIQUE NULLS NOT DISTINCT (courier_id, store_id)
);
CREATE INDEX partners_by_name ON courier_words (store_id, last_name, first_name, courier_id) WHERE store_id IS NOT NULL;

-- What stands there of a courier, for one store or for everybody.
CREATE FUNCTION words_of_courier(courier couriers, store uuid) RETURNS courier_words
LANGUAGE sql STABLE AS $$
    SELECT courier.id, store, lower(courier.last_name), lower(courier.first_name), searchable(
        CASE WHEN store IS NULL THEN '*' ELSE mark_of(store) END, courier.first_name || ' ' || courier.last_name,
        CASE WHEN store IS NOT NULL THEN courier.phone END)
$$;

CREATE FUNCTION note_words_of_courier() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO courier_words
    SELECT w.* FROM (
        SELECT NULL::uuid AS store_id UNION ALL SELECT store_id FROM partners WHERE courier_id = NEW.id) known,
        LATERAL words_of_courier(NEW, known.store_id) w
    ON CONFLICT (courier_id, store_id) DO UPDATE SET
        last_name = EXCLUDED.last_name, first_name = EXCLUDED.first_name, words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE TRIGGER words_of_new AFTER INSERT ON couriers FOR EACH ROW EXECUTE FUNCTION note_words_of_courier();
CREATE TRIGGER words_of_renamed AFTER UPDATE ON couriers FOR EACH ROW
    WHEN ((OLD.first_name, OLD.last_name, OLD.phone) IS DISTINCT FROM (NEW.first_name, NEW.last_name, NEW.phone))
    EXECUTE FUNCTION note_words_of_courier();

CREATE FUNCTION note_words_of_partner() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- Nobody changes the name or the number meanwhile.
    PERFORM FROM couriers WHERE id IN (NEW.courier_id, OLD.courier_id) FOR SHARE;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM courier_words WHERE courier_id = OLD.courier_id AND store_id = OLD.store_id;
    ELSE
        INSERT INTO courier_words
        SELECT w.* FROM couriers c, LATERAL words_of_courier(c, NEW.store_id) w WHERE c.id = NEW.courier_id
        ON CONFLICT (courier_id, store_id) DO UPDATE SET
            last_name = EXCLUDED.last_name, first_name = EXCLUDED.first_name, words = EXCLUDED.words;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER words AFTER INSERT OR DELETE ON partners FOR EACH ROW EXECUTE FUNCTION note_words_of_partner();

-- What is there already.
INSERT INTO delivery_words (delivery_id, store_id, words)
SELECT id, store_id, searchable(
    mark_of(store_id),
    concat_ws(' ', recipient_first_name, recipient_last_name, recipient_address, description, instructions, reference),
    recipient_phone)
FROM deliveries;
INSERT INTO courier_words SELECT w.* FROM couriers c, LATERAL words_of_courier(c, NULL) w;
INSERT INTO courier_words
SELECT w.* FROM partners p JOIN couriers c ON c.id = p.courier_id, LATERAL words_of_courier(c, p.store_id) w;

-- What has come lately waits in a short list, which every search goes through.
CREATE INDEX delivery_by_word ON delivery_words USING gin (words) WITH (gin_pending_list_limit = 128);
CREATE INDEX courier_by_word ON courier_words USING gin (words) WITH (fastupdate = off);

REVOKE ALL ON FUNCTION folded, words_of, searchable, beginning, search_for, mark_of, words_of_courier FROM PUBLIC;
