-- What is open stands in the couriers' lists from the first moment: only what is over waits until `fill_places` comes to it.
-- Deliveries are taken in the order in which all others take them.
WITH open AS MATERIALIZED (
    SELECT id, status, due_at, delivered_at, cancelled_at FROM deliveries WHERE status IN ('pending', 'in_progress')
    ORDER BY id FOR NO KEY UPDATE)
UPDATE jobs j SET place = place_in_list(open.status, due_at, delivered_at, cancelled_at)
FROM open WHERE j.delivery_id = open.id AND j.status = open.status AND j.place IS NULL;
