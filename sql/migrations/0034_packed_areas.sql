-- The same numbers one behind the other, since arrays are sent number by number and bytes as they are. Days that were kept before have
-- none; nodes of before read the arrays.
ALTER TABLE area_days ADD COLUMN packed bytea;
ALTER TABLE area_days ALTER COLUMN packed SET STORAGE EXTERNAL;
