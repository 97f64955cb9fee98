-- Conversations of stores and couriers, and what accounts show of themselves.

-- One for a pair, for ever. Whatever is done in it holds its row, so that its numbers follow each other without a gap.
CREATE TABLE conversations (
    id uuid PRIMARY KEY,
    store_id uuid NOT NULL REFERENCES stores,
    courier_id uuid NOT NULL REFERENCES couriers,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Whether the two are partners, and neither is off. A trigger on their partnership keeps it.
    is_open boolean NOT NULL,
    -- Whether the courier hears nothing more of the store.
    blocked boolean NOT NULL DEFAULT false,
    last_seq integer NOT NULL DEFAULT 0,
    -- When the last message came, or it began.
    latest_at timestamptz NOT NULL DEFAULT now(),
    store_hidden boolean NOT NULL DEFAULT false,
    courier_hidden boolean NOT NULL DEFAULT false,
    store_muted boolean NOT NULL DEFAULT false,
    courier_muted boolean NOT NULL DEFAULT false,
    -- How far each has read, when it last said so, and how many of the other's messages it has not read that are still there.
    store_read integer NOT NULL DEFAULT 0,
    courier_read integer NOT NULL DEFAULT 0,
    store_read_at timestamptz,
    courier_read_at timestamptz,
    store_unread integer NOT NULL DEFAULT 0,
    courier_unread integer NOT NULL DEFAULT 0,
    CONSTRAINT conversation_of_pair UNIQUE (store_id, courier_id),
    CONSTRAINT conversation_read CHECK (
        store_read BETWEEN 0 AND last_seq AND courier_read BETWEEN 0 AND last_seq),
    CONSTRAINT conversation_unread CHECK (
        store_unread BETWEEN 0 AND last_seq - store_read AND courier_unread BETWEEN 0 AND last_seq - courier_read)
) WITH (fillfactor = 70);
CREATE INDEX conversations_of_store ON conversations (store_id, store_hidden, latest_at, id);
CREATE INDEX conversations_of_courier ON conversations (courier_id, courier_hidden, latest_at, id);
-- What is exported and erased goes by their ids.
CREATE INDEX conversations_of_store_by_id ON conversations (store_id, id);
CREATE INDEX conversations_of_courier_by_id ON conversations (courier_id, id);
-- Those that a bar counts.
CREATE INDEX conversations_store_unread ON conversations (store_id) WHERE store_unread > 0;
CREATE INDEX conversations_courier_unread ON conversations (courier_id) WHERE courier_unread > 0;

-- What was said. Times follow the numbers, so that a page is one range of the index; a week is dropped as a whole.
CREATE TABLE conversation_messages (
    conversation_id uuid NOT NULL,
    at timestamptz NOT NULL,
    seq integer NOT NULL CONSTRAINT said_seq CHECK (seq > 0),
    -- Its time is `at`.
    id uuid NOT NULL,
    from_store boolean NOT NULL,
    text text CONSTRAINT said_text CHECK (text <> '' AND octet_length(text) <= 8000),
    -- What it is about.
    delivery_id uuid,
    file_id uuid,
    file_width integer,
    file_height integer,
    deleted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (conversation_id, at, seq),
    CONSTRAINT said_something CHECK (deleted = (num_nonnulls(text, file_id) = 0) AND NOT (deleted AND delivery_id IS NOT NULL)),
    CONSTRAINT said_picture CHECK (num_nulls(file_id, file_width, file_height) IN (0, 3))
) PARTITION BY RANGE (at);

-- What an account shows of itself.
ALTER TABLE accounts
    ADD COLUMN picture uuid,
    ADD COLUMN description text CONSTRAINT account_description CHECK (description <> '' AND octet_length(description) <= 2000),
    -- Whether stores that it does not work with see it, too.
    ADD COLUMN public_profile boolean NOT NULL DEFAULT false;

-- What an account answers often, in its own words.
CREATE TABLE quick_answers (
    account_id uuid PRIMARY KEY REFERENCES accounts,
    texts text[] NOT NULL CONSTRAINT quick_answer_texts CHECK (
        cardinality(texts) <= 12 AND octet_length(array_to_string(texts, '')) <= 9600)
);

-- Pictures hang on a step of a delivery, on a message, or on a profile.
ALTER TABLE files
    ADD COLUMN conversation_id uuid,
    ADD COLUMN profile_id uuid,
    ADD CONSTRAINT file_hangs_on_one CHECK (num_nonnulls(delivery_id, conversation_id, profile_id) <= 1);
DROP INDEX files_loose;
CREATE INDEX files_on_nothing ON files (id) WHERE coalesce(delivery_id, conversation_id, profile_id) IS NULL;
DROP INDEX files_to_move;
CREATE INDEX files_hung_to_move ON files (id)
    WHERE coalesce(delivery_id, conversation_id, profile_id) IS NOT NULL AND place <> 'there';

-- How far an account's messages are erased in the conversation where that goes on.
ALTER TABLE erasures
    ADD COLUMN place_at timestamptz NOT NULL DEFAULT '-infinity',
    DROP CONSTRAINT erasure_stage,
    ADD CONSTRAINT erasure_stage CHECK (stage IN ('delivered', 'cancelled', 'conversations', 'messages'));

CREATE FUNCTION conversation_opens_or_ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER conversation_opens_or_ends AFTER INSERT OR DELETE OR UPDATE OF store_off, courier_off ON partners
    FOR EACH ROW EXECUTE FUNCTION conversation_opens_or_ends();
REVOKE ALL ON FUNCTION conversation_opens_or_ends FROM PUBLIC;

-- Makes the partitions that are needed first; sql/functions/talk.sql has what goes on with it.
CREATE FUNCTION conversation_partitions(days integer) RETURNS boolean
LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
    week date;
    part text;
BEGIN
    FOR week IN SELECT generate_series(date_trunc('week', now()), now() + interval '4 weeks', '1 week') LOOP
        part := 'conversation_messages' || to_char(week, '_YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE conversation_messages INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
        EXECUTE format(
            'ALTER TABLE conversation_messages ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, week, week + 7);
    END LOOP;
    RETURN false;
END
$$;
REVOKE ALL ON FUNCTION conversation_partitions FROM PUBLIC;
SELECT conversation_partitions(365);
