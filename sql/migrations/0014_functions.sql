-- From here on functions are no part of migrations: each file of sql/functions is replaced as a whole when it has changed,
-- after the migrations. A function whose parameters or results change gets another name, so that nodes of before work on
-- beside it. What nothing of now uses stays for them: the function routes_of, the table housekeeping.
CREATE TABLE schema_functions (
    file text PRIMARY KEY,
    checksum text NOT NULL,
    revision integer NOT NULL,
    replaced_at timestamptz NOT NULL DEFAULT now()
);

-- As the feeds have it: what could not be numbered afterwards would hold up everybody's events.
ALTER TABLE event_journal ADD CONSTRAINT journal_type CHECK (array_to_string(types, ' ') ~ '^([a-z_]+\.[a-z_]+( |$))*$');

-- The newest migration that a binary must know to work on this database. A migration that earlier binaries cannot work with
-- raises it to its own number; beside all others they go on, and one version can be rolled back.
CREATE TABLE schema_least (
    only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT one_least CHECK (only_one),
    migration integer NOT NULL
);
INSERT INTO schema_least (migration) VALUES (14);

-- What is to happen at a time, and when.
CREATE TABLE deadlines (
    kind text NOT NULL,
    subject uuid NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (kind, subject)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX deadlines_by_time ON deadlines (due_at);
