import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Figures

/// A store's figures by area.
@Suite(.database) struct AreaTests {
    /// Two places in one cell, and one in another, some kilometres away.
    private static let here: JSON = ["lat": .number(45.8131), "lon": .number(15.9775)]
    private static let near: JSON = ["lat": .number(45.8142), "lon": .number(15.9771)]
    private static let far: JSON = ["lat": .number(45.7800), "lon": .number(16.0400)]

    private func recipient(at location: JSON) -> JSON {
        ["first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1", "location": location]
    }

    private func make(
        _ api: ServedProduct, _ store: Person, _ couriers: [Person], at location: JSON
    ) async throws -> String {
        try await api.delivery(of: store, to: couriers, ["recipient": recipient(at: location)])
    }

    /// Makes another delivery like that one, which was created then.
    private func put(_ id: String, at time: String, _ api: ServedProduct) async throws {
        try await api.execute(
            """
            INSERT INTO deliveries SELECT (jsonb_populate_record(
                d, jsonb_build_object('id', first_uuid('\(time)'), 'created_at', '\(time)'))).*
            FROM deliveries d WHERE id = '\(id)'
            """)
    }

    private func areas(_ api: ServedProduct, _ store: Person, _ query: String = "") async throws -> JSON {
        let answer = try await api.get("/v1/stats/areas\(query)", as: store.token)
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    private func fold(_ api: ServedProduct) async throws {
        while try await api.database.run(FoldAreas()).first == true {}
    }

    @Test func `the figures are those of the deliveries in each area`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (other, others) = try await api.team(1)
            _ = try await make(api, other, others, at: Self.here)
            var ids: [String] = []
            for place in [Self.here, Self.near, Self.here, Self.far, .null] {
                ids.append(try await make(api, store, couriers, at: place))
            }
            for id in ids.dropLast() { try await api.act("accept", id, as: couriers[0]) }
            for id in ids.prefix(2) { try await api.act("pick_up", id, as: couriers[0]) }
            for _ in 0..<2 { try await api.act("fail", ids[0], as: couriers[0], ["reason": "nobody_home"]) }
            for id in [ids[0], ids[3]] { try await api.act("deliver", id, as: couriers[0]) }
            try await api.act("cancel", ids[2], as: couriers[0])
            try await api.act("cancel", ids[4], as: store)
            try await api.execute(
                "UPDATE deliveries SET accepted_at = delivered_at - interval '25 minutes' WHERE id = '\(ids[0])'")
            let told = try await areas(api, store, "?near=45.8131,15.9775")
            #expect(told["time_zone"] == "Europe/Zagreb" && told["without_place"] == 1)
            #expect(told["from"].string?.count == 10 && told["to"].string?.count == 10)
            func value(_ figures: JSON, _ name: String) -> JSON { figures[name]["value"] }
            let names = ["deliveries", "delivered", "returned", "failed_attempts"]
            #expect(names.map { value(told["total"], $0) } == [5, 2, 1, 2])
            let items = told["items"].items
            try #require(items.count == 2)
            #expect(
                names.map { value(items[0], $0) } == [3, 1, 1, 2] && names.map { value(items[1], $0) } == [1, 1, 0, 0])
            #expect(names.map { items[0][$0]["change"] } == [3, 1, 1, 2])
            #expect(value(items[0], "median_minutes") == .number(25) && items[0]["median_minutes"]["change"] == .null)
            let cell = AreaCell(of: try #require(Location(lat: 45.8131, lon: 15.9775)))
            #expect(items[0]["cell"].string == cell.description)
            #expect(items[0]["center"] == ["lat": .number(cell.middle.lat), "lon": .number(cell.middle.lon)])
            #expect((0...690).contains(items[0]["distance_m"].integer ?? -1))
            #expect((5000...8000).contains(items[1]["distance_m"].integer ?? -1))
            #expect(!(try await areas(api, store)["items"].items[0].names.contains("distance_m")))
            let there = "?near=45.8131,15.9775"
            let alone = try await api.get("/v1/stats/areas/\(cell)\(there)", as: store.token).json
            #expect(alone["distance_m"] == items[0]["distance_m"])
            let now = try await api.get("/v1/stats/days/\(told["to"].string ?? "")\(there)", as: store.token).json
            #expect(now["items"].items.map { $0["distance_m"] } == items.map { $0["distance_m"] })
            // One area by day, and one day.
            let one = try await api.get("/v1/stats/areas/\(cell)?days=7", as: store.token).json
            #expect(one["cell"] == items[0]["cell"] && one["total"] == items[0].without("cell", "center", "distance_m"))
            let days = one["days"].items
            #expect(days.count == 7 && days.last?["deliveries"] == 3 && days[0]["deliveries"] == 0)
            #expect(days.last?["day"] == told["to"] && days.last?["median_minutes"] == .number(25))
            let today = try await api.get("/v1/stats/days/\(told["to"].string ?? "")", as: store.token).json
            #expect(today["total"] == told["total"] && today["from"] == told["to"] && today["items"].items.count == 2)
            #expect(try await areas(api, other)["total"]["deliveries"]["value"] == 1)
        }
    }

    @Test func `the busiest areas are told, as many as are asked for`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for (place, count) in [(0, 1), (1, 3), (2, 2), (3, 1), (4, 1)] {
                let location: JSON = ["lat": .number(45.8), "lon": .number(15.9 + Double(place) * 0.02)]
                for _ in 0..<count { _ = try await make(api, store, couriers, at: location) }
            }
            let told = try await areas(api, store, "?top=3&days=1")["items"].items
            #expect(told.map { $0["deliveries"]["value"] } == [3, 2, 1])
            let all = try await areas(api, store, "?top=50")["items"].items.compactMap { $0["cell"].string }
            #expect(all.count == 5 && Array(all.dropFirst(2)) == all.dropFirst(2).sorted())
            #expect(told[2]["cell"].string == all[2])
        }
    }

    @Test(arguments: [
        ("areas?days=0", "days", "out_of_range"), ("areas?days=367", "days", "out_of_range"),
        ("areas?top=2", "top", "out_of_range"), ("areas?top=51", "top", "out_of_range"),
        ("areas?near=91,0", "near", "invalid_location"), ("areas/u25kes?near=x", "near", "invalid_location"),
        ("areas/u25kea", "", ""), ("areas/u25ke", "", ""), ("days/2026-02-30", "", ""), ("days/yesterday", "", ""),
    ])
    func `what is wrong is told`(_ path: String, _ field: String, _ code: String) async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.get("/v1/stats/\(path)", as: try await api.store().token)
            #expect(field.isEmpty ? answer.status == 404 : answer.status == 422 && answer.wrong == [field: code])
        }
    }

    /// Where a day is that of the clock on the wall, also on the days when that is changed: 23 and 25 hours.
    @Test(arguments: [
        // Summer time begins at two, and ends at three.
        (
            "HR", 45.8, 16.0, "2026-03-29", ["2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z"],
            ["2026-03-28T22:59:59Z", "2026-03-29T22:00:00Z"]
        ),
        (
            "HR", 45.8, 16.0, "2026-10-25", ["2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z"],
            ["2026-10-24T21:59:59Z", "2026-10-25T23:00:00Z"]
        ),
        // Of a country with several zones the nearest; and one that halves hours.
        ("ES", 28.1, -15.4, "2026-06-10", ["2026-06-09T23:00:00Z"], ["2026-06-09T22:59:59Z", "2026-06-10T23:00:00Z"]),
        ("IN", 28.6, 77.2, "2026-06-10", ["2026-06-09T18:30:00Z"], ["2026-06-09T18:29:59Z"]),
        // Midnight comes twice.
        ("CU", 23.1, -82.4, "2026-11-01", ["2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z"], ["2026-11-01T03:59:59Z"]),
    ])
    func `a day is that of where the store is`(
        _ country: String, _ lat: Double, _ lon: Double, _ day: String, _ within: [String], _ outside: [String]
    ) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.execute(
                """
                UPDATE stores SET country = '\(country)', lat = \(lat), lon = \(lon),
                    tax_id = CASE WHEN '\(country)' = 'HR' THEN tax_id ELSE 'X123456789' END WHERE id = '\(store.id)'
                """)
            let id = try await make(api, store, couriers, at: Self.here)
            for time in within + outside { try await put(id, at: time, api) }
            for isKept in [false, true] {
                if isKept { try await fold(api) }
                let told = try await api.get("/v1/stats/days/\(day)", as: store.token).json
                #expect(told["total"]["deliveries"]["value"] == .integer(within.count), "\(isKept) \(told)")
            }
        }
    }

    @Test func `the days of a store that moves are counted anew`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await make(api, store, couriers, at: Self.here)
            try await put(id, at: "2026-06-09T23:30:00Z", api)
            func count(_ day: String) async throws -> JSON {
                try await api.get("/v1/stats/days/\(day)", as: store.token).json["total"]["deliveries"]["value"]
            }
            try await fold(api)
            #expect(try await count("2026-06-10") == 1)
            try await api.execute("UPDATE stores SET country = 'IS', tax_id = 'X123456789' WHERE id = '\(store.id)'")
            #expect(try await count("2026-06-10") == 0)
            try await fold(api)
            #expect(try await count("2026-06-09") == 1)
            #expect(try await api.execute("SELECT zone FROM area_stores") == [["Atlantic/Reykjavik"]])
        }
    }

    @Test func `days that are over are kept, and counted anew when one of their deliveries changes`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await make(api, store, couriers, at: Self.here)
            let ago =
                try await api.execute("SELECT to_char(now() - interval '10 days', 'YYYY-MM-DD\"T12:00:00Z\"')")[0][0]
                ?? ""
            try await put(id, at: ago, api)
            let day = String(ago.prefix(10))
            func told() async throws -> JSON {
                try await api.get("/v1/stats/days/\(day)", as: store.token).json["total"]
            }
            func kept() async throws -> [[String?]] {
                try await api.execute("SELECT day, deliveries, delivered FROM area_days WHERE day = '\(day)'")
            }
            #expect(try await told()["deliveries"]["value"] == 1)
            try await fold(api)
            #expect(try await kept() == [[day, "{1}", "{0}"]])
            #expect(try await api.execute("SELECT FROM area_marks").isEmpty)
            // Read from what is kept, as one sees when that says something else.
            try await api.execute("UPDATE area_days SET deliveries = '{7}', packed = NULL WHERE day = '\(day)'")
            #expect(try await told()["deliveries"]["value"] == 7)
            let change = """
                UPDATE deliveries SET status = 'delivered', courier_id = '\(couriers[0].id)', accepted_at = now(),
                    delivered_at = now() WHERE id = first_uuid('\(ago)')
                """
            try await api.execute(change)
            // Nobody waits for the next time that it is kept.
            #expect(try await told()["deliveries"]["value"] == 1)
            #expect(try await told()["delivered"]["value"] == 1)
            try await fold(api)
            #expect(try await kept() == [[day, "{1}", "{1}"]])
            // What is not committed when its day is counted is counted when it is.
            let open = try await OpenTransaction.begin()
            try await open.query(
                "UPDATE deliveries SET status = 'cancelled', cancelled_at = now(), delivered_at = NULL WHERE id = first_uuid('\(ago)')"
            )
            try await fold(api)
            #expect(try await told()["delivered"]["value"] == 1)
            try await open.commit()
            #expect(try await told()["delivered"]["value"] == 0)
            try await fold(api)
            #expect(try await kept() == [[day, "{1}", "{0}"]])
        }
    }

    @Test func `recipients who are forgotten stay in their areas, also when their days are counted anew`() async throws
    {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for (number, place) in [Self.here, Self.far, .null].enumerated() {
                let id = try await make(api, store, couriers, at: place)
                for action in ["accept", "deliver"] { try await api.act(action, id, as: couriers[0]) }
                let time = try await api.execute("SELECT now() - interval '10 days \(number) seconds'")[0][0] ?? ""
                try await put(id, at: time, api)
            }
            try await api.execute(
                """
                UPDATE deliveries SET accepted_at = accepted_at - interval '10 days', delivered_at = delivered_at - interval '10 days'
                WHERE created_at < now() - interval '1 day'
                """)
            try await fold(api)
            let before = try await areas(api, store)
            try #require(before["items"].items.count == 2 && before["without_place"] == 2)
            try await api.execute("UPDATE trust SET recipient_days = 1")
            #expect(try await api.execute("SELECT forget_recipients()") == [["3"]])
            #expect(try await api.execute("SELECT FROM area_marks").isEmpty)
            #expect(try await areas(api, store) == before)
            try await api.execute("INSERT INTO area_marks (store_id, at) SELECT store_id, created_at FROM deliveries")
            #expect(try await areas(api, store) == before)
            try await api.execute("DELETE FROM area_days")
            try await api.execute("UPDATE area_stores SET zone = NULL, through = NULL, next_at = DEFAULT")
            try await fold(api)
            #expect(try await areas(api, store) == before)
        }
    }

    /// Nobody asks for them often enough that they would be kept.
    @Test func `days of years ago are counted when somebody asks for them`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await make(api, store, couriers, at: Self.here)
            let times = try await api.execute(
                """
                SELECT to_char(now() - ago * interval '1 day', 'YYYY-MM-DD"T12:00:00Z"')
                FROM unnest(ARRAY[2000, 745, 744, 735, 5]) AS ago
                """
            ).compactMap { $0[0] }
            for time in times { try await put(id, at: time, api) }
            for isKept in [false, true] {
                if isKept { try await fold(api) }
                for time in times {
                    let told = try await api.get("/v1/stats/days/\(time.prefix(10))", as: store.token).json["total"]
                    #expect(told["deliveries"]["value"] == 1, "\(time), \(isKept)")
                    #expect(told["deliveries"]["change"] == (time == times[2] ? 0 : 1), "\(time), \(isKept)")
                }
                let none = try await api.get("/v1/stats/days/2020-02-02", as: store.token).json["total"]
                #expect(none["deliveries"]["value"] == 0)
            }
        }
    }

    @Test func `the first day that there is has one before it, too`() async throws {
        try await ServedProduct.serving { api in
            let told = try await api.get("/v1/stats/days/1970-01-01", as: try await api.store().token)
            #expect(told.status == 200 && told.json["from"] == "1970-01-01" && told.json["items"] == [])
        }
    }

    /// Steps of deliveries of now pay for nothing.
    @Test func `what is new leaves no mark`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await make(api, store, couriers, at: Self.here)
            for action in ["accept", "deliver"] { try await api.act(action, id, as: couriers[0]) }
            #expect(try await api.execute("SELECT FROM area_marks").isEmpty)
        }
    }
}
