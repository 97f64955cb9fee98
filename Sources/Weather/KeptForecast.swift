import API
import Domain
import HTTP
import Postgres
import Services

/// What a source told last, as it is kept.
struct KeptForecast: Sendable {
    let source: String
    let fetchedAt: Timestamp
    /// Whether it has been asked for again since, in vain so far.
    let isStale: Bool
    let forecast: Forecast
    /// By how many seconds the clocks of the place are ahead of UTC, hour by hour.
    let ahead: [Int]

    init(source: String, fetchedAt: Timestamp, isStale: Bool, _ forecast: Forecast, ahead: [Int]) {
        (self.source, self.fetchedAt, self.isStale) = (source, fetchedAt, isStale)
        (self.forecast, self.ahead) = (forecast, ahead)
    }

    /// Reads the columns of ``FindWeather`` from its source on.
    init(_ row: inout RowReader) throws {
        (source, fetchedAt, isStale) = (try row.read(), try row.read(), try row.read())
        let (zone, bytes): (String, Bytes) = (try row.read(), try row.read())
        ahead = (try row.read() as [Int32]).map { Int($0) }
        guard let json = JSON(bytes.bytes), let forecast = Forecast(kept: json, timeZone: zone),
            forecast.hours.count == ahead.count
        else { throw PostgresError.unexpected("a forecast that is none") }
        self.forecast = forecast
    }
}

/// How a forecast is kept: each weather as a list.
extension Forecast {
    /// The forecast as JSON.
    var kept: [UInt8] {
        let days = days.sorted { $0.key < $1.key }.map { number, range in
            JSON.array([.integer(Int(number)), Self.json(range.high), Self.json(range.low), Self.json(range.code)])
        }
        return JSON.object([
            "current": current.map { .array($0.kept) } ?? .null,
            "hours": .array(hours.map { .array([.integer($0.at)] + $0.weather.kept) }), "days": .array(days),
        ]).bytes
    }

    /// The forecast as it was kept; nil if that was something else.
    init?(kept json: JSON, timeZone: String) {
        guard case .object(let members) = json, let hours = members["hours"]?.items, let days = members["days"]?.items
        else { return nil }
        var ranges: [Int64: DayRange] = [:]
        for day in days {
            guard let day = day.items, day.count == 4, let number = day[0].amount else { return nil }
            ranges[Int64(number)] = DayRange(
                high: day[1].amount, low: day[2].amount, code: day[3].amount.map { Int($0) })
        }
        self.init(
            timeZone: timeZone, current: members["current"]?.items.flatMap { Reading(kept: $0[...]) },
            hours: hours.compactMap { hour in
                guard let hour = hour.items, let at = hour.first?.amount, let weather = Reading(kept: hour.dropFirst())
                else { return nil }
                return Hour(Int(at), weather)
            }, days: ranges)
    }

    fileprivate static func json(_ number: Double?) -> JSON { number.map { .number($0) } ?? .null }
    private static func json(_ number: Int?) -> JSON { number.map { .integer($0) } ?? .null }
}

extension Reading {
    fileprivate var kept: [JSON] {
        [temperature, chance, amount, humidity, wind].map(Forecast.json) + [code.map { .integer($0) } ?? .null]
    }

    fileprivate init?(kept: ArraySlice<JSON>) {
        guard kept.count == 6 else { return nil }
        let values = kept.map(\.amount)
        self.init(
            temperature: values[0], chance: values[1], amount: values[2], humidity: values[3], wind: values[4],
            code: values[5].map { Int($0) })
    }
}

extension JSON {
    fileprivate var items: [JSON]? {
        guard case .array(let items) = self else { return nil }
        return items
    }

    fileprivate var amount: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
