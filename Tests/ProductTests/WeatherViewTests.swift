import Domain
import Postgres
import Services
import TestSupport
import Testing

@testable import API
@testable import Weather

/// Forecasts as they are read: by the clocks of their place, also when these are changed.
@Suite(.database) struct WeatherViewTests {
    /// So many hours from that time on, as the database keeps them for a time zone.
    private func kept(
        from start: String, hours count: Int, in zone: String, days: [Int64: Forecast.DayRange] = [:],
        current: Reading? = nil, fetchedAt: String? = nil
    ) async throws -> KeptForecast {
        let first = Int(try Moment(start).milliseconds / 1000)
        let hours = (0..<count).map {
            Forecast.Hour(first + $0 * 3600, Reading(temperature: Double($0), chance: 10, amount: 0.5, code: 3))
        }
        let forecast = Forecast(timeZone: zone, current: current, hours: hours, days: days)
        var made: KeptForecast?
        try await DatabaseSession.with { session in
            let field = WeatherField(Location(lat: 45.8, lon: Double(count) / 10)!)
            _ = try await session.database.run(ClaimWeather(field: field))
            _ = try await session.database.run(KeepWeather(field: field, source: "test", forecast: forecast))
            let known = try #require(try await session.database.run(FindWeather(field: field)).first?.forecast)
            #expect(known.forecast == forecast && known.source == "test")
            let time = try fetchedAt.map { Timestamp(try Moment($0)) } ?? known.fetchedAt
            made = KeptForecast(source: "test", fetchedAt: time, isStale: false, known.forecast, ahead: known.ahead)
        }
        return try #require(made)
    }

    private func view(_ kept: KeptForecast, at now: String) throws -> WeatherView {
        WeatherView(kept, at: Timestamp(try Moment(now)), in: .fallback)
    }

    @Test func `in autumn an hour comes twice`() async throws {
        let kept = try await kept(from: "2026-10-23T22:00:00Z", hours: 240, in: "Europe/Zagreb")
        let view = try view(kept, at: "2026-10-24T23:30:00Z")
        #expect(
            view.hours.prefix(4).map(\.local) == [
                "2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00",
                "2026-10-25T03:00:00+01:00",
            ])
        let days = view.wholeDays
        #expect(days.count == 8 && days[0].first.local == "2026-10-25T00:00:00+02:00")
        #expect(days[1].first.local == "2026-10-26T00:00:00+01:00")
        // The day has 25 hours, and so much rain.
        #expect(days[0].weather.amount == 12.5 && days[1].weather.amount == 12)
        #expect(view.hours.last?.local == "2026-11-01T23:00:00+01:00" && view.hours.count == 23 + 1 + 24 * 7)
    }

    @Test func `in spring an hour is left out`() async throws {
        let kept = try await kept(from: "2026-03-27T23:00:00Z", hours: 240, in: "Europe/Zagreb")
        let view = try view(kept, at: "2026-03-29T00:10:00Z")
        #expect(
            view.hours.prefix(3).map(\.local) == [
                "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00",
            ])
        #expect(view.wholeDays.map(\.weather.amount).prefix(2) == [11.5, 12])
        #expect(view.hours.last?.local == "2026-04-05T23:00:00+02:00" && view.hours.count == 22 + 24 * 7)
    }

    @Test func `the change is that of the place`() async throws {
        // Clocks go back there a week later.
        let kept = try await kept(from: "2026-10-31T00:00:00Z", hours: 300, in: "America/New_York")
        let view = try view(kept, at: "2026-11-01T05:00:00Z")
        #expect(
            view.hours.prefix(2).map(\.local) == ["2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00"])
        let half = try await self.kept(from: "2026-10-31T18:30:00Z", hours: 240, in: "Asia/Kolkata")
        let hours = try self.view(half, at: "2026-11-01T05:00:00Z").hours
        #expect(hours.first?.local == "2026-11-01T10:00:00+05:30" && hours.last?.local == "2026-11-08T23:00:00+05:30")
    }

    @Test func `what the source says of a day and of now comes before what hours make of it`() async throws {
        let day = Day("2026-11-20")!.number
        let current = Reading(temperature: 33, code: 61)
        let kept = try await kept(
            from: "2026-11-19T23:00:00Z", hours: 48, in: "Europe/Zagreb",
            days: [day: Forecast.DayRange(high: 40, low: nil, code: 95)], current: current,
            fetchedAt: "2026-11-20T11:50:00Z")
        let now = try view(kept, at: "2026-11-20T12:05:00Z")
        #expect(now.current?.weather == Reading(temperature: 33, chance: 10, amount: 0.5, code: 61))
        #expect(now.wholeDays.map(\.high) == [40, 47] && now.wholeDays.map(\.low) == [0, 24])
        #expect(now.wholeDays.map(\.weather.code) == [95, 3])
        // What it was like an hour ago is not what it is like.
        let later = try view(kept, at: "2026-11-20T13:05:00Z")
        #expect(later.current?.weather.temperature == 14 && later.current?.weather.code == 3)
        let over = try view(kept, at: "2026-11-25T13:05:00Z")
        #expect(over.hours.isEmpty && over.current == nil && over.wholeDays.isEmpty)
    }

    @Test(arguments: [
        (Reading(temperature: 20, code: 0), nil), (Reading(temperature: -10, code: 1), nil),
        (Reading(temperature: 5, chance: 90, amount: 1, code: 61), WeatherWarning.rain),
        (Reading(temperature: 5, chance: 20, amount: 1, code: 3), nil),
        (Reading(temperature: 5, chance: 90, amount: 0.1, code: 51), nil), (Reading(code: 65), .rain),
        (Reading(temperature: 0, chance: 50, amount: 0.1, code: 51), .ice), (Reading(temperature: 3, code: 66), .ice),
        (Reading(temperature: 1, code: 73), .ice), (Reading(temperature: -1, code: 48), .ice),
        (Reading(temperature: 15, code: 95), .storm), (Reading(temperature: 15, wind: 62, code: 0), .storm),
        (Reading(), nil),
    ]) func `couriers are warned of the gravest`(_ weather: Reading, _ warning: WeatherWarning?) {
        #expect(WeatherWarning(weather) == warning)
    }
}
