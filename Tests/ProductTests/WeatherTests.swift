import Domain
import EventLoop
import HTTP
import Postgres
import Services
import TestSupport
import Testing

@testable import API
@testable import Weather

/// The weather of places, asked for once a minute by all nodes together.
@Suite(.database, .timeLimit(.minutes(10))) struct WeatherTests {
    private static let zagreb = "lat=45.8132&lon=15.9772"

    private func weather(_ api: ServedProduct, _ person: Person, _ query: String = zagreb) async throws -> Answer {
        try await api.get("/v1/weather?\(query)", as: person.token)
    }

    /// Serves with a source that goes that way.
    private func serving(
        _ way: String = "right", looseness: Double? = nil,
        _ body: (ServedProduct, FarAway, ServicesFarAway.Settings) async throws -> Void
    ) async throws {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.weather = WeatherPlace("open-meteo:" + far.url(way))
            try await ServedProduct.serving(looseness: looseness, services: services) { api in
                try await body(api, far, services)
            }
        }
    }

    /// Lets so many seconds pass for what is known.
    private func pass(_ seconds: Int, _ api: ServedProduct) async throws {
        let ago = "- interval '\(seconds) seconds'"
        try await api.execute(
            "UPDATE weather SET asked_at = asked_at \(ago), answered_at = answered_at \(ago), fetched_at = fetched_at \(ago)"
        )
    }

    @Test func `without a source there is no weather`() async throws {
        try await ServedProduct.serving { api in
            #expect(try await api.get("/v1/about").json["weather"] == .null)
            let store = try await api.store()
            let off = try await weather(api, store)
            #expect(off.status == 404 && off.json["code"] == "weather_off")
        }
    }

    @Test func `it tells now, the hours from this one on, and eight days`() async throws {
        try await serving { api, far, _ in
            #expect(try await api.get("/v1/about").json["weather"] == "open-meteo")
            let store = try await api.store()
            let told = try await weather(api, store)
            #expect(told.status == 200 && told.json["stale"] == false && told.json["source"] == "open-meteo")
            #expect(
                told.json["place"] == [
                    "id": nil, "name": nil, "location": ["lat": .number(45.8132), "lon": .number(15.9772)],
                    "time_zone": "Europe/Zagreb",
                ])
            let (hours, days) = (told.json["hours"].items, told.json["days"].items)
            #expect(days.count == 8 && (24 * 7...24 * 8 + 1).contains(hours.count))
            let first = try Moment(hours[0]["at"].string ?? "").milliseconds
            #expect((0..<3_600_000 + 5000).contains(Moment.now.milliseconds - first))
            // To the last hour of the eighth day there.
            let last = hours.last?["local"].string ?? ""
            #expect(
                last.dropFirst(10).hasPrefix("T23:00:00+")
                    && last.prefix(10) == (days[7]["date"].string ?? "").prefix(10))
            #expect(hours[0]["local"].string?.prefix(10) == days[0]["date"].string?.prefix(10))
            let current = told.json["current"]
            #expect(current["temperature_c"].double == 7.5 && current["words"] == "Light rain" && current["code"] == 61)
            #expect(days.allSatisfy { $0["high_c"].double == 21.5 && $0["low_c"].double == -6.5 })
            let fields: Set = [
                "at", "local", "temperature_c", "precipitation_chance", "precipitation_mm", "humidity", "wind_kmh",
                "code", "words", "warning",
            ]
            #expect((hours + [current]).allSatisfy { $0.names == fields })
            // Snow at five in the morning, a thunderstorm at five in the afternoon.
            for (clock, words, warning) in [("T05", "Light snow", "ice"), ("T17", "Thunderstorm", "storm")] {
                let hour = hours.first { $0["local"].string?.contains(clock) == true }
                #expect(hour?["words"].string == words && hour?["warning"].string == warning)
            }
            #expect(far.asked.count == 1 && far.asked[0].contains("latitude=45.82&longitude=15.98"))
        }
    }

    @Test func `it is told in one's own language, and for a place that one keeps`() async throws {
        try await serving { api, far, _ in
            let courier = try await api.courier()
            func keep(_ name: String, _ location: JSON) async throws -> String {
                let form: JSON = ["name": .string(name), "address": "Ilica 1", "location": location]
                return try await api.post("/v1/places", form, as: courier.token).json["id"].string ?? ""
            }
            let id = try await keep("Ured", ["lat": .number(45.8132), "lon": .number(15.9772)])
            _ = try await api.call("PATCH", "/v1/me", ["language": "hr"], as: courier.token)
            let told = try await weather(api, courier, "place=\(id)")
            #expect(told.json["place"]["name"] == "Ured" && told.json["place"]["id"].string == id)
            #expect(told.json["current"]["words"] == "Slaba kiša")
            let nowhere = try await keep("Nigdje", nil)
            #expect(try await weather(api, courier, "place=\(nowhere)").wrong == ["place": "no_location"])
            let other = try await api.courier()
            #expect(try await weather(api, other, "place=\(id)").status == 404)
            #expect(try await weather(api, courier, "place=ured").wrong == ["place": "invalid_id"])
            #expect(try await weather(api, courier, "").wrong == ["lat": "required", "lon": "required"])
            #expect(
                try await weather(api, courier, "lat=91&lon=0x1").wrong == [
                    "lat": "invalid_location", "lon": "invalid_location",
                ])
            #expect(far.asked.count == 1)
        }
    }

    @Test func `however many ask on however many nodes, one fetches, once a minute`() async throws {
        try await serving { api, far, services in
            let people = [try await api.store(), try await api.courier()]
            try await ServedProduct.another(looseness: nil, trust: Trust(), services: services) { node in
                for round in 1...3 {
                    try await withThrowingTaskGroup(of: Answer.self) { group in
                        for number in 0..<60 {
                            let (api, person) = (number % 2 == 0 ? api : node, people[number % 3 == 0 ? 0 : 1])
                            // All of them in the same field.
                            let query = "lat=45.8\(10 + number % 10)&lon=15.97\(5 + number % 5)"
                            group.addTask { try await weather(api, person, query) }
                        }
                        for try await answer in group {
                            #expect(answer.status == 200 && answer.json["stale"] == false, "\(answer.json)")
                        }
                    }
                    #expect(far.asked.count == round)
                    // What is known stays so for most of a minute.
                    try await pass(40, api)
                    #expect(try await weather(api, people[0]).status == 200 && far.asked.count == round)
                    try await pass(61, api)
                }
            }
        }
    }

    @Test func `an account has some places asked for at once, and then is told what is known`() async throws {
        try await serving(looseness: 1) { api, far, _ in
            let (ana, ivo) = (try await api.courier(), try await api.courier())
            for number in 0..<30 {
                #expect(try await weather(api, ana, "lat=\(40 + number).01&lon=16.01").status == 200)
            }
            #expect(far.asked.count == 30)
            // However long that took.
            try await api.execute(
                "UPDATE throttles SET drained_at = now() + interval '31 minutes' WHERE subject = sha256('weather asked by \(ana.id)')"
            )
            let more = try await weather(api, ana, "lat=20.01&lon=16.01")
            #expect(more.status == 429 && more.json["code"] == "rate_limited")
            #expect((60...120).contains(Int(more.reply.header("retry-after") ?? "") ?? 0))
            // What is known costs nothing.
            #expect(try await weather(api, ana, "lat=40.01&lon=16.01").status == 200)
            try await pass(61, api)
            let known = try await weather(api, ana, "lat=40.01&lon=16.01")
            #expect(known.status == 200 && known.json["stale"] == false && far.asked.count == 30)
            // Others do not wait for it.
            try await withThrowingTaskGroup(of: (isFirst: Bool, status: Int).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        (number < 18, try await weather(api, number < 18 ? ana : ivo, "lat=30.01&lon=16.01").status)
                    }
                }
                for try await answer in group {
                    #expect(answer.status == 200 || answer.isFirst && answer.status == 429)
                }
            }
            #expect(far.asked.count == 31)
        }
    }

    @Test func `what is known is told for six hours while the source fails`() async throws {
        try await serving { api, far, _ in
            let store = try await api.store()
            let fresh = try await weather(api, store)
            try await far.toggle()
            // Nobody is asked within a minute, so that nothing fails.
            #expect(try await weather(api, store).json["stale"] == false)
            try await pass(61, api)
            let stale = try await weather(api, store)
            #expect(stale.status == 200 && stale.json["stale"] == true)
            #expect(stale.json["days"].items.count == 8 && fresh.json["stale"] == false)
            try await pass(6 * 3600 - 120, api)
            #expect(try await weather(api, store).json["stale"] == true)
            try await pass(120, api)
            let late = try await weather(api, store)
            #expect(
                late.status == 503 && late.json["code"] == "unavailable" && late.reply.header("retry-after") == "60")
            try await far.toggle()
            // It failed within this minute, and is not asked before the next.
            #expect(try await weather(api, store).status == 503)
            try await pass(61, api)
            #expect(try await weather(api, store).json["stale"] == false)
        }
    }

    @Test(arguments: ["slow", "broken", "garbage", "wrong", "failing", "lying", "huge", "endless", "dripping"])
    func `a source that goes wrong is asked once a minute, and nothing is made up`(_ way: String) async throws {
        try await serving(way) { api, far, _ in
            let store = try await api.store()
            for _ in 0..<3 { #expect(try await weather(api, store).status == 503) }
            #expect(far.asked.count == 1)
        }
    }

    @Test func `while a source drips nobody holds a connection of the database, and others are answered`() async throws
    {
        try await serving("dripping") { api, far, _ in
            let store = try await api.store()
            async let late = weather(api, store)
            try await eventually { far.asked.count == 1 }
            let held = """
                SELECT state FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                """
            try await eventually { try await api.execute(held).isEmpty }
            #expect(try await api.get("/v1/me", as: store.token).status == 200)
            #expect(try await api.execute("SELECT answered_at IS NULL FROM weather") == [["t"]])
            #expect(try await late.status == 503)
        }
    }

    @Test func `a time zone that there is not is no answer`() async throws {
        try await serving { api, far, _ in
            let store = try await api.store()
            for _ in 0..<2 { #expect(try await weather(api, store, "lat=84&lon=16").status == 503) }
            #expect(far.asked.count == 1)
        }
    }

    @Test func `that a source has a time zone that there is not is told once, until it has one that there is`()
        async throws
    {
        try await serving { api, _, settings in
            let services = try ServicesFarAway(settings, as: "Kurir/0") { _ in }
            let told = Locked(0)
            let throttle = Throttle(api.database, looseness: nil)
            let desk = WeatherDesk(try #require(services.weather), api.database, throttle: throttle) { _ in
                told.withLock { $0 += 1 }
            }
            func look(_ lat: Double) async throws -> Bool {
                let field = WeatherField(try #require(Location(lat: lat, lon: 16)))
                let task = Task(executorPreference: api.group.loops[0]) {
                    try await desk.weather(in: field, for: .new())
                }
                return try await task.value != nil
            }
            let looks: [(Double, Bool, Int)] = [(84, false, 1), (84, false, 1), (45, true, 1), (84, false, 2)]
            for (lat, isKnown, count) in looks {
                #expect(try await look(lat) == isKnown)
                #expect(told.withLock { $0 } == count)
                try await pass(61, api)
            }
            try await blocking { services.stop() }
        }
    }

    @Test(arguments: [
        ("40.7,-74.0", "America/New_York"), ("19.9,-155.1", "Pacific/Honolulu"), ("28.6,77.2", "Asia/Kolkata"),
        ("35.7,139.7", "Asia/Tokyo"), ("0,0", "GMT"),
    ]) func `each place has its own clocks`(_ place: String, _ zone: String) async throws {
        try await serving { api, _, _ in
            let store = try await api.store()
            let parts = place.split(separator: ",")
            let told = try await weather(api, store, "lat=\(parts[0])&lon=\(parts[1])").json
            #expect(told["place"]["time_zone"].string == zone)
            let clock = try await api.execute(
                "SELECT to_char('\(told["hours"].items[30]["at"].string ?? "")'::timestamptz AT TIME ZONE '\(zone)', 'YYYY-MM-DD\"T\"HH24:MI:SS')"
            )
            #expect(told["hours"].items[30]["local"].string?.prefix(19) == clock[0][0]?.prefix(19))
            #expect(told["days"].items.count == 8)
            #expect(told["hours"].items.last?["local"].string?.dropFirst(11).hasPrefix("23:") == true)
        }
    }

    @Test func `whoever dies while asking keeps nobody waiting for long`() async throws {
        try await serving { api, far, _ in
            let store = try await api.store()
            _ = try await weather(api, store)
            try await pass(120, api)
            // Somebody has begun to ask, and will never be told.
            try await api.execute("UPDATE weather SET asked_at = now(), answered_at = NULL")
            let told = try await weather(api, store)
            #expect(told.status == 200 && told.json["stale"] == true && far.asked.count == 1)
            // Who comes later does not wait for it once more.
            try await pass(1, api)
            let field = WeatherField(try #require(Location(lat: 45.8132, lon: 15.9772)))
            let known = try await api.database.run(FindWeather(field: field)).first
            #expect(known?.isRecent == true && known?.isAnswered == true)
            try await pass(61, api)
            #expect(try await weather(api, store).json["stale"] == false)
        }
    }

    @Test func `weather that nobody may be told any more is forgotten`() async throws {
        try await serving { api, _, _ in
            let store = try await api.store()
            _ = try await weather(api, store)
            try await pass(6 * 3600 - 60, api)
            #expect(try await api.database.run(ForgetWeather()) == [false])
            #expect(try await api.execute("SELECT FROM weather").count == 1)
            try await pass(120, api)
            #expect(try await api.database.run(ForgetWeather()) == [false])
            #expect(try await api.execute("SELECT FROM weather").isEmpty)
        }
    }

    @Test func `a delivery has the weather of the hour when it is due`() async throws {
        try await serving { api, far, _ in
            let (store, couriers) = try await api.team(1)
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 7_200_000_000)
            func deliver(_ until: Timestamp?) async throws -> String {
                let window: JSON = until.map { ["until": .string($0.text)] } ?? nil
                return try await api.delivery(of: store, to: couriers, ["window": window])
            }
            let id = try await deliver(due)
            func weather(_ id: String, _ person: Person) async throws -> JSON {
                try await api.get(SampleDelivery.path(id), as: person.token).json["weather"]
            }
            // Creating it had it asked for.
            try await eventually { try await weather(id, store) != JSON.null }
            let told = try await weather(id, store)
            let at = try Moment(told["at"].string ?? "").milliseconds
            #expect((0..<3_600_000).contains(due.microseconds / 1000 - at) && told["temperature_c"] != .null)
            #expect(try await weather(id, couriers[0]) == told)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await weather(id, couriers[0]) == told)
            // All of them go to the same place, so that nobody else is asked.
            let ahead = Timestamp(microseconds: due.microseconds + 6 * 86_400_000_000 + 12 * 3_600_000_000)
            #expect(try await weather(deliver(ahead), store) != .null)
            let last = Timestamp(microseconds: due.microseconds + 7 * 86_400_000_000 + 19 * 3_600_000_000)
            #expect(try await weather(deliver(last), store) != .null)
            for until in [nil, Timestamp(microseconds: due.microseconds + 8 * 86_400_000_000)] {
                #expect(try await weather(deliver(until), store) == .null)
            }
            let list = try await api.get("/v1/deliveries", as: store.token)
            #expect(list.items.allSatisfy { !$0.names.contains("weather") })
            #expect(far.asked.count == 1)
        }
    }

    @Test func `a delivery waits for nobody far away`() async throws {
        try await serving("slow") { api, far, _ in
            let (store, couriers) = try await api.team(1)
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 7_200_000_000)
            let window: JSON = ["until": .string(due.text)]
            let id = try await api.delivery(of: store, to: couriers, ["window": window])
            try await eventually { far.asked.count == 1 }
            // The source holds its answer back, and the delivery is read all the same.
            let read = try await api.get(SampleDelivery.path(id), as: store.token)
            #expect(read.status == 200 && read.json["weather"] == .null)
        }
    }
}
