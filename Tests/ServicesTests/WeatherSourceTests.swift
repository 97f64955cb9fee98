import Domain
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Services

/// A source of the weather that speaks Open-Meteo's language, at its best and at its worst.
@Suite(.timeLimit(.minutes(10))) struct WeatherSourceTests {
    private static let zagreb = Location(lat: 45.82, lon: 15.98)!
    private static var now: Moment { Moment(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }

    @Test func `it tells hours, days and the present, with the time zone of the place`() async throws {
        try await Services.running { services in
            let weather = services.weather()
            let forecast = try #require(await weather.forecast(at: Self.zagreb, now: Self.now))
            #expect(forecast.timeZone == "Europe/Zagreb" && forecast.hours.count == 240 && forecast.days.count == 10)
            #expect(forecast.current == Reading(temperature: 7.5, amount: 0.1, humidity: 81, wind: 12.3, code: 61))
            #expect(
                forecast.hours[5].weather
                    == Reading(temperature: 0.5, chance: 20, amount: 0.2, humidity: 65, wind: 15, code: 71))
            // Beyond some days nobody says how likely it is.
            #expect(forecast.hours[200].weather.chance == nil && forecast.hours[200].weather.amount == 0)
            #expect(forecast.days.values.allSatisfy { $0 == Forecast.DayRange(high: 21.5, low: -6.5, code: 61) })
            let asked = services.far.asked
            #expect(asked.count == 1 && asked[0].contains("latitude=45.82&longitude=15.98&timezone=auto"))
            #expect(asked[0].contains(#""agent": "Kurir/test""#))
        }
    }

    @Test func `nobody waits for it longer than three seconds`() { #expect(OpenMeteo.bounds.seconds == 3) }

    @Test(arguments: FarAway.wrongWays + ["lying", "marked", "stopped"])
    func `one that goes wrong tells nothing, and is told of once`(_ way: String) async throws {
        try await Services.running { services in
            let weather = services.weather(way)
            #expect(await weather.forecast(at: Self.zagreb, now: Self.now) == nil)
            if way != "slow", way != "endless" {
                #expect(await weather.forecast(at: Self.zagreb, now: Self.now) == nil)
            }
            #expect(services.heard.news == ["weather failed"])
        }
    }

    @Test func `weather of another time is no answer`() throws {
        let forecast = try read(#""time": [7200, 10800, 14400], "temperature_2m": [1, 2, 3]"#)
        for (seconds, isTold) in [(7199, false), (7200, true), (17_999, true), (18_000, false)] {
            #expect(forecast.tells(of: Moment(milliseconds: Int64(seconds) * 1000)) == isTold, "\(seconds)")
        }
    }

    /// What is made of an answer with these members, besides the usual ones.
    private func read(_ hourly: String, _ more: String = "") throws -> Forecast {
        let usual = #""timezone": "Europe/Zagreb", "utc_offset_seconds": 3600"#
        let text = "{\"hourly\": {\(hourly)}, \(more.isEmpty ? usual : more)}"
        return try OpenMeteo.forecast(in: try #require(JSON(Array(text.utf8)), "\(text)"), at: Self.zagreb)
    }

    @Test func `times that are written out are of one distance from UTC`() throws {
        // Clocks went back on that day, at three o'clock of summer: the distance is that of the time before.
        let forecast = try read(
            #"""
            "time": ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00", "2026-10-25T03:00"], "temperature_2m": [1, 2, 3, 4]
            """#,
            #"""
            "timezone": "Europe/Zagreb", "utc_offset_seconds": 7200,
            "daily": {"time": ["2026-10-25"], "temperature_2m_max": [9], "temperature_2m_min": [null]}
            """#)
        #expect(forecast.hours.map(\.at) == [1_792_879_200, 1_792_882_800, 1_792_886_400, 1_792_890_000])
        #expect(forecast.days == [20_751: Forecast.DayRange(high: 9, low: nil, code: nil)])
    }

    @Test(arguments: [
        #""2026-10-25T01:00", "2026-10-25T02:00", "2026-10-25T02:00", "2026-10-25T03:00""#,
        #""2026-03-29T01:00", "2026-03-29T03:00", "2026-03-29T04:00", "2026-03-29T05:00""#,
    ]) func `hours that clocks show twice, or not at all, follow each other`(_ times: String) throws {
        let forecast = try read("\"time\": [\(times)], \"temperature_2m\": [1, 2, 3, 4]")
        #expect(zip(forecast.hours, forecast.hours.dropFirst()).allSatisfy { $1.at - $0.at == 3600 })
    }

    @Test func `what cannot be true is no answer`() throws {
        let (time, warm) = (#""time": [0, 3600]"#, #""temperature_2m": [1, 2]"#)
        #expect(try read("\(time), \(warm)").hours.count == 2)
        let hourly = [
            #""time": [], "temperature_2m": []"#, time, "\(time), \"temperature_2m\": [1]",
            "\(time), \"temperature_2m\": [1, 200]", "\(time), \"temperature_2m\": [\"warm\", \"cold\"]",
            "\(time), \"temperature_2m\": [null, null]", "\"time\": [0, 7200], \(warm)",
            "\"time\": [3600, 0], \(warm)", "\"time\": [-5, 3595], \(warm)", "\"time\": [0.5, 3600.5], \(warm)",
            "\"time\": [\"2026-02-30T00:00\", \"2026-02-30T01:00\"], \(warm)",
            "\(time), \(warm), \"precipitation\": [-1, 0]",
            "\(time), \(warm), \"precipitation_probability\": [101, 0]", "\(time), \(warm), \"weather_code\": [100, 0]",
            "\(time), \(warm), \"wind_speed_10m\": [-1, 0]", "\(time), \(warm), \"relative_humidity_2m\": 50",
        ]
        for text in hourly { #expect(throws: NotUnderstood.self, "\(text)") { _ = try read(text) } }
        let more = [
            #""timezone": "../../etc/passwd""#, #""timezone": "<b>""#, #""timezone": null"#, #""timezone": "+02:00""#,
            #""timezone": "A/B+99""#, #""timezone": "Europe/X5""#,
            #""timezone": "GMT", "utc_offset_seconds": 1000000"#, #""timezone": "GMT", "utc_offset_seconds": "x""#,
            #""timezone": "GMT", "utc_offset_seconds": \#(Int.min)"#,
            #""timezone": "GMT", "utc_offset_seconds": 86401"#,
            #""timezone": "GMT", "utc_offset_seconds": 3600, "daily": {"time": [\#(Int.max)]}"#,
            #""timezone": "GMT", "utc_offset_seconds": -3600, "daily": {"time": [\#(Int.min)]}"#,
            #""timezone": "GMT", "daily": {"time": [0], "temperature_2m_max": [1], "temperature_2m_min": [2]}"#,
            #""timezone": "GMT", "current": {"temperature_2m": 900}"#,
            #""timezone": "GMT", "hourly_units": {"temperature_2m": "°F"}"#,
            #""timezone": "GMT", "current_units": {"wind_speed_10m": "mph"}"#,
            #""timezone": "GMT", "latitude": 43.5, "longitude": 16.4"#,
            #""timezone": "GMT", "latitude": 45.8, "longitude": -15.9"#,
        ]
        for text in more { #expect(throws: NotUnderstood.self, "\(text)") { _ = try read("\(time), \(warm)", text) } }
        for json in [JSON.null, .array([]), .object([:]), .string("weather")] {
            #expect(throws: NotUnderstood.self) { _ = try OpenMeteo.forecast(in: json, at: Self.zagreb) }
        }
    }

    @Test(arguments: [
        ("open-meteo", "https://api.open-meteo.com"), ("open-meteo:http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("open-meteo:https://weather.example/meteo", "https://weather.example/meteo"), ("open-meteo:", nil),
        ("open-meteo:weather.example", nil), ("yr", nil), ("", nil), ("https://api.open-meteo.com", nil),
        ("open-meteo:https://weather.example?apikey=1", nil),
    ]) func `a source is named by its kind, and where it is`(_ text: String, _ url: String?) {
        #expect(WeatherPlace(text)?.url.text == url)
    }
}
