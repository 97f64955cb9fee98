import API
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@Suite(.database) struct StatsTests {
    @Test func `the figures are what happened`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (other, _) = try await api.team(1)
            var made: [String] = []
            for _ in 0..<4 { made.append(try await api.delivery(of: store, to: couriers)) }
            try await api.act("accept", made[0], as: couriers[0])
            try await api.act("deliver", made[0], as: couriers[0])
            try await api.act("accept", made[1], as: couriers[0])
            try await api.act("cancel", made[1], as: couriers[0])
            try await api.act("cancel", made[2], as: store)
            try await api.act("accept", made[3], as: couriers[1])
            let answer = try await api.get("/v1/stats", as: store.token)
            try #require(answer.status == 200, "\(answer.json)")
            let stats = answer.json
            #expect(numbers(stats["totals"]) == [4, 1, 1, 2, 1] && numbers(stats["before"]) == [0, 0, 0, 0, 0])
            let days = stats["days"].items
            let today = try #require(days.last)
            #expect(today["created"] == 4 && today["delivered"] == 1 && today["open"] == 2)
            // Every day is listed, even one without deliveries.
            #expect(days.count == 30 && today["day"] == stats["to"] && days[0]["day"] == stats["from"])
            #expect(days.dropLast().allSatisfy { $0["created"] == 0 && $0["median_seconds_to_accept"] == .null })
            #expect(stats["before"]["median_seconds_to_deliver"] == .null)
            if case .number(let seconds) = stats["totals"]["median_seconds_to_deliver"] {
                #expect(seconds >= 0 && seconds < 60)
            } else {
                Issue.record("no time to deliver")
            }
            let carriers = stats["couriers"].items
            #expect(carriers.map { $0["id"].string } == [couriers[0].id, couriers[1].id])
            #expect(carriers[0]["delivered"] == 1 && carriers[0]["returned"] == 1 && carriers[1]["in_progress"] == 1)
            let others = try await api.get("/v1/stats", as: other.token).json
            #expect(numbers(others["totals"]) == [0, 0, 0, 0, 0] && others["couriers"].items.isEmpty)
        }
    }

    @Test func `what was in time, in vain and waited for is counted`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let due: [String: JSON] = [
                "window": ["until": .string(Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text)]
            ]
            for place in 0..<3 {
                let id = try await api.delivery(of: store, to: couriers, place < 2 ? due : [:])
                for action in ["accept", "pick_up"] { try await api.act(action, id, as: couriers[0]) }
                try await api.act("fail", id, as: couriers[0], ["reason": "nobody_home"])
                if place == 0 { try await api.execute("UPDATE deliveries SET due_at = created_at") }
                try await api.act("deliver", id, as: couriers[0])
            }
            let totals = try await api.get("/v1/stats", as: store.token).json["totals"]
            #expect(totals["due"] == 2 && totals["on_time"] == 1 && totals["attempts"] == 3)
            guard case .number(let seconds) = totals["median_seconds_at_store"] else {
                Issue.record("no time at the store")
                return
            }
            #expect(seconds >= 0 && seconds < 60)
        }
    }

    @Test func `what was offered only later waited from then on`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["parcel": ["pieces": 1]])
            try await api.act("accept", id, as: couriers[0])
            try await api.execute("UPDATE deliveries SET accepted_at = created_at + interval '10 minutes'")
            let accepted = "median_seconds_to_accept"
            #expect(try await api.get("/v1/stats", as: store.token).json["totals"][accepted] == .number(600))
            try await api.execute(
                "UPDATE delivery_extras SET offer_at = created_at + interval '9 minutes' FROM deliveries WHERE id = delivery_id"
            )
            #expect(try await api.get("/v1/stats", as: store.token).json["totals"][accepted] == .number(60))
        }
    }

    /// The days are those of the time zone, including summer time.
    @Test(arguments: [
        ("from=2026-06-11&to=2026-06-11&time_zone=Europe/Zagreb", 1, 0), ("from=2026-06-11&to=2026-06-11", 0, 1),
        ("from=2026-06-10&to=2026-06-10&time_zone=UTC", 1, 0),
        ("from=2026-06-12&to=2026-06-12&time_zone=Europe/Zagreb", 0, 1), ("from=2026-06-13&to=2026-06-14", 0, 0),
        ("from=2026-06-01&to=2026-06-30", 1, 0), ("from=2026-06-17&to=2026-06-23&time_zone=UTC", 0, 1),
        ("from=2026-06-11&to=2026-06-12&time_zone=Pacific/Kiritimati", 1, 0),
    ])
    func `a day is that of the time zone`(query: String, now: Int, before: Int) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            // Half past ten in the evening in UTC, half past midnight in Zagreb.
            let then = ID.version7(milliseconds: 1_781_130_600_000, random: (1, 1))
            try await api.execute(
                """
                INSERT INTO deliveries SELECT (jsonb_populate_record(
                    d, '{"id": "\(then)", "created_at": "2026-06-10T22:30:00Z"}')).*
                FROM deliveries d WHERE id = '\(id)'
                """)
            let stats = try await api.get("/v1/stats?\(query)", as: store.token).json
            #expect(stats["totals"]["created"] == .integer(now) && stats["before"]["created"] == .integer(before))
            #expect(stats["days"].items.filter { $0["created"] == 1 }.count == now)
        }
    }

    @Test(arguments: [
        ("from=yesterday", "from", "invalid_value"), ("to=2026-02-30", "to", "invalid_value"),
        ("from=2026-02-02&to=2026-02-01", "from", "from_after_to"),
        ("from=2024-01-01&to=2026-02-01", "from", "period_too_long"),
        ("time_zone=Europe/Atlantis", "time_zone", "invalid_value"),
        ("time_zone=%27%3B--", "time_zone", "invalid_value"), ("time_zone=Etc/GMT%2B5", "", ""),
        ("time_zone=Etc/GMT-14", "", ""), ("time_zone=Etc/UTC", "", ""),
        ("time_zone=Etc/GMT-15", "time_zone", "invalid_value"), ("time_zone=Etc/Foo5", "time_zone", "invalid_value"),
        ("time_zone=%2B10:00", "time_zone", "invalid_value"), ("time_zone=Foo5", "time_zone", "invalid_value"),
        ("to=9999-12-31&time_zone=UTC&from=9999-12-31", "", ""),
    ])
    func `a wrong parameter is named`(query: String, field: String, code: String) async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await api.get("/v1/stats?\(query)", as: store.token)
            #expect(field.isEmpty ? answer.status == 200 : answer.status == 422 && answer.wrong[field] == code)
        }
    }

    private func numbers(_ totals: JSON) -> [Int] {
        ["created", "delivered", "cancelled", "open", "returned"].map { name in
            guard case .integer(let number) = totals[name] else { return -1 }
            return number
        }
    }
}
