-- What can be searched for, and how.

-- Without case and accents, whatever the locale of the database. What most texts lack is not looked for in them: it is
-- done for every word of every delivery.
CREATE OR REPLACE FUNCTION folded(text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF octet_length(text) > length(text) THEN
        text := regexp_replace(
            normalize(text, NFKD), '[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323\u0326-\u0328]+', '', 'g');
    END IF;
    IF octet_length(text) > length(text) THEN
        text := translate(replace(replace(text, 'ß', 'ss'), 'ẞ', 'ss'), 'đĐłŁøØħĦıæÆœŒðÐþÞς', 'dDlLoOhHiaAoOdDtTσ');
    END IF;
    RETURN lower(text);
END
$$;

-- Letters and digits that stand together, with nothing between them that is a sign, a picture, or space.
CREATE OR REPLACE FUNCTION words_of(text text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN array_remove(string_to_array(
        regexp_replace(folded(text), '[\u0001-/:-@\[-`{-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]+', ' ', 'g'),
        ' '), '');
END
$$;

-- The words of a text and the ends of a phone number, all behind the mark of whoever may search for them. A number among
-- the words is found without the zeros it begins with, too.
CREATE OR REPLACE FUNCTION searchable(mark text, text text, phone text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    word text;
    marked text[] := '{}';
BEGIN
    FOREACH word IN ARRAY words_of(text) LOOP
        marked := marked || (mark || left(word, 40));
        IF starts_with(word, '0') AND word ~ '^0+[1-9][0-9]*$' THEN marked := marked || (mark || ltrim(left(word, 40), '0')); END IF;
    END LOOP;
    FOR digits IN 3 .. coalesce(length(phone) - 1, 0) LOOP
        marked := marked || (mark || '#' || right(phone, digits));
    END LOOP;
    RETURN array_to_tsvector(marked);
END
$$;

-- What begins so, behind one of these marks.
CREATE OR REPLACE FUNCTION beginning(marks text[], with_word text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('''' || array_to_string(marks, with_word || ''':* | ''') || with_word || ''':*')::tsquery
$$;

-- What somebody looks for who types a text: something that has, for each of its words, one that begins so; or, where it
-- is a number, a phone number with these digits. The marks are those of whoever's things may be found. NULL when it has
-- no words. Words that are shorter than `shortest` are left out where there are others: so much begins with them that an
-- index does not help.
CREATE OR REPLACE FUNCTION search_for(marks text[], text text, shortest integer DEFAULT 1) RETURNS tsquery
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
CREATE OR REPLACE FUNCTION mark_of(account uuid) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT right(account::text, 6) $$;

-- The mark of what only some may search for.
CREATE OR REPLACE FUNCTION hidden(mark text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT mark || '=' $$;

-- The recipient's last name and number stand behind a mark of their own, since couriers learn them with the delivery.
CREATE OR REPLACE FUNCTION words_of_delivery(
    store uuid, first_name text, last_name text, address text, phone text, description text, instructions text, reference text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN searchable(mark_of(store), concat_ws(' ', first_name, address, description, instructions, reference), NULL)
        || searchable(hidden(mark_of(store)), last_name, phone);
END
$$;

CREATE OR REPLACE FUNCTION note_words_of_new_deliveries() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO delivery_words (delivery_id, store_id, words)
    SELECT id, store_id, words_of_delivery(
        store_id, recipient_first_name, recipient_last_name, recipient_address, recipient_phone, description, instructions, reference)
    FROM made;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION note_words_of_edited_delivery() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO delivery_words (delivery_id, store_id, words) VALUES (NEW.id, NEW.store_id, words_of_delivery(
        NEW.store_id, NEW.recipient_first_name, NEW.recipient_last_name, NEW.recipient_address, NEW.recipient_phone,
        NEW.description, NEW.instructions, NEW.reference))
    ON CONFLICT (delivery_id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

-- What stands there of a courier, for one store or for everybody.
CREATE OR REPLACE FUNCTION words_of_courier(courier couriers, store uuid) RETURNS courier_words
LANGUAGE sql STABLE AS $$
    SELECT courier.id, store, lower(courier.last_name), lower(courier.first_name), searchable(
        CASE WHEN store IS NULL THEN '*' ELSE mark_of(store) END, courier.first_name || ' ' || courier.last_name,
        CASE WHEN store IS NOT NULL THEN courier.phone END)
$$;

-- Who renames a courier and who makes it a partner wait for each other; whoever accepts does not, as it would for a lock of
-- the courier's row. Few locks for all, since a transaction may be about very many.
CREATE OR REPLACE FUNCTION words_of_one_at_a_time(courier uuid) RETURNS void
LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(7311, hashtext(courier::text) & 31) $$;

CREATE OR REPLACE FUNCTION note_words_of_courier() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM words_of_one_at_a_time(NEW.id);
    INSERT INTO courier_words
    SELECT w.* FROM (
        SELECT NULL::uuid AS store_id UNION ALL SELECT store_id FROM partners WHERE courier_id = NEW.id) known,
        LATERAL words_of_courier(NEW, known.store_id) w
    ON CONFLICT (courier_id, store_id) DO UPDATE SET
        last_name = EXCLUDED.last_name, first_name = EXCLUDED.first_name, words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION note_words_of_partner() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- In the order in which whoever gives a courier another number takes the two.
    PERFORM FROM couriers WHERE id IN (NEW.courier_id, OLD.courier_id) FOR KEY SHARE;
    PERFORM words_of_one_at_a_time(coalesce(NEW.courier_id, OLD.courier_id));
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

CREATE OR REPLACE FUNCTION fill_words_of_deliveries(INOUT place uuid, OUT done bigint)
LANGUAGE sql AS $$
    WITH next AS MATERIALIZED (SELECT * FROM deliveries WHERE id > place ORDER BY id LIMIT 1000),
    filled AS (
        INSERT INTO delivery_words (delivery_id, store_id, words)
        SELECT id, store_id, words_of_delivery(
            store_id, recipient_first_name, recipient_last_name, recipient_address, recipient_phone, description, instructions,
            reference)
        FROM next ON CONFLICT DO NOTHING)
    SELECT (SELECT id FROM next ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM next)
$$;

CREATE OR REPLACE FUNCTION fill_words_of_couriers(INOUT place uuid, OUT done bigint)
LANGUAGE sql AS $$
    WITH next AS MATERIALIZED (SELECT * FROM couriers WHERE id > place ORDER BY id LIMIT 1000),
    filled AS (
        INSERT INTO courier_words
        SELECT w.* FROM next, LATERAL (
            SELECT NULL::uuid AS store_id UNION ALL
            -- Whoever ends a partnership meanwhile waits, and takes away what is written here.
            SELECT store_id FROM (SELECT store_id FROM partners p WHERE p.courier_id = next.id FOR KEY SHARE) held) known,
            LATERAL words_of_courier(next::couriers, known.store_id) w
        ON CONFLICT DO NOTHING)
    SELECT (SELECT id FROM next ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM next)
$$;

REVOKE ALL ON FUNCTION
    folded, words_of, searchable, beginning, search_for, mark_of, hidden, words_of_delivery, note_words_of_new_deliveries, note_words_of_edited_delivery, words_of_courier, words_of_one_at_a_time, note_words_of_courier, note_words_of_partner, fill_words_of_deliveries, fill_words_of_couriers FROM PUBLIC;
