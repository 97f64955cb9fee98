-- When two places are the same, and by which words one is found. A recipient is a place as well.

CREATE OR REPLACE FUNCTION place_sameness(name text, address text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(
        regexp_replace(folded(name), '\s', '', 'g') || E'\n' || regexp_replace(folded(address), '\s', '', 'g'), 'UTF8'))
$$;

-- All are somebody's own, so that nobody's mark stands before them.
CREATE OR REPLACE FUNCTION place_words(name text, address text, phone text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT searchable('', name || ' ' || address, phone) $$;

REVOKE ALL ON FUNCTION
    place_sameness, place_words FROM PUBLIC;
