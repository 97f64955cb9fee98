-- What it may cost.

-- The rules that hold for everybody, as the node that started last has them. A bound that is null is lifted.
CREATE TABLE trust (
    only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT trust_is_one CHECK (only_one),
    -- How the numbers begin that SMS go to, and how those of them that none ever goes to.
    sms_begins text[] NOT NULL,
    sms_never text[] NOT NULL,
    -- How many SMS: of a store and to a number in a day, and of all in an hour.
    sms_of_store integer CONSTRAINT trust_sms_of_store CHECK (sms_of_store > 0),
    sms_to_number integer CONSTRAINT trust_sms_to_number CHECK (sms_to_number > 0),
    sms_in_all integer CONSTRAINT trust_sms_in_all CHECK (sms_in_all > 0),
    -- All rules in words, each by its name.
    shown jsonb NOT NULL
);
INSERT INTO trust (sms_begins, sms_never, sms_of_store, sms_to_number, sms_in_all, shown)
    VALUES ('{+385}', '{+3856,+38572}', 100, 5, 1000, '{}');

-- Who wants no SMS.
CREATE TABLE sms_stops (
    phone text PRIMARY KEY CONSTRAINT stopped_phone CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    at timestamptz NOT NULL DEFAULT now()
);

-- What is left for SMS: `drained_at` is when a bucket that leaks steadily will be empty again. It outlives a crash and a
-- fail-over, since it is somebody's money.
CREATE TABLE sms_budgets (
    -- Of all, of a store, or to a number: what its own account needs, and what strangers cause.
    kind text NOT NULL CONSTRAINT sms_budget_kind CHECK (kind IN ('all', 'own', 'store', 'stranger')),
    -- Hashed, since it may be somebody's number.
    subject bytea NOT NULL CONSTRAINT sms_budget_subject_is_hashed CHECK (length(subject) = 32),
    drained_at timestamptz NOT NULL,
    -- How much of it was used when that was last told, in percent.
    told smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, subject)
);
CREATE INDEX sms_budgets_by_end ON sms_budgets (drained_at);

-- Whether an operator has let a new store begin, where stores have to wait for that. Sessions remember it.
ALTER TABLE accounts ADD COLUMN approved boolean NOT NULL DEFAULT true;
CREATE TRIGGER approval_speaks_otherwise AFTER UPDATE OF approved ON accounts
    FOR EACH ROW WHEN (OLD.approved <> NEW.approved) EXECUTE FUNCTION account_speaks_otherwise();

-- Who caused an SMS, if it was not what the number's own account needs: a stranger, or one who waits for the answer and is
-- refused where it cannot be sent. And what a message says by SMS, should its push not arrive.
ALTER TABLE messages ADD COLUMN cause text, ADD COLUMN sms text,
    ADD CONSTRAINT message_cause CHECK (cause IN ('stranger', 'asked'));
