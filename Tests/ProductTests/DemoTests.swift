import Domain
import EventLoop
import HTTP
import Postgres
import Services
import Simulation
import TestSupport
import Testing

@testable import Product

@Suite(.database) struct DemoTests {
    @Test func `the history of the demo holds together, and its people sign in`() async throws {
        try await ServedProduct.serving { api in
            let told = Locked<[Int]>([])
            let cast = try #require(
                try await api.demo.fill(seed: 7, on: api.group) { made, _ in told.withLock { $0.append(made) } })
            #expect(cast.stores.count == 5)
            #expect(told.withLock { $0.count == 5 && $0 == $0.sorted() })
            for (rule, sql) in Invariants.ofDeliveries {
                #expect(try await api.execute(sql).isEmpty, "\(rule)")
            }
            let made = try await api.execute("SELECT count(*) FROM deliveries")
            #expect(Int(made[0][0] ?? "") ?? 0 > 500)
            let latest = try await api.execute("SELECT FROM delivery_history WHERE at > now()")
            #expect(latest.isEmpty)
            // Nobody gets messages about the past.
            #expect(try await api.execute("SELECT FROM messages").isEmpty)
            let logins: [JSON] = [
                ["email": .string(cast.stores[0].email), "password": .string(Cast.password)],
                ["phone": .string(cast.couriers[17].phone), "password": .string(Cast.password)],
            ]
            for form in logins {
                let session = try await api.post("/v1/sessions", form)
                #expect(session.status == 201)
                let mine = try await api.get("/v1/deliveries", as: session.json["token"].string)
                #expect(mine.status == 200)
                guard form == logins[0] else { continue }
                #expect(mine.items.count == 50)
                let stats = try await api.get("/v1/stats", as: session.json["token"].string)
                #expect(stats.json["days"].items.count > 20 && stats.json["couriers"].items.count > 3)
            }
            // A database that is in use is left alone.
            #expect(try await api.demo.fill(seed: 8, on: api.group) { _, _ in } == nil)
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == made)
        }
    }

    @Test func `whoever types an address of the demo's town finds its door`() {
        func found(_ text: String) -> [String] { DemoStreets.addresses(of: text).map(\.address) }
        #expect(found("ilica 55") == ["Ilica 55, Zagreb"])
        #expect(found("Drzic 7") == ["Držićeva 7, Zagreb"])
        #expect(found("s 1, Zagreb") == ["Savska 1, Zagreb", "Selska 1, Zagreb"])
        #expect(found("Savska") == ["Savska, Zagreb"])
        for text in ["Nepoznata 1", "5", "", "Ilica 0", "Ilica 1000"] { #expect(found(text) == []) }
        // The same door as that of whom the story sends there.
        #expect(DemoStreets.addresses(of: "ilica 42").first?.location == Town.door(of: "Ilica 42, Zagreb").location)
    }

    @Test func `the sky of the demo is one that there can be, on each day of a year`() {
        var seen: Set<Int> = []
        for day in 0..<366 {
            let forecast = DemoSky.forecast(at: Moment(milliseconds: (20_785 + Int64(day)) * 86_400_000 + 43_200_000))
            #expect(zip(forecast.hours, forecast.hours.dropFirst()).allSatisfy { $1.at - $0.at == 3600 })
            #expect(forecast.hours.count == 11 * 24 && forecast.hours[36].at == (20_785 + day) * 86_400 + 43_200)
            for hour in forecast.hours.map(\.weather) {
                seen.insert(hour.code ?? -1)
                #expect((-15...38).contains(hour.temperature ?? 99) && (40...100).contains(hour.humidity ?? 0))
                // Snow where it freezes, and rain where it does not.
                if hour.code == 71 { #expect(hour.temperature ?? 99 < 1) }
                if hour.code == 61 { #expect(hour.temperature ?? -99 >= 1) }
            }
        }
        #expect(seen == [0, 2, 3, 45, 61, 71])
    }
}
