import Curl
import Domain
import HTTP

/// Open-Meteo, as at open-meteo.com or on a server of one's own.
///
/// It is asked for times as seconds since 1970: those that it writes out are of one distance from UTC throughout, so that they are an hour
/// off behind a change of the clocks. Others that speak like it may write them out all the same, which is understood as well.
enum OpenMeteo: WeatherLanguage {
    static let bounds = RemoteService.Bounds(atOnce: 8, waiting: 256, seconds: 3)
    static let usualURL = "https://api.open-meteo.com"

    /// From yesterday on, since today begins there while it is still yesterday here; one day more than is told, for the same reason.
    static func path(at place: Location) -> String {
        let reading = "temperature_2m,relative_humidity_2m,precipitation,weather_code,wind_speed_10m"
        return "/v1/forecast?latitude=\(place.lat)&longitude=\(place.lon)&timezone=auto&timeformat=unixtime"
            + "&wind_speed_unit=kmh&past_days=1&forecast_days=9&current=\(reading)"
            + "&hourly=\(reading),precipitation_probability&daily=weather_code,temperature_2m_max,temperature_2m_min"
    }

    static func forecast(in answer: JSON, at place: Location) throws -> Forecast {
        try checkPlace(in: answer, place)
        for part in ["current", "hourly", "daily"] { try checkUnits(answer[part + "_units"]) }
        guard let zone = answer["timezone"]?.text, isName(zone), let hourly = answer["hourly"],
            let times = hourly["time"]?.list, (1...400).contains(times.count)
        else { throw NotUnderstood() }
        let ahead = try offset(answer["utc_offset_seconds"])
        let series = try Series(hourly, count: times.count)
        let hours = try times.enumerated().map { place, time in
            Forecast.Hour(try seconds(time, ahead: ahead), try series.weather(at: place))
        }
        // Hours follow each other, whatever clocks do.
        let isWhole = zip(hours, hours.dropFirst()).allSatisfy { $1.at - $0.at == 3600 }
        guard isWhole || !isNumber(times[0]) else { throw NotUnderstood() }
        let even = isWhole ? hours : hours.enumerated().map { Forecast.Hour(hours[0].at + $0 * 3600, $1.weather) }
        let current = try answer["current"].map { try Series($0, count: nil).weather(at: 0) }
        return Forecast(
            timeZone: zone, current: current, hours: even, days: try days(answer["daily"], ahead: ahead))
    }

    // MARK: What is meant

    /// How far off the middle of a source's field may be, in metres.
    private static let farthest = 100_000.0

    /// An answer of another place is none. A source need not say of which it is.
    private static func checkPlace(in answer: JSON, _ place: Location) throws {
        guard let lat = answer["latitude"]?.double, let lon = answer["longitude"]?.double else { return }
        guard let other = Location(lat: lat, lon: lon), other.meters(to: place) <= farthest else {
            throw NotUnderstood()
        }
    }

    private static let units = [
        "temperature_2m": "°C", "temperature_2m_max": "°C", "temperature_2m_min": "°C", "precipitation": "mm",
        "wind_speed_10m": "km/h", "relative_humidity_2m": "%", "precipitation_probability": "%",
    ]

    /// Values in others than these would be taken for ours. A source need not say them.
    private static func checkUnits(_ said: JSON?) throws {
        for (name, unit) in units {
            guard let other = said?[name]?.text else { continue }
            guard other == unit else { throw NotUnderstood() }
        }
    }

    private static func days(_ daily: JSON?, ahead: Int) throws -> [Int64: Forecast.DayRange] {
        guard let daily, let times = daily["time"]?.list else { return [:] }
        let (high, low) = (
            try column("temperature_2m_max", of: daily, times.count, degrees),
            try column("temperature_2m_min", of: daily, times.count, degrees)
        )
        let code = try column("weather_code", of: daily, times.count, codes)
        var days: [Int64: Forecast.DayRange] = [:]
        for (place, time) in times.enumerated() {
            let number = try day(time, ahead: ahead)
            if let high = high[place], let low = low[place], low > high { throw NotUnderstood() }
            days[number] = Forecast.DayRange(high: high[place], low: low[place], code: code[place].map { Int($0) })
        }
        return days
    }

    // MARK: Values

    private static let degrees = -100.0...70.0
    private static let percent = 0.0...100.0
    private static let millimetres = 0.0...1000.0
    private static let speed = 0.0...600.0
    private static let codes = 0.0...99.0

    /// What it says of several hours, or of one.
    private struct Series {
        private let temperature, chance, amount, humidity, wind, code: [Double?]

        init(_ json: JSON, count: Int?) throws {
            func read(_ name: String, _ range: ClosedRange<Double>) throws -> [Double?] {
                guard let count else { return [try value(json[name] ?? .null, range)] }
                return try column(name, of: json, count, range)
            }
            temperature = try read("temperature_2m", degrees)
            chance = try read("precipitation_probability", percent)
            amount = try read("precipitation", millimetres)
            humidity = try read("relative_humidity_2m", percent)
            wind = try read("wind_speed_10m", speed)
            code = try read("weather_code", codes)
            // Without these it is no weather.
            guard temperature.contains(where: { $0 != nil }) else { throw NotUnderstood() }
        }

        func weather(at place: Int) throws -> Reading {
            Reading(
                temperature: temperature[place], chance: chance[place], amount: amount[place],
                humidity: humidity[place], wind: wind[place], code: code[place].map { Int($0) })
        }
    }

    /// A list with a value, or null, for each time; or none.
    private static func column(
        _ name: String, of json: JSON, _ count: Int, _ range: ClosedRange<Double>
    ) throws -> [Double?] {
        guard let values = json[name], values != .null else { return Array(repeating: nil, count: count) }
        guard let list = values.list, list.count == count else { throw NotUnderstood() }
        return try list.map { try value($0, range) }
    }

    private static func value(_ json: JSON, _ range: ClosedRange<Double>) throws -> Double? {
        guard json != .null else { return nil }
        guard let number = json.double, range.contains(number) else { throw NotUnderstood() }
        return number
    }

    // MARK: Times

    /// As the time zones of the world are called: `Europe/Zagreb`, `GMT`. Other names with digits are rules of POSIX's to PostgreSQL.
    private static func isName(_ zone: String) -> Bool {
        zone.count <= Domain.Bounds.timeZone
            && zone.wholeMatch(of: #/GMT|UTC|Etc\/GMT[+\-]?[0-9]{1,2}|[A-Za-z_]+(\/[A-Za-z_\-]+){1,2}/#) != nil
    }

    private static func offset(_ json: JSON?) throws -> Int {
        guard let json else { return 0 }
        guard let seconds = json.number, (-86_400...86_400).contains(seconds) else { throw NotUnderstood() }
        return seconds
    }

    private static func isNumber(_ json: JSON) -> Bool { json.number != nil }

    private static func seconds(_ json: JSON, ahead: Int) throws -> Int {
        if let seconds = json.number {
            guard (0...253_402_300_799).contains(seconds) else { throw NotUnderstood() }
            return seconds
        }
        // `2026-11-24T13:00`, or with seconds; there are hundreds of them, and a regular expression would be made anew for each.
        let parts = (json.text ?? "").split(separator: "T", omittingEmptySubsequences: false)
        let clock = parts.last?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, let day = Day(String(parts[0])), (2...3).contains(clock.count),
            clock.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
            let hour = Int(clock[0]), let minute = Int(clock[1]), hour < 24, minute < 60
        else { throw NotUnderstood() }
        return Int(day.number) * 86_400 + hour * 3600 + minute * 60 - ahead
    }

    /// The number of a day since 1970, of the calendar there.
    private static func day(_ json: JSON, ahead: Int) throws -> Int64 {
        if isNumber(json) { return Int64((Double(try seconds(json, ahead: 0) + ahead) / 86_400).rounded(.down)) }
        guard let day = json.text.flatMap({ Day($0) }) else { throw NotUnderstood() }
        return day.number
    }
}
