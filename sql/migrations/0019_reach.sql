-- Reaching people: browsers, who is on duty, what was missed, and who was told.

CREATE SEQUENCE queue_start_webpush MINVALUE 0;
CREATE SEQUENCE queue_look_webpush MINVALUE 0;
INSERT INTO channel_claims VALUES ('webpush', '-infinity');
UPDATE message_queue q SET channel = 'webpush' FROM messages m
    WHERE q.channel = 'push' AND m.id = q.id AND m.created_at = q.created_at AND m.platform = 'webpush';

-- A browser's device is called as its page calls it, while `token` is where messages go: the endpoint.
ALTER TABLE devices ADD COLUMN name text CONSTRAINT device_name CHECK (name <> '' AND octet_length(name) <= 1024);

-- Keys that all nodes share, sealed with one that follows from their secret.
CREATE TABLE server_keys (
    purpose text PRIMARY KEY,
    sealed bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);

-- Whether a courier wants offers; from `duty_until` on it is the other way round.
ALTER TABLE couriers ADD COLUMN on_duty boolean NOT NULL DEFAULT true, ADD COLUMN duty_until timestamptz;

-- After how long a store is told that nobody accepts.
ALTER TABLE stores ADD COLUMN alert_after_minutes smallint NOT NULL DEFAULT 10
    CONSTRAINT store_alert_after CHECK (alert_after_minutes BETWEEN 1 AND 240);

-- When it is to be delivered; and when its store is told that nobody accepts, or it and the courier that it is late. What was
-- told has no such time any more.
ALTER TABLE deliveries ADD COLUMN window_from timestamptz, ADD COLUMN due_at timestamptz,
    ADD COLUMN alert_at timestamptz, ADD COLUMN late_at timestamptz,
    ADD CONSTRAINT delivery_window CHECK (window_from < due_at);
CREATE INDEX deliveries_unaccepted ON deliveries (alert_at) WHERE status = 'pending' AND alert_at IS NOT NULL;
CREATE INDEX deliveries_late ON deliveries (late_at) WHERE status IN ('pending', 'in_progress') AND late_at IS NOT NULL;

-- Who was told of what.
CREATE INDEX messages_by_subject ON messages (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX messages_done_by_id ON messages_done (id);

-- What needs a store's hand goes by e-mail to one without a device: at once, and what follows is gathered. `carrier` is the
-- mail that waits until the next one may go.
CREATE TABLE gathered_mails (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    next_at timestamptz NOT NULL,
    carrier uuid,
    more integer NOT NULL DEFAULT 0
);
ALTER TABLE messages ADD COLUMN carried_by uuid;

-- Whether couriers without a device get offers by SMS; and to whom one is due.
ALTER TABLE trust ADD COLUMN offers_by_sms boolean NOT NULL DEFAULT false;
CREATE TABLE offer_texts (
    courier_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    -- The store whose offer made it due, whose budget it is taken from.
    store_id uuid NOT NULL,
    due_at timestamptz,
    sent_at timestamptz
);
CREATE INDEX offer_texts_due ON offer_texts (due_at) WHERE due_at IS NOT NULL;
