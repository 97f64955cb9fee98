-- What later migrations stand on.

-- History is written once. A table that holds it takes this trigger, so that not even a hand at psql rewrites it:
--
--   CREATE TRIGGER never_rewritten BEFORE UPDATE OR DELETE OR TRUNCATE ON delivery_history
--       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--
-- By statement, so that a change which meets no row is refused too, and so that TRUNCATE is seen at all.
-- What has grown old leaves by dropping its partition, which fires no trigger.
CREATE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is never rewritten: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_never_rewritten', TABLE = TG_TABLE_NAME;
END
$$;

COMMENT ON FUNCTION refuse_change() IS 'Trigger of tables that hold history: refuses to change or remove a row.';
