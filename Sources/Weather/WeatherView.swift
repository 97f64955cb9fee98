import API
import Domain
import HTTP
import Languages
import Postgres
import Services

/// The weather as somebody reads it: from this hour to the end of the eighth day, by the clocks of the place.
struct WeatherView: Sendable {
    let kept: KeptForecast
    let now: Int
    private let words: LanguageWords

    init(_ kept: KeptForecast, at now: Timestamp = .now, in language: Language) {
        (self.kept, self.now) = (kept, Int(now.microseconds / 1_000_000))
        words = language.words
    }

    /// An hour as its place counts it.
    struct Hour: Sendable {
        let at, ahead: Int
        let weather: Reading

        /// The day since 1970 that it belongs to there.
        var day: Int { Int((Double(at + ahead) / 86_400).rounded(.down)) }

        var local: String {
            let minutes = abs(ahead) / 60
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let clock = Timestamp(microseconds: Int64(at + ahead) * 1_000_000).text.prefix(19)
            return "\(clock)\(ahead < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
        }
    }

    /// A day there: its first hour that is known, and what it is like as a whole.
    struct Day: Sendable {
        let first: Hour
        let high, low: Double?
        let weather: Reading
    }

    private var all: [Hour] {
        zip(kept.forecast.hours, kept.ahead).map { Hour(at: $0.at, ahead: $1, weather: $0.weather) }
    }

    /// How many days are told.
    static let days = 8

    /// This hour and those that follow.
    var hours: [Hour] {
        let coming = all.filter { $0.at + 3600 > now }
        guard let today = coming.first?.day else { return [] }
        return coming.filter { $0.day < today + Self.days }
    }

    /// What it is like now: as the source saw it, if that was within the hour; else as it foresaw it.
    var current: Hour? {
        guard let hour = hours.first, hour.at <= now else { return nil }
        let isFresh = now - Int(kept.fetchedAt.microseconds / 1_000_000) < 3600
        let weather = isFresh ? kept.forecast.current?.completed(by: hour.weather) : nil
        return Hour(at: hour.at, ahead: hour.ahead, weather: weather ?? hour.weather)
    }

    var wholeDays: [Day] {
        guard let today = hours.first?.day else { return [] }
        let byDay = Dictionary(grouping: all, by: \.day)
        return (today..<today + Self.days).compactMap { number in
            guard let hours = byDay[number], let first = hours.first else { return nil }
            let range = kept.forecast.days[Int64(number)]
            func values(_ value: (Reading) -> Double?) -> [Double] { hours.compactMap { value($0.weather) } }
            let amounts = values(\.amount)
            // Sources tell hundredths at most; what is summed is no finer.
            let amount = (amounts.reduce(0, +) * 100).rounded() / 100
            let whole = Reading(
                chance: values(\.chance).max(), amount: amounts.isEmpty ? nil : amount,
                wind: values(\.wind).max(), code: range?.code ?? hours.compactMap(\.weather.code).max())
            return Day(
                first: first, high: range?.high ?? values(\.temperature).max(),
                low: range?.low ?? values(\.temperature).min(), weather: whole)
        }
    }

    /// The hour in which something happens.
    func hour(of moment: Int) -> Hour? { all.first { $0.at <= moment && moment < $0.at + 3600 } }

    // MARK: In JSON

    private static let kinds = WeatherWarning.allCases.map(\.rawValue)
    private static let what: [Shape.Member] =
        ["precipitation_chance", "precipitation_mm", "wind_kmh"].map { .init($0, Shape.number.orNull) } + [
            .init("code", Shape.integer(0...99).orNull), .init("words", Shape.string().orNull),
        ]
    static let hourShape = Shape.object(
        "HourWeather",
        [.init("at", .time), .init("local", .string(example: "2026-11-20T13:00:00+01:00"))] + [
            .init("temperature_c", Shape.number.orNull), .init("humidity", Shape.number.orNull),
            .init("warning", Shape.oneOf(kinds, named: "WeatherWarning").orNull),
        ] + what)
    static let dayShape = Shape.object(
        "DayWeather",
        [.init("date", .string(format: "date")), .init("at", .time), .init("local", .string())] + [
            .init("high_c", Shape.number.orNull), .init("low_c", Shape.number.orNull),
        ] + what)

    func write(_ json: inout JSONWriter) {
        json.field("fetched_at", kept.fetchedAt)
        json.field("stale", kept.isStale)
        json.field("source", kept.source)
        if let current {
            json.object("current") { write(current, &$0) }
        } else {
            json.field("current", String?.none)
        }
        json.array("hours", hours) { json, hour in json.object { write(hour, &$0) } }
        json.array("days", wholeDays) { json, day in
            json.object { json in
                json.field("date", String(day.first.local.prefix(10)))
                writeTime(day.first, &json)
                json.field("high_c", day.high)
                json.field("low_c", day.low)
                write(day.weather, &json)
            }
        }
    }

    func write(_ hour: Hour, _ json: inout JSONWriter) {
        writeTime(hour, &json)
        json.field("temperature_c", hour.weather.temperature)
        json.field("humidity", hour.weather.humidity)
        json.field("warning", WeatherWarning(hour.weather)?.rawValue)
        write(hour.weather, &json)
    }

    private func writeTime(_ hour: Hour, _ json: inout JSONWriter) {
        json.field("at", Timestamp(microseconds: Int64(hour.at) * 1_000_000))
        json.field("local", hour.local)
    }

    private func write(_ weather: Reading, _ json: inout JSONWriter) {
        json.field("precipitation_chance", weather.chance)
        json.field("precipitation_mm", weather.amount)
        json.field("wind_kmh", weather.wind)
        json.raw("code", (weather.code.map { JSON.integer($0) } ?? .null).bytes)
        json.field("words", weather.code.flatMap { words.pages["weather_code_\($0)"] })
    }
}
