-- What few may hold at once on all nodes together, such as the streams of a session and the searches of an account. Nobody waits for
-- the disk for it: after a crash of the database each node writes down again what it holds.
CREATE UNLOGGED TABLE seats (
    holder uuid NOT NULL,
    number smallint NOT NULL,
    id uuid NOT NULL,
    -- Has a lock of this number for as long as it lives.
    node integer NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- It is to be given back soon, since somebody waits for one.
    is_recalled boolean NOT NULL DEFAULT false,
    PRIMARY KEY (holder, number)
);
