-- A statement that writes a row reads all checks of its table anew, so they say in fewer words what they said. What stands there was
-- held to it, and need not be looked through.
ALTER TABLE deliveries
    DROP CONSTRAINT delivery_first_name, DROP CONSTRAINT delivery_last_name, DROP CONSTRAINT delivery_address,
    DROP CONSTRAINT delivery_description, DROP CONSTRAINT delivery_lat, DROP CONSTRAINT delivery_lon,
    DROP CONSTRAINT delivery_has_courier, DROP CONSTRAINT delivery_accepted_at,
    ADD CONSTRAINT delivery_texts CHECK (
        status = ANY ('{delivered,cancelled}')
        OR '' <> ALL (ARRAY[recipient_first_name, recipient_last_name, recipient_address, description])) NOT VALID,
    ADD CONSTRAINT delivery_first_name CHECK (octet_length(recipient_first_name) <= 240) NOT VALID,
    ADD CONSTRAINT delivery_last_name CHECK (octet_length(recipient_last_name) <= 240) NOT VALID,
    ADD CONSTRAINT delivery_address CHECK (octet_length(recipient_address) <= 800) NOT VALID,
    ADD CONSTRAINT delivery_description CHECK (octet_length(description) <= 4000) NOT VALID,
    ADD CONSTRAINT delivery_lat CHECK (abs(recipient_lat) <= '90') NOT VALID,
    ADD CONSTRAINT delivery_lon CHECK (abs(recipient_lon) <= '180') NOT VALID,
    ADD CONSTRAINT delivery_has_courier CHECK (status = 'cancelled' OR (courier_id IS NULL) = (status = 'pending')) NOT VALID,
    ADD CONSTRAINT delivery_accepted_at CHECK (status = 'cancelled' OR (accepted_at IS NULL) = (courier_id IS NULL)) NOT VALID;
ALTER TABLE couriers
    DROP CONSTRAINT courier_first_name, DROP CONSTRAINT courier_last_name, DROP CONSTRAINT courier_accepted,
    DROP CONSTRAINT courier_delivered, DROP CONSTRAINT courier_cancelled, DROP CONSTRAINT courier_declined,
    DROP CONSTRAINT courier_excused, DROP CONSTRAINT courier_ratings, DROP CONSTRAINT courier_mean_stars,
    DROP CONSTRAINT courier_share_position,
    ADD CONSTRAINT courier_names CHECK (off OR '' <> ALL (ARRAY[first_name, last_name])) NOT VALID,
    ADD CONSTRAINT courier_first_name CHECK (octet_length(first_name) <= 240) NOT VALID,
    ADD CONSTRAINT courier_last_name CHECK (octet_length(last_name) <= 240) NOT VALID,
    ADD CONSTRAINT courier_counts CHECK (least(accepted, delivered, cancelled, declined, excused, ratings) >= 0) NOT VALID,
    ADD CONSTRAINT courier_mean_stars CHECK (mean_stars BETWEEN '1' AND '5') NOT VALID,
    ADD CONSTRAINT courier_share_position CHECK (share_position = ANY ('{always,carrying}')) NOT VALID;
ALTER TABLE delivery_history
    DROP CONSTRAINT history_action, DROP CONSTRAINT history_actor, DROP CONSTRAINT history_lat, DROP CONSTRAINT history_lon,
    ADD CONSTRAINT history_action CHECK (action = ANY (
        '{create,edit,accept,decline,pick_up,fail,deliver,cancel,reassign,reopen,offer,release,withdraw}')) NOT VALID,
    ADD CONSTRAINT history_actor CHECK (actor_kind = ANY ('{store,courier}')) NOT VALID,
    ADD CONSTRAINT history_lat CHECK (abs(lat) <= '90') NOT VALID,
    ADD CONSTRAINT history_lon CHECK (abs(lon) <= '180') NOT VALID;
