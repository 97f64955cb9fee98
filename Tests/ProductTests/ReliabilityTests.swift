import HTTP
import TestSupport
import Testing

/// The directory by reliability.
@Suite(.database) struct ReliabilityTests {
    /// A courier who has delivered and given back so many.
    private func courier(_ api: ServedProduct, _ name: String, _ delivered: Int, _ cancelled: Int) async throws
        -> Person
    {
        let courier = try await api.courier(name: ("Ana", name))
        try await api.execute(
            """
            UPDATE couriers SET delivered = \(delivered), cancelled = \(cancelled), accepted = \(delivered + cancelled)
            WHERE id = '\(courier.id)'
            """)
        return courier
    }

    private func names(_ api: ServedProduct, _ query: String, as store: Person, limit: Int = 50) async throws
        -> [String?]
    {
        var (names, cursor): ([String?], String?) = ([], nil)
        repeat {
            let next = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await api.get("/v1/couriers?limit=\(limit)&\(query)\(next)", as: store.token)
            try #require(page.status == 200, "\(page.json)")
            names += page.items.map { $0["last_name"].string }
            cursor = page.json["next_cursor"].string
        } while cursor != nil
        return names
    }

    @Test func `reliability is what was delivered of what was delivered or given back, from five on`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for (name, delivered, cancelled) in [("A", 4, 0), ("B", 5, 0), ("C", 199, 1), ("D", 0, 5), ("E", 2, 1)] {
                _ = try await courier(api, name, delivered, cancelled)
            }
            let told = try await api.get("/v1/couriers", as: store.token).items.map { $0["reliability"] }
            // A single failure is never rounded away.
            #expect(told == [.null, .number(1), .number(0.99), .number(0), .null])
        }
    }

    @Test(arguments: [1, 2, 50]) func `couriers are listed by reliability, then by name, page by page`(_ limit: Int)
        async throws
    {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let all = [
                ("Žic", 9, 1), ("Babić", 10, 0), ("Anić", 10, 0), ("Novak", 0, 0), ("Kos", 5, 5), ("Perić", 1, 3),
            ]
            for (place, (name, delivered, cancelled)) in all.enumerated() {
                let courier = try await courier(api, name, delivered, cancelled)
                if place % 2 == 0 { try await api.join(store, courier) }
            }
            func sorted(_ query: String) async throws -> [String?] {
                try await names(api, "sort=reliability&\(query)", as: store, limit: limit)
            }
            #expect(try await sorted("") == ["Anić", "Babić", "Žic", "Kos", "Novak", "Perić"])
            #expect(try await sorted("partner=true") == ["Anić", "Žic", "Kos"])
            #expect(try await sorted("partner=false") == ["Babić", "Novak", "Perić"])
            #expect(try await sorted("q=ana") == ["Anić", "Babić", "Žic", "Kos", "Novak", "Perić"])
            #expect(try await sorted("q=ana&partner=true") == ["Anić", "Žic", "Kos"])
            let byName = ["Anić", "Babić", "Kos", "Novak", "Perić", "Žic"]
            #expect(try await names(api, "sort=name", as: store, limit: limit) == byName)
        }
    }

    @Test func `each order has places of its own`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for name in ["A", "B"] { _ = try await courier(api, name, 5, 0) }
            for (one, other) in [("name", "reliability"), ("reliability", "name")] {
                let first = try await api.get("/v1/couriers?limit=1&sort=\(one)", as: store.token).json
                let cursor = try #require(first["next_cursor"].string)
                let wrong = try await api.get("/v1/couriers?sort=\(other)&cursor=\(cursor)", as: store.token)
                #expect(wrong.status == 422 && wrong.wrong == ["cursor": "invalid_cursor"])
            }
            let unknown = try await api.get("/v1/couriers?sort=age", as: store.token)
            #expect(unknown.status == 422 && unknown.wrong == ["sort": "invalid_value"])
        }
    }

    @Test func `reliability follows each delivery, and what is excused`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for step in ["deliver", "deliver", "deliver", "deliver", "cancel", "deliver"] {
                let id = try await api.delivery(of: store, to: couriers)
                for action in ["accept", step] { try await api.act(action, id, as: couriers[0]) }
            }
            func reliability() async throws -> JSON {
                try await api.get("/v1/partners", as: store.token).items[0]["reliability"]
            }
            #expect(try await reliability() == .number(0.83))
            let id = try await api.get("/v1/couriers/\(couriers[0].id)/cancellations", as: store.token).items[0]["id"]
            _ = try await api.post("/v1/cancellations/\(id.string ?? "")/excuse", as: store.token)
            #expect(try await reliability() == .number(1))
            try await api.expectConsistency()
        }
    }

    @Test func `couriers from before it was noted are filled in`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await courier(api, "A", 9, 1)
            try await api.execute("ALTER TABLE couriers DISABLE TRIGGER shortfall_is_noted")
            try await api.execute("UPDATE couriers SET shortfall = 101")
            try await api.execute("ALTER TABLE couriers ENABLE TRIGGER shortfall_is_noted")
            try await api.execute("INSERT INTO schema_backfills (name) VALUES ('fill_shortfalls')")
            #expect(try await api.execute("SELECT continue_backfill('fill_shortfalls')") == [["1"]])
            #expect(try await api.execute("SELECT shortfall FROM couriers WHERE id = '\(courier.id)'") == [["10"]])
            #expect(try await api.execute("SELECT continue_backfill('fill_shortfalls')") == [[nil]])
        }
    }
}
