-- Since when a courier has been on duty, by its own word; a duty that began by `duty_until` began then. Where it was before is nobody's
-- business, however late its phone says it. It is not known of who was on duty before this.
ALTER TABLE couriers ADD COLUMN duty_since timestamptz;

-- The number that a store invited, where it is somebody's: whose, it learns when that courier accepts.
ALTER TABLE invites ADD COLUMN dialled text CONSTRAINT invite_dialled CHECK (dialled ~ '^\+[1-9][0-9]{6,14}$');
