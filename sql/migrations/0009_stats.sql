-- What a store's figures count.
CREATE INDEX cancellations_of_store ON cancellations (store_id, at);
