import API
import Domain
import HTTP
import Postgres
import Services
import TestSupport
import Testing

@testable import Deliveries
@testable import Places

/// When deliveries that are under way will arrive.
@Suite(.database) struct ArrivalTests {
    /// Somewhere to the north of the usual door, so many metres.
    private static func north(_ meters: Double) -> (lat: Double, lon: Double) {
        (SamplePlace.door.lat + meters / 111_195.08, SamplePlace.door.lon)
    }

    private static func to(_ place: (lat: Double, lon: Double)?) -> [String: JSON] {
        let location = place.map { JSON.object(["lat": .number($0.lat), "lon": .number($0.lon)]) } ?? .null
        return [
            "recipient": [
                "first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5", "location": location,
            ]
        ]
    }

    private func eta(_ api: ServedProduct, _ id: String, _ person: Person) async throws -> JSON {
        try await api.get(SampleDelivery.path(id), as: person.token).json["eta"]
    }

    @Test func `store and holder know when it arrives, while its courier says where it is`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await eta(api, id, store) == .null)
            try await api.act("accept", id, as: couriers[0])
            let told = try await eta(api, id, store)
            #expect(told["by"] == "straight" && told["distance_m"] == 1400, "\(told)")
            let (at, from) = (
                try Moment(told["at"].string ?? ""), try Moment(told["computed_at"].string ?? "")
            )
            #expect(abs(at.milliseconds - from.milliseconds - 280_000) < 1000)
            #expect(try await eta(api, id, couriers[0]) == told)
            for person in [store, couriers[0]] {
                #expect(try await api.get("/v1/deliveries", as: person.token).items.map { $0["eta"] } == [told])
            }
            try await api.numberEvents()
            #expect(try await api.get("/v1/events", as: store.token).items.last?["delivery"]["eta"] == told)
            try await api.execute("UPDATE positions SET at = at - interval '61 seconds'")
            #expect(try await eta(api, id, store) == .null)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await eta(api, id, store) != .null)
            let delivered = try await api.act("deliver", id, as: couriers[0])
            #expect(delivered.json["eta"] == .null)
            #expect(try await eta(api, id, store) == .null)
        }
    }

    @Test func `the stops before it are on the way`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [String] = []
            let places: [(lat: Double, lon: Double)?] = [SamplePlace.door, Self.north(3000), nil]
            for place in places {
                ids.append(try await api.delivery(of: store, to: couriers, Self.to(place)))
                try await api.act("accept", ids.last ?? "", as: couriers[0])
            }
            try await api.say(SamplePlace.fix(Self.north(1000)), by: couriers[0])
            func distances(_ order: [Int]) async throws -> [Int?] {
                let route: JSON = ["delivery_ids": .array(order.map { .string(ids[$0]) })]
                #expect(try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token).status == 204)
                var distances: [Int?] = []
                for id in ids { distances.append(try await eta(api, id, store)["distance_m"].integer) }
                return distances
            }
            #expect(try await distances([0, 1, 2]) == [1400, 5600, nil])
            // What has no place is passed by, and nobody can tell when it arrives.
            #expect(try await distances([2, 1, 0]) == [7000, 2800, nil])
        }
    }

    @Test func `nobody else learns when it arrives`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            try await api.act("reassign", id, as: store)
            try await api.act("accept", id, as: couriers[1])
            #expect(try await eta(api, id, store) == .null)
            try await api.say(SamplePlace.fix(), by: couriers[1])
            #expect(try await eta(api, id, store) != .null)
            #expect(try await eta(api, id, couriers[0]) == .null)
        }
    }

    @Test func `what a router said holds as long as the stops are those`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [String] = []
            for _ in 0..<2 {
                ids.append(try await api.delivery(of: store, to: couriers))
                try await api.act("accept", ids.last ?? "", as: couriers[0])
            }
            let route: JSON = ["delivery_ids": .array(ids.map { .string($0) })]
            _ = try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            try await api.execute(
                """
                UPDATE positions SET way_at = now(), way_stops = '{\(ids[0]),\(ids[1])}', way_seconds = '{100,200}',
                    way_meters = '{1500,1700}'
                """)
            #expect(try await eta(api, ids[0], store)["by"] == "router")
            let second = try await eta(api, ids[1], store)
            #expect(second["by"] == "router" && second["distance_m"] == 1700)
            // Not for ever, though.
            try await api.execute("UPDATE positions SET way_at = now() - interval '61 seconds'")
            #expect(try await eta(api, ids[1], store)["by"] == "straight")
            try await api.execute("UPDATE positions SET way_at = now()")
            try await api.act("deliver", ids[0], as: couriers[0])
            #expect(try await eta(api, ids[1], store)["by"] == "straight")
        }
    }

    @Test func `a router is asked by where its courier is, once for a while, and for the order of stops`() async throws
    {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.router = ServiceURL(far.url())
            try await ServedProduct.serving(services: services) { api in
                let (store, couriers) = try await api.team(1)
                #expect(try await api.get("/v1/about").json["router"] == "osrm")
                var ids: [String] = []
                for place in [SamplePlace.door, Self.north(3000)] {
                    ids.append(try await api.delivery(of: store, to: couriers, Self.to(place)))
                    try await api.act("accept", ids.last ?? "", as: couriers[0])
                }
                let route: JSON = ["delivery_ids": .array(ids.map { .string($0) })]
                _ = try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token)
                try await api.say(SamplePlace.fix(Self.north(1000), ago: 3), by: couriers[0])
                try await eventually { try await eta(api, ids[0], store)["by"] == "router" }
                let (first, second) = (try await eta(api, ids[0], store), try await eta(api, ids[1], store))
                #expect(first["by"] == "router" && second["by"] == "router", "\(first)")
                #expect((900...1600).contains(first["distance_m"].integer ?? 0), "\(first)")
                #expect(second["distance_m"].integer ?? 0 > 2 * (first["distance_m"].integer ?? 0))
                try await api.say(SamplePlace.fix(Self.north(990), ago: 1), by: couriers[0])
                #expect(far.asked.count == 1 && far.asked[0].contains("/route/"))
                #expect(try await eta(api, ids[0], store) == first)
                let suggested = try await api.get("/v1/me/route/suggestion", as: couriers[0].token).json
                #expect(suggested["by"] == "router" && suggested["delivery_ids"].items.count == 2)
                #expect(far.asked.count == 2 && far.asked[1].contains("/table/"))
            }
        }
    }

    @Test(arguments: ["slow", "garbage", "failing", "lying", "boasting", "huge", "elsewhere"])
    func `a router that goes wrong is done without`(_ way: String)
        async throws
    {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.router = ServiceURL(far.url(way))
            try await ServedProduct.serving(services: services) { api in
                let (store, couriers) = try await api.team(1)
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                #expect(try await api.say(SamplePlace.fix(), by: couriers[0]).json["taken"] == 1)
                // Who says where it is waits for no router, and what it says comes to nothing.
                try await eventually { !far.asked.isEmpty }
                #expect(try await eta(api, id, store)["by"] == "straight")
                #expect(try await api.get("/v1/me/route/suggestion", as: couriers[0].token).json["by"] == "straight")
                #expect(!far.asked.isEmpty)
            }
        }
    }

    @Test func `the database and the server measure alike`() async throws {
        try await ServedProduct.serving { api in
            var chance = Chance(seed: 4)
            for _ in 0..<200 {
                func place() -> Location {
                    let (lat, lon) = (chance.number(-9000...9000), chance.number(-18_000...18_000))
                    return Location(lat: Double(lat) / 100, lon: Double(lon) / 100)!
                }
                let (from, to) = (place(), place())
                let measured = try await api.execute(
                    "SELECT distance_m(\(from.lat), \(from.lon), \(to.lat), \(to.lon))")
                let meters = try #require(Double(measured[0][0] ?? ""))
                #expect(abs(meters - from.meters(to: to)) < 0.01, "\(from) \(to)")
            }
            #expect(try await api.execute("SELECT distance_m(45, 16, NULL, 16)") == [[nil]])
        }
    }

    @Test func `the store hears once a carry that it is nearly there`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            func nearby() async throws -> Int {
                try await api.numberEvents()
                for courier in couriers {
                    let told = try await api.get("/v1/events?limit=200", as: courier.token).items
                    #expect(!told.contains { $0["type"] == "delivery.nearby" })
                }
                return try await api.get("/v1/events?limit=200", as: store.token).items
                    .filter { $0["type"] == "delivery.nearby" && $0["delivery_id"].string == id }.count
            }
            // Before it carries it, being there means nothing.
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 55), by: couriers[0])
            try await api.act("accept", id, as: couriers[0])
            try await api.execute("UPDATE jobs SET since = since - interval '52 seconds'")
            try await api.say(SamplePlace.fix(Self.north(160), ago: 50), by: couriers[0])
            #expect(try await nearby() == 0)
            try await api.say(
                SamplePlace.fix(Self.north(140), ago: 45), SamplePlace.fix(Self.north(300), ago: 44), by: couriers[0])
            #expect(try await nearby() == 1)
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 40), by: couriers[0])
            #expect(try await nearby() == 1)
            // However long it takes.
            try await api.execute("UPDATE nearby_told SET told_at = now() - interval '8 days'")
            try await api.database.run(ForgetPositions())
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 38), by: couriers[0])
            #expect(try await nearby() == 1)
            // Reopening goes on with the same carry.
            try await api.act("deliver", id, as: couriers[0])
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 35), by: couriers[0])
            #expect(try await nearby() == 1)
            try await api.act("reassign", id, as: store)
            try await api.act("accept", id, as: couriers[1])
            _ = try await together(8) { try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[1]).status }
            #expect(try await nearby() == 2)
            try await api.expectConsistency()
        }
    }

    /// Who accepts at the door is there with the next word of it; where it was before says nothing of this carry.
    @Test func `what a phone says late of before it accepted makes nobody nearly there`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            func told() async throws -> Int {
                try await api.numberEvents()
                return try await api.get("/v1/events?limit=200", as: store.token).items
                    .filter { $0["type"] == "delivery.nearby" }.count
            }
            try await api.act("accept", id, as: couriers[0])
            let late = SamplePlace.fix(SamplePlace.door, ago: 72_000)
            try await api.say(late, SamplePlace.fix(SamplePlace.door, ago: 30), by: couriers[0])
            var count = try await told()
            #expect(count == 0)
            try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[0])
            count = try await told()
            #expect(count == 1)
        }
    }

    @Test func `the nearest is offered it first, and whose place nobody knows comes last`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(4)
            try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[3])
            try await api.setDuty(false, of: couriers[3])
            let turns: JSON = ["mode": "in_turn", "order": "nearest", "each_seconds": 600]
            func order(_ more: [String: JSON]) async throws -> [Int] {
                try await api.say(SamplePlace.fix(Self.north(5000)), by: couriers[1])
                try await api.say(SamplePlace.fix(Self.north(500)), by: couriers[2])
                let id = try await api.delivery(of: store, to: couriers, ["offer": turns].merging(more) { $1 })
                var order: [Int] = []
                for _ in couriers {
                    let candidates = try await api.get(SampleDelivery.path(id), as: store.token).json["candidates"]
                        .items
                    let offered = candidates.first { $0["state"] == "offered" }?["courier_id"].string
                    guard let next = couriers.firstIndex(where: { $0.id == offered }) else { break }
                    order.append(next)
                    try await api.act("decline", id, as: couriers[next])
                }
                return order
            }
            let door: JSON = ["lat": .number(SamplePlace.door.lat), "lon": .number(SamplePlace.door.lon)]
            #expect(try await order(["pickup": ["location": door]]) == [2, 1, 0, 3])
            // Else it is the store's own place that counts, if there is one.
            #expect(try await order([:]) == [0, 1, 2, 3])
            let far = Self.north(6000)
            _ = try await api.call(
                "PATCH", "/v1/me", ["location": ["lat": .number(far.lat), "lon": .number(far.lon)]], as: store.token)
            #expect(try await order([:]) == [1, 2, 0, 3])
        }
    }

    @Test func `a better order of stops is suggested, with what it saves`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func suggestion() async throws -> JSON {
                try await api.get("/v1/me/route/suggestion", as: couriers[0].token).json
            }
            let none = try await suggestion()
            #expect(none["delivery_ids"] == [] && none["ends_at"] == .null && none["saves_seconds"] == 0)
            var ids: [String] = []
            let places: [(lat: Double, lon: Double)?] = [Self.north(2000), nil, Self.north(1000), Self.north(3000)]
            for place in places {
                ids.append(try await api.delivery(of: store, to: couriers, Self.to(place)))
                try await api.act("accept", ids.last ?? "", as: couriers[0])
            }
            _ = try await api.call(
                "PUT", "/v1/me/route", ["delivery_ids": .array(ids.map { .string($0) })], as: couriers[0].token)
            try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[0])
            let better = try await suggestion()
            #expect(better["delivery_ids"].items.map(\.string) == [ids[2], ids[0], ids[3], ids[1]])
            // 2000 + 1000 + 2000 metres instead of 1000 + 1000 + 1000, at 18 km/h, along streets.
            #expect(better["saves_seconds"] == 560 && better["late_seconds"] == 0 && better["by"] == "straight")
            _ = try await api.call(
                "PUT", "/v1/me/route", better.without("ends_at"), as: couriers[0].token)
            let best = try await suggestion()
            #expect(best["delivery_ids"] == better["delivery_ids"] && best["saves_seconds"] == 0)
            #expect(best["less_late_seconds"] == 0)
        }
    }

    @Test func `of more stops than a route can have the first are ordered, and the order is taken`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, Self.to(SamplePlace.door))
            try await api.act("accept", id, as: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            try await api.execute(
                """
                INSERT INTO deliveries (id, store_id, status, version, candidates, courier_id, recipient_first_name, recipient_last_name,
                    recipient_address, recipient_lat, recipient_lon, description, created_at, updated_at, accepted_at, due_at)
                SELECT uuid_v7(), store_id, status, 1, candidates, courier_id, 'Iva', 'Ivić', 'Ilica ' || n,
                    recipient_lat + n * 37 % 101 / 1000.0, recipient_lon + n * 53 % 103 / 1000.0, 'Torta', now(), now(), now(),
                    now() + n * interval '1 minute'
                FROM deliveries, generate_series(1, 240) n WHERE id = '\(id)'
                """)
            try await api.execute(
                """
                INSERT INTO jobs (courier_id, status, delivery_id, store_id)
                SELECT courier_id, status, id, store_id FROM deliveries WHERE id <> '\(id)'
                """)
            let suggested = try await api.get("/v1/me/route/suggestion", as: couriers[0].token)
            let ids = suggested.json["delivery_ids"].items
            #expect(suggested.status == 200 && ids.count == 200 && Set(ids.compactMap(\.string)).count == 200)
            let first = try await api.execute(
                "SELECT delivery_id FROM jobs ORDER BY place DESC, delivery_id DESC LIMIT 200")
            #expect(Set(ids.map(\.string)) == Set(first.map { $0[0] }))
            let put = try await api.call(
                "PUT", "/v1/me/route", ["delivery_ids": .array(ids)], as: couriers[0].token)
            #expect(put.status == 204)
        }
    }

    @Test func `windows come first, also where the way becomes longer by them`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 2_700_000_000).text
            var ids: [String] = []
            for (place, until) in [(SamplePlace.door, nil), (Self.north(10_000), due)] {
                let window: JSON = until.map { ["until": .string($0)] } ?? .null
                let form = Self.to(place).merging(["window": window]) { $1 }
                ids.append(try await api.delivery(of: store, to: couriers, form))
                try await api.act("accept", ids.last ?? "", as: couriers[0])
            }
            let route: JSON = ["delivery_ids": .array(ids.map { .string($0) })]
            _ = try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token)
            try await api.say(SamplePlace.fix(Self.north(1000)), by: couriers[0])
            let better = try await api.get("/v1/me/route/suggestion", as: couriers[0].token).json
            #expect(better["delivery_ids"].items.map(\.string) == [ids[1], ids[0]])
            // 280 and 2800 seconds instead of 2520 and 2800, of which some have gone by meanwhile.
            #expect(better["late_seconds"] == 0 && better["saves_seconds"] == -2240)
            #expect((380...1000).contains(better["less_late_seconds"].integer ?? 0))
        }
    }
}
