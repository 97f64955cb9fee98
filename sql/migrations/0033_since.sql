-- Since when somebody has a job as it is: where a courier went between a delivery and its reopening is in no trail. Of what is carried
-- now that is from here on. Nodes of before leave it out.
ALTER TABLE jobs ADD COLUMN since timestamptz NOT NULL DEFAULT now();
