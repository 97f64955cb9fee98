-- Who was a partner is asked of the invites that it redeemed.
INSERT INTO schema_indexes (name, definition) VALUES
    ('invites_redeemed', 'invites (redeemed_by, store_id) WHERE redeemed_by IS NOT NULL');
