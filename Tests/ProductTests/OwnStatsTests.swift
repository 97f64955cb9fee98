import Domain
import HTTP
import TestSupport
import Testing

/// What a courier did.
@Suite(.database) struct OwnStatsTests {
    private static let zagreb: JSON = ["lat": .number(45.813), "lon": .number(15.978)]
    private static let way = Location(lat: 45.813, lon: 15.978)!.meters(to: Location(lat: 45.8, lon: 16)!)

    private func deliver(
        _ api: ServedProduct, _ store: Person, _ courier: Person, _ more: [String: JSON] = [:]
    ) async throws -> String {
        let recipient: JSON = [
            "first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1",
            "location": ["lat": .number(45.8), "lon": .number(16)],
        ]
        let id = try await api.delivery(
            of: store, to: [courier], more.merging(["recipient": recipient]) { one, _ in one })
        try await api.act("accept", id, as: courier)
        let handed: JSON = more["cash"].map { ["cash_collected": $0] } ?? [:]
        try #require(try await api.post("/v1/deliveries/\(id)/deliver", handed, as: courier.token).status == 200)
        return id
    }

    private func stats(_ api: ServedProduct, _ courier: Person, _ query: String = "") async throws -> JSON {
        let answer = try await api.get("/v1/me/stats\(query)", as: courier.token)
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    @Test func `a courier sees what it carried, gave back, how far and for how much, by day and store`() async throws {
        try await ServedProduct.serving { api in
            let (first, second) = (try await api.store(name: "Cvjećara"), try await api.store(name: "Pekara"))
            let (ana, ivo) = (try await api.courier(), try await api.courier())
            for store in [first, second] { for courier in [ana, ivo] { try await api.join(store, courier) } }
            #expect(
                try await stats(api, ana)["total"] == [
                    "carried": 0, "given_back": 0, "distance_m": 0, "without_place": 0, "earnings": [], "cash": [],
                ])
            _ = try await api.call("PATCH", "/v1/me", ["location": Self.zagreb], as: first.token)
            let euros: [String: JSON] = ["pay": ["amount": 350, "currency": "EUR"]]
            for amount in [2350, 150] {
                let cash: JSON = ["amount": .integer(amount), "currency": "EUR"]
                _ = try await deliver(api, first, ana, euros.merging(["cash": cash]) { one, _ in one })
            }
            _ = try await deliver(api, first, ivo, euros)
            // Nobody knows where the second store is, but of one it is said.
            _ = try await deliver(api, second, ana, ["pay": ["amount": 900, "currency": "HUF"]])
            _ = try await deliver(api, second, ana, ["pickup": ["location": Self.zagreb]])
            let returned = try await api.delivery(of: second, to: [ana])
            for action in ["accept", "cancel"] { try await api.act(action, returned, as: ana) }
            let open = try await api.delivery(of: second, to: [ana])
            try await api.act("accept", open, as: ana)
            let told = try await stats(api, ana, "?days=7&time_zone=Europe/Zagreb")
            let meters = Int((Self.way * StraightWay.detour).rounded())
            func figures(
                _ carried: Int, _ back: Int, _ ways: Int, _ placeless: Int, _ earnings: JSON, cash: JSON = []
            ) -> JSON {
                [
                    "carried": .integer(carried), "given_back": .integer(back), "distance_m": .integer(ways * meters),
                    "without_place": .integer(placeless), "earnings": earnings, "cash": cash,
                ]
            }
            let (eur, huf): (JSON, JSON) = (
                ["amount": 700, "currency": "EUR"], ["amount": 900, "currency": "HUF"]
            )
            // What it was given for the stores it has to hand in.
            let cash: JSON = [["amount": 2500, "currency": "EUR"]]
            #expect(told["total"] == figures(4, 1, 3, 1, [eur, huf], cash: cash))
            let items = told["items"].items
            #expect(items.map { $0["store"]["name"] } == ["Cvjećara", "Pekara"])
            #expect(items.map { $0["store"]["id"].string } == [first.id, second.id])
            #expect(items.allSatisfy { $0["day"] == told["to"] })
            #expect(items[0].without("day", "store") == figures(2, 0, 2, 0, [eur], cash: cash))
            #expect(items[1].without("day", "store") == figures(2, 1, 1, 1, [huf]))
            #expect(try await stats(api, ivo)["total"]["carried"] == 1)
            // What is open again was not carried.
            let once = try await deliver(api, first, ivo, euros)
            _ = try await api.post("/v1/deliveries/\(once)/reopen", ["note": "nije stiglo"], as: first.token)
            #expect(try await stats(api, ivo)["total"]["carried"] == 1)
        }
    }

    @Test func `where recipients are forgotten, ways are those to the middle of their cells`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await deliver(api, store, couriers[0], ["pickup": ["location": Self.zagreb]])
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '2 days'")
            try await api.execute(
                "UPDATE jobs SET place = place_in_list('delivered', NULL, delivered_at, NULL) FROM deliveries d WHERE d.id = delivery_id"
            )
            try await api.execute("UPDATE trust SET recipient_days = 1")
            #expect(try await api.execute("SELECT forget_recipients()") == [["1"]])
            let told = try await stats(api, couriers[0])["total"]
            let middle = AreaCell(of: try #require(Location(lat: 45.8, lon: 16))).middle
            let meters = try #require(Location(lat: 45.813, lon: 15.978)).meters(to: middle) * StraightWay.detour
            #expect(told["distance_m"] == .integer(Int(meters.rounded())) && told["without_place"] == 0)
        }
    }

    @Test func `a day is that of the time zone that is named`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await deliver(api, store, couriers[0])
            try await api.execute(
                """
                UPDATE deliveries SET delivered_at = date_trunc('day', now() AT TIME ZONE 'Pacific/Kiritimati' - interval '3 days')
                    AT TIME ZONE 'Pacific/Kiritimati' + interval '1 hour', accepted_at = now() - interval '9 days' WHERE id = '\(id)'
                """)
            try await api.execute(
                """
                UPDATE jobs SET place = place_in_list('delivered', NULL, d.delivered_at, NULL) FROM deliveries d
                WHERE d.id = delivery_id AND jobs.status = 'delivered'
                """)
            let there = try await stats(api, couriers[0], "?days=4&time_zone=Pacific/Kiritimati")
            #expect(there["items"].items.map { $0["day"] } == [there["from"]])
            #expect(try await stats(api, couriers[0], "?days=3&time_zone=Pacific/Kiritimati")["items"].items.isEmpty)
            let elsewhere = try await stats(api, couriers[0], "?days=366")
            #expect(elsewhere["time_zone"] == "UTC" && elsewhere["total"]["carried"] == 1)
            #expect(elsewhere["items"].items[0]["day"] != there["from"])
        }
    }

    @Test(arguments: [
        ("days=0", "days", "out_of_range"), ("days=367", "days", "out_of_range"),
        ("time_zone=Europe/Atlantis", "time_zone", "invalid_value"),
    ])
    func `what is wrong is told`(_ query: String, _ field: String, _ code: String) async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.get("/v1/me/stats?\(query)", as: try await api.courier().token)
            #expect(answer.status == 422 && answer.wrong == [field: code])
        }
    }
}
