-- Messages for the gateways, each complete in itself, written in the same commit as what they tell of.
CREATE TABLE outbox (
    -- The order in which messages to one address leave.
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL DEFAULT uuid_v7() UNIQUE,
    kind text NOT NULL,
    channel text NOT NULL CONSTRAINT outbox_channel CHECK (channel IN ('push', 'sms', 'email')),
    address text NOT NULL CONSTRAINT outbox_address CHECK (address <> ''),
    platform text CONSTRAINT outbox_platform CHECK ((platform IS NOT NULL) = (channel = 'push')),
    language text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb NOT NULL,
    account_id uuid,
    -- The invite or delivery that it tells of, for withdrawing it when that is no longer true.
    subject uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    -- How often a gateway has had it.
    attempt integer NOT NULL DEFAULT 0 CONSTRAINT outbox_attempt CHECK (attempt >= 0),
    -- When it may be taken: at once, after a pause, or, while a gateway has it, when its lease is over.
    ready_at timestamptz NOT NULL DEFAULT now(),
    -- What the gateway that has it shows.
    lease uuid
);

CREATE INDEX outbox_ready ON outbox (channel, ready_at, seq) WHERE lease IS NULL;
CREATE INDEX outbox_leased ON outbox (channel, ready_at) WHERE lease IS NOT NULL;
CREATE INDEX outbox_of_address ON outbox (channel, address, seq);
-- Messages to one address leave one after the other.
CREATE UNIQUE INDEX one_lease_an_address ON outbox (channel, address) WHERE lease IS NOT NULL;
CREATE INDEX outbox_by_subject ON outbox (subject) WHERE subject IS NOT NULL;

-- Where messages to an account go: to each of its devices, and to its number or e-mail address.
CREATE VIEW message_routes AS
    SELECT d.account_id, 'push' AS channel, d.token AS address, d.platform, a.language
        FROM devices d JOIN accounts a ON a.id = d.account_id WHERE a.notifications_enabled
    UNION ALL
    SELECT c.id, 'sms', c.phone, NULL, a.language FROM couriers c JOIN accounts a ON a.id = c.id
    UNION ALL
    SELECT s.id, 'email', s.email, NULL, a.language FROM stores s JOIN accounts a ON a.id = s.id;
