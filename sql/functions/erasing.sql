-- How accounts step back and return, how they are erased, and how recipients are forgotten.

-- Nobody reaches an account any more, and it reaches nobody: its sessions, devices and invites end, and what a store offers is
-- hidden. Whatever offers or accepts holds the partnership's row, and so either was before this or sees it.
CREATE OR REPLACE FUNCTION step_back(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    void uuid[];
BEGIN
    PERFORM FROM partners WHERE store_id = person ORDER BY courier_id FOR UPDATE;
    PERFORM FROM partners WHERE courier_id = person ORDER BY store_id FOR UPDATE;
    -- Whoever makes an invite or a partner holds these rows.
    PERFORM FROM stores WHERE id = person FOR UPDATE;
    PERFORM FROM couriers WHERE id = person FOR UPDATE;
    UPDATE stores SET off = true WHERE id = person;
    UPDATE couriers SET off = true WHERE id = person;
    UPDATE partners SET store_off = true WHERE store_id = person;
    UPDATE partners SET courier_off = true WHERE courier_id = person;
    WITH revoked AS (
        UPDATE invites SET state = CASE WHEN expires_at > now() THEN 'revoked' ELSE 'expired' END
        WHERE id = ANY (ARRAY(
            SELECT id FROM invites WHERE store_id = person AND state = 'open'
            UNION ALL SELECT id FROM invites WHERE courier_id = person AND state = 'open'
            UNION ALL SELECT i.id FROM couriers c JOIN invites i ON i.phone = c.phone
            WHERE c.id = person AND c.phone_verified AND i.state = 'open'))
        RETURNING id)
    SELECT array_agg(id) INTO void FROM revoked;
    IF void IS NOT NULL THEN PERFORM withdraw('invite', void); END IF;
    DELETE FROM sessions WHERE account_id = person;
    DELETE FROM devices WHERE account_id = person;
    DELETE FROM positions WHERE courier_id = person;
    PERFORM withdraw('delivery_offered', ARRAY(SELECT id FROM deliveries WHERE store_id = person AND status = 'pending'));
    PERFORM withdraw_bulletins(person);
    PERFORM tell_of_offers(person, 'delivery.withdrawn');
END
$$;

-- Takes that back, unless something else still keeps the account away.
CREATE OR REPLACE FUNCTION step_forward(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    IF EXISTS (SELECT FROM accounts WHERE id = person AND (blocked_at IS NOT NULL OR erased_at IS NOT NULL))
        OR EXISTS (SELECT FROM erasures WHERE account_id = person) THEN
        RETURN;
    END IF;
    PERFORM FROM partners WHERE store_id = person ORDER BY courier_id FOR UPDATE;
    PERFORM FROM partners WHERE courier_id = person ORDER BY store_id FOR UPDATE;
    PERFORM FROM stores WHERE id = person FOR UPDATE;
    PERFORM FROM couriers WHERE id = person FOR UPDATE;
    UPDATE stores SET off = false WHERE id = person;
    UPDATE couriers SET off = false WHERE id = person;
    UPDATE partners SET store_off = false WHERE store_id = person;
    UPDATE partners SET courier_off = false WHERE courier_id = person;
    PERFORM tell_of_offers(person, 'delivery.offered');
END
$$;

-- Has those hear of it to whom a store offers something.
CREATE OR REPLACE FUNCTION tell_of_offers(store uuid, type text) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
    INSERT INTO event_journal (accounts, types, delivery_id, seq)
    SELECT offered.to, array_fill(tell_of_offers.type, ARRAY[cardinality(offered.to)]), d.id, d.version
    FROM deliveries d LEFT JOIN delivery_extras x ON x.delivery_id = d.id, LATERAL (SELECT ARRAY(
        SELECT unnest(d.candidates) EXCEPT SELECT unnest(d.declined || d.forfeited || x.waiting)) AS to) offered
    WHERE d.store_id = tell_of_offers.store AND d.status = 'pending' AND offered.to <> '{}'
$$;

-- What a message or an event may keep when its words are gone: of what it told, and of whom.
CREATE OR REPLACE FUNCTION without_words(data jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(data) WHERE key ~ '_id$' OR key IN ('seq', 'type')
$$;

-- Begins to erase an account whose time has come, so that nobody signs in to it again; false if it has come back, or is
-- being erased already.
CREATE OR REPLACE FUNCTION begin_erasing(person uuid) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    former text := coalesce((SELECT phone FROM couriers WHERE id = person), (SELECT email FROM stores WHERE id = person));
BEGIN
    -- Whoever signs in holds this row first, too.
    PERFORM FROM accounts WHERE id = person FOR UPDATE;
    UPDATE erasures SET stage = 'delivered', login = former WHERE account_id = person AND stage IS NULL AND due_at <= now();
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE accounts SET password_hash = '$scrypt$erased', notifications_enabled = false WHERE id = person;
    DELETE FROM partners WHERE store_id = person;
    DELETE FROM partners WHERE courier_id = person;
    DELETE FROM invited_numbers WHERE phone = former
        OR phone = ANY (ARRAY(
            SELECT coalesce(phone, dialled) FROM invites WHERE store_id = person
            UNION ALL SELECT coalesce(phone, dialled) FROM invites WHERE courier_id = person
            UNION ALL SELECT phone FROM invites WHERE redeemed_by = person));
    -- Who worked for a store stays known, and the numbers that it invited do not.
    UPDATE invites SET courier_id = redeemed_by, phone = NULL
        WHERE store_id = person AND phone IS NOT NULL AND redeemed_by IS NOT NULL;
    DELETE FROM invites WHERE store_id = person AND phone IS NOT NULL;
    UPDATE invites SET courier_id = person, phone = NULL WHERE phone = former AND state <> 'open';
    UPDATE invites SET courier_id = person, phone = NULL WHERE redeemed_by = person AND phone IS NOT NULL;
    UPDATE stores SET email = NULL, email_verified = false, tax_id = NULL, name = '', address = '', phone = '',
        lat = NULL, lon = NULL, opening_hours = NULL, wants = '{}' WHERE id = person;
    UPDATE couriers SET first_name = '', last_name = '', phone = NULL, phone_verified = false WHERE id = person;
    DELETE FROM sessions WHERE account_id = person;
    DELETE FROM devices WHERE account_id = person;
    DELETE FROM confirmations WHERE account_id = person;
    DELETE FROM former_places WHERE account_id = person;
    DELETE FROM password_resets WHERE account_id = person;
    DELETE FROM reset_codes WHERE account_id = person;
    DELETE FROM reset_guesses WHERE account_id = person;
    DELETE FROM used_addresses WHERE account_id = person;
    DELETE FROM idempotency_keys WHERE account_id = person;
    DELETE FROM audit_failures WHERE account_id = person;
    UPDATE audit SET address = NULL, who = NULL WHERE account_id = person AND num_nonnulls(address, who) > 0;
    UPDATE cancellations SET reason = known_reason(reason), note = NULL WHERE courier_id = person AND num_nonnulls(reason, note) > 0;
    UPDATE cancellation_reviews SET note = NULL WHERE note IS NOT NULL AND cancellation_id = ANY (ARRAY(
        SELECT id FROM cancellations WHERE courier_id = person));
    UPDATE invites SET message = NULL, dialled = NULL WHERE store_id = person AND num_nonnulls(message, dialled) > 0;
    UPDATE invites SET dialled = NULL WHERE courier_id = person AND dialled IS NOT NULL;
    DELETE FROM gathered_mails WHERE account_id = person;
    DELETE FROM offer_texts WHERE courier_id = person;
    DELETE FROM positions WHERE courier_id = person;
    DELETE FROM trails WHERE courier_id = person;
    DELETE FROM places WHERE account_id = person;
    DELETE FROM credentials WHERE courier_id = person;
    DELETE FROM quick_answers WHERE account_id = person;
    PERFORM show_picture(person, NULL);
    UPDATE accounts SET description = NULL, public_profile = false WHERE id = person;
    PERFORM erase_road(person);
    DELETE FROM bulletins WHERE store_id = person;
    DELETE FROM bulletin_days WHERE store_id = person;
    RETURN true;
END
$$;

-- Erases the next piece of what an account has left behind. When there is no more the account is erased.
CREATE OR REPLACE FUNCTION erase_piece(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    work erasures;
    piece uuid[];
    invited uuid[];
    next_place uuid;
    next_at timestamptz := '-infinity';
BEGIN
    SELECT * INTO work FROM erasures WHERE account_id = person AND stage IS NOT NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    IF work.stage = 'messages' THEN
        piece := ARRAY(SELECT id FROM messages WHERE id > work.place ORDER BY id LIMIT 5000);
        next_place := piece[cardinality(piece)];
        invited := ARRAY(SELECT id FROM invites WHERE courier_id = person);
        PERFORM erase_messages(ARRAY(
            SELECT id FROM messages WHERE id = ANY (piece) AND (account_id = person OR address = work.login
                -- What went to a place that it had before, or only wished for, is about the account, or about an invite to it.
                OR subject = person OR subject = ANY (invited)
                OR data->>'courier_id' = person::text OR data->>'store_id' = person::text)));
    ELSIF work.stage = 'conversations' THEN
        SELECT place, place_at INTO next_place, next_at FROM erase_said(person, work.place, work.place_at);
    ELSIF EXISTS (SELECT FROM stores WHERE id = person) THEN
        piece := ARRAY(
            SELECT id FROM deliveries WHERE store_id = person AND status = work.stage::delivery_status AND id > work.place
            ORDER BY id LIMIT 500);
        next_place := piece[cardinality(piece)];
        UPDATE deliveries SET recipient_first_name = '', recipient_last_name = '', recipient_address = '',
            recipient_phone = NULL, recipient_lat = NULL, recipient_lon = NULL, description = '', instructions = NULL,
            reference = NULL
        WHERE id = ANY (piece);
        UPDATE delivery_extras SET pickup_address = NULL, pickup_lat = NULL, pickup_lon = NULL, pickup_instructions = NULL,
            wishes = NULL, rating = NULL
        WHERE delivery_id = ANY (piece);
        -- Why a courier gave something back stays with that courier.
        UPDATE delivery_history SET reason = CASE actor_kind WHEN 'courier' THEN reason ELSE known_reason(reason) END, note = NULL,
            received_by = NULL, lat = NULL, lon = NULL
        WHERE delivery_id = ANY (piece) AND num_nonnulls(reason, note, received_by, lat) > 0;
        PERFORM erase_disclosures(piece, '');
        PERFORM drop_files(ARRAY(SELECT id FROM files WHERE delivery_id = ANY (piece)));
    ELSIF work.stage = 'delivered' THEN
        piece := ARRAY(
            SELECT delivery_id FROM jobs WHERE courier_id = person AND status = 'delivered' AND delivery_id > work.place
            ORDER BY delivery_id LIMIT 500);
        next_place := piece[cardinality(piece)];
        PERFORM erase_words_of(person, piece);
    ELSE
        -- What it gave back, or brought in vain before somebody else had it, and what was opened again after it had handed it over, of
        -- which a proof has its name. No index tells whose steps those are, so all deliveries are gone through.
        piece := ARRAY(SELECT id FROM deliveries WHERE id > work.place ORDER BY id LIMIT 5000);
        next_place := piece[cardinality(piece)];
        PERFORM erase_words_of(person, ARRAY(
            SELECT DISTINCT delivery_id FROM delivery_history
            WHERE delivery_id = ANY (piece) AND actor_id = person
                AND (action = 'deliver' OR num_nonnulls(reason, note, received_by, lat) > 0)));
    END IF;
    IF next_place IS NOT NULL THEN
        UPDATE erasures SET place = next_place, place_at = next_at WHERE account_id = person;
    ELSIF work.stage = 'messages' THEN
        PERFORM erase_events(person);
        UPDATE accounts SET erased_at = now() WHERE id = person;
        DELETE FROM erasures WHERE account_id = person;
    ELSE
        UPDATE erasures SET place = DEFAULT, place_at = DEFAULT, stage = CASE stage
            WHEN 'delivered' THEN 'cancelled' WHEN 'cancelled' THEN 'conversations' ELSE 'messages' END
        WHERE account_id = person;
    END IF;
END
$$;

-- A reason that is one of ours, which stays when words are erased: nobody wrote it.
CREATE OR REPLACE FUNCTION known_reason(reason text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN reason IN (
        'personal', 'vehicle', 'too_far', 'too_late', 'store_not_ready', 'unsafe', 'other',
        'nobody_home', 'wrong_address', 'refused', 'damaged', 'unreachable') THEN reason END
$$;

-- What somebody wrote about its own steps. Whoever signs what those say holds the delivery, and so is before this, or counts the
-- texts after it (`texts_of_steps`).
CREATE OR REPLACE FUNCTION erase_words_of(person uuid, deliveries uuid[]) RETURNS void
LANGUAGE sql AS $$
    SELECT FROM deliveries d WHERE d.id = ANY (erase_words_of.deliveries) ORDER BY d.id FOR NO KEY UPDATE;
    UPDATE delivery_history SET reason = known_reason(reason), note = NULL, received_by = NULL, lat = NULL, lon = NULL
    WHERE delivery_id = ANY (deliveries) AND actor_id = person AND num_nonnulls(reason, note, received_by, lat) > 0;
    SELECT erase_disclosures(deliveries, '^/(courier|steps)/')
$$;

-- An account's own events name nobody any more, and those of others do without its name. What is being numbered meanwhile is
-- waited for.
CREATE OR REPLACE FUNCTION erase_events(person uuid) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    UPDATE event_journal SET data = without_words(data) WHERE person::text IN (data->>'courier_id', data->>'store_id');
    UPDATE events SET data = without_words(data) WHERE data->>'courier_id' = person::text;
    UPDATE events SET data = without_words(data) WHERE data->>'store_id' = person::text;
    UPDATE events SET data = without_words(data) WHERE account_id = person AND data IS NOT NULL;
END
$$;

-- Takes the words out of messages. Those that wait are not sent.
CREATE OR REPLACE FUNCTION erase_messages(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    waiting uuid[];
BEGIN
    waiting := ARRAY(
        SELECT CASE WHEN lease IS NULL OR ready_at <= clock_timestamp() THEN id END
        FROM message_queue WHERE id = ANY (ids) ORDER BY id FOR UPDATE);
    UPDATE message_queue SET expires_at = clock_timestamp() WHERE id = ANY (ids) AND id <> ALL (array_remove(waiting, NULL));
    DELETE FROM message_queue WHERE id = ANY (waiting);
    UPDATE messages_dead SET reason = 'erased', has_code = false WHERE id = ANY (ids);
    UPDATE messages SET address = '-', title = '', body = '', sms = NULL, data = without_words(data) WHERE id = ANY (ids);
END
$$;

-- From when on deliveries that are over still tell their recipient.
CREATE OR REPLACE FUNCTION recipients_begin() RETURNS timestamptz
LANGUAGE sql STABLE AS $$ SELECT now() - make_interval(days => recipient_days) FROM trust WHERE only_one $$;

-- Erases recipients of deliveries that ended long ago, some at a time; gives how many. Of where one was stays the cell of about a
-- kilometre, by its middle, for figures: those of a day are the same whenever they are counted.
CREATE OR REPLACE FUNCTION forget_recipients() RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    kept_since constant timestamptz := recipients_begin();
    past uuid[] := ARRAY(
        SELECT id FROM deliveries
        WHERE coalesce(delivered_at, cancelled_at) < kept_since AND coalesce(delivered_at, cancelled_at) IS NOT NULL
            AND recipient_first_name <> ''
        ORDER BY coalesce(delivered_at, cancelled_at) LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED);
BEGIN
    UPDATE deliveries SET recipient_first_name = '', recipient_last_name = '', recipient_address = '',
        recipient_phone = NULL, recipient_lat = middle_of_cell(recipient_lat, 180), recipient_lon = middle_of_cell(recipient_lon, 360)
    WHERE id = ANY (past);
    UPDATE delivery_extras SET wishes = NULL, rating = NULL WHERE delivery_id = ANY (past) AND num_nonnulls(wishes, rating) > 0;
    -- At the door recipients and their neighbours are called by their names.
    UPDATE delivery_history SET note = NULL, received_by = NULL, lat = NULL, lon = NULL
    WHERE delivery_id = ANY (past) AND num_nonnulls(note, received_by, lat) > 0;
    PERFORM erase_disclosures(past, '^/(?!courier/|store_name$)');
    RETURN cardinality(past);
END
$$;

REVOKE ALL ON FUNCTION
    step_back, step_forward, tell_of_offers, without_words, begin_erasing, erase_piece, known_reason, erase_words_of, erase_events,
    erase_messages, recipients_begin, forget_recipients FROM PUBLIC;
