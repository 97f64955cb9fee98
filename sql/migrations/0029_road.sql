-- Reports of the road, and the weather of places.

CREATE TABLE road_reports (
    id uuid PRIMARY KEY,
    kind text NOT NULL CONSTRAINT road_kind CHECK (kind IN ('radar_stationary', 'radar_announced', 'border_crossing', 'roadworks',
        'closure', 'congestion', 'goods_vehicle_ban', 'rockfall', 'accident', 'black_ice', 'danger')),
    road_type text CONSTRAINT road_type CHECK (road_type IN ('motorway', 'border_crossing', 'city', 'main', 'regional')),
    title text NOT NULL CONSTRAINT road_title CHECK (title <> '' AND octet_length(title) <= 480),
    text text CONSTRAINT road_text CHECK (text <> '' AND octet_length(text) <= 4000),
    road text CONSTRAINT road_name CHECK (road <> '' AND octet_length(road) <= 480),
    department text CONSTRAINT road_department CHECK (department <> '' AND octet_length(department) <= 480),
    lat double precision NOT NULL CONSTRAINT road_lat CHECK (lat BETWEEN -90 AND 90),
    lon double precision NOT NULL CONSTRAINT road_lon CHECK (lon BETWEEN -180 AND 180),
    place point NOT NULL GENERATED ALWAYS AS (point(lon, lat)) STORED,
    -- Who reported it; nobody where a source did.
    author_id uuid,
    source text CONSTRAINT road_source CHECK (source <> '' AND octet_length(source) <= 400),
    source_id text CONSTRAINT road_source_id CHECK (source_id <> '' AND octet_length(source_id) <= 800),
    valid_from timestamptz NOT NULL,
    -- Without end where there is none.
    valid_until timestamptz,
    -- When it was removed, by those who voted or by its source.
    gone_at timestamptz,
    gone_by text CONSTRAINT road_gone_by CHECK (gone_by IN ('votes', 'source')),
    gone_votes integer NOT NULL DEFAULT 0 CONSTRAINT road_gone_votes CHECK (gone_votes BETWEEN 0 AND 5),
    still_there_votes integer NOT NULL DEFAULT 0,
    -- Whether searches look at it. What has come to its end by itself is taken out soon after.
    is_listed boolean NOT NULL DEFAULT true,
    CONSTRAINT road_condition_has_type CHECK (road_type IS NOT NULL OR kind IN ('radar_stationary', 'radar_announced')),
    CONSTRAINT road_has_whole_source CHECK ((source IS NULL) = (source_id IS NULL)),
    CONSTRAINT road_gone_for_a_reason CHECK ((gone_at IS NULL) = (gone_by IS NULL)),
    CONSTRAINT road_gone_is_not_listed CHECK (gone_at IS NULL OR NOT is_listed),
    CONSTRAINT road_once_a_source UNIQUE (source, source_id)
);
-- What is over is nine of ten after a while, and in no search's way.
CREATE INDEX road_reports_by_place ON road_reports USING gist (place) WHERE is_listed;
CREATE INDEX road_reports_by_end ON road_reports (valid_until) WHERE is_listed AND valid_until IS NOT NULL;
CREATE INDEX road_reports_over ON road_reports (coalesce(gone_at, valid_until)) WHERE NOT is_listed;
CREATE INDEX road_reports_by_author ON road_reports (author_id, id) WHERE author_id IS NOT NULL;

-- Who said what of a report. Each account says each of the two once.
CREATE TABLE road_votes (
    report_id uuid NOT NULL REFERENCES road_reports ON DELETE CASCADE,
    account_id uuid NOT NULL,
    vote text NOT NULL CONSTRAINT road_vote CHECK (vote IN ('gone', 'still_there')),
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (report_id, account_id, vote)
);
CREATE INDEX road_votes_by_account ON road_votes (account_id, report_id, vote);

-- The weather of places, as a source far away told it last. A place is a field of 0.02 degrees each way.
CREATE TABLE weather (
    lat smallint NOT NULL CONSTRAINT weather_lat CHECK (lat BETWEEN -4500 AND 4500),
    lon smallint NOT NULL CONSTRAINT weather_lon CHECK (lon BETWEEN -9000 AND 9000),
    -- When a node began to ask last: whoever sets it is the one who asks. Until it has been told, this has no end.
    asked_at timestamptz NOT NULL,
    answered_at timestamptz,
    -- What was told last, and when.
    fetched_at timestamptz,
    source text,
    time_zone text,
    forecast bytea CONSTRAINT weather_forecast CHECK (octet_length(forecast) <= 262144),
    -- By how many seconds the place's clocks are ahead of UTC at each hour of the forecast.
    ahead integer[],
    PRIMARY KEY (lat, lon),
    CONSTRAINT weather_is_whole CHECK (num_nulls(fetched_at, source, time_zone, forecast, ahead) IN (0, 5))
);
CREATE INDEX weather_by_age ON weather (asked_at);
