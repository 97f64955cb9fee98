import Domain
import Postgres
import Services

/// What is known of a field's weather, and whether somebody asks for it.
struct KnownWeather: Sendable {
    /// Whether it was asked for within a minute, so that it is not asked for again.
    let isRecent: Bool
    /// Whether that has come to an end, or will not any more: nobody asks for so long.
    let isAnswered: Bool
    /// What was told within six hours.
    let forecast: KeptForecast?
}

/// Finds what is known of a field's weather.
struct FindWeather: Statement {
    static let sql = """
        SELECT asked_at > now() - interval '60 seconds', answered_at IS NOT NULL OR asked_at < now() - interval '4 seconds', told.*
        FROM weather w LEFT JOIN LATERAL (
            SELECT w.source, w.fetched_at, w.fetched_at < w.asked_at, w.time_zone, w.forecast, w.ahead
            WHERE w.fetched_at > now() - interval '6 hours') told ON true
        WHERE lat = $1 AND lon = $2
        """
    static let isReadOnly = true
    let field: WeatherField

    func bind(into parameters: inout Parameters) { field.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> KnownWeather {
        let (isRecent, isAnswered): (Bool, Bool) = (try row.read(), try row.read())
        return KnownWeather(
            isRecent: isRecent, isAnswered: isAnswered, forecast: row.isNextNull() ? nil : try KeptForecast(&row))
    }
}

/// Takes it upon whoever runs it to ask for a field's weather, unless it has been asked for within a minute, by whatever node.
struct ClaimWeather: Statement {
    static let sql = """
        INSERT INTO weather AS w (lat, lon, asked_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (lat, lon) DO UPDATE SET asked_at = EXCLUDED.asked_at, answered_at = NULL
        WHERE w.asked_at <= clock_timestamp() - interval '60 seconds'
        RETURNING true
        """
    let field: WeatherField

    func bind(into parameters: inout Parameters) { field.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Keeps what a source told, with what the clocks of the place show at each hour. A time zone that nobody knows is refused.
struct KeepWeather: Statement {
    static let sql = """
        UPDATE weather SET answered_at = clock_timestamp(), fetched_at = clock_timestamp(), source = $3, time_zone = $4,
            forecast = $5, ahead = ARRAY(
                SELECT extract(epoch FROM (to_timestamp(at) AT TIME ZONE $4) - (to_timestamp(at) AT TIME ZONE 'UTC'))::integer
                FROM unnest($6::bigint[]) WITH ORDINALITY AS hours(at, nth) ORDER BY nth)
        WHERE lat = $1 AND lon = $2
        """
    let field: WeatherField
    let source: String
    let forecast: Forecast

    func bind(into parameters: inout Parameters) {
        field.bind(into: &parameters)
        parameters.add(source)
        parameters.add(forecast.timeZone)
        parameters.add(Bytes(forecast.kept))
        parameters.add(forecast.hours.map { Int64($0.at) })
    }
}

/// Notes that the source has told nothing.
struct NoteNoWeather: Statement {
    static let sql = "UPDATE weather SET answered_at = clock_timestamp() WHERE lat = $1 AND lon = $2"
    let field: WeatherField

    func bind(into parameters: inout Parameters) { field.bind(into: &parameters) }
}

/// Forgets weather that nobody may be told any more. Says whether there may be more.
package struct ForgetWeather: Statement {
    package static let sql = """
        WITH gone AS (
            DELETE FROM weather WHERE (lat, lon) IN (
                SELECT lat, lon FROM weather WHERE asked_at < now() - interval '6 hours'
                ORDER BY asked_at LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1)
        SELECT count(*) = 500 FROM gone
        """

    package init() {}

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

extension WeatherField {
    fileprivate func bind(into parameters: inout Parameters) {
        parameters.add(Int32(lat))
        parameters.add(Int32(lon))
    }
}
