import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Figures

/// Figures by area against a plain count of the deliveries, while these change and days are kept.
@Suite(.database) struct AreaModelTests {
    private struct Delivery {
        let day: Day
        let cell: String?
        let isDelivered: Bool
        let returned, failed: Int
        let seconds: Int
    }

    @Test func `the figures are what a plain count says, whatever happens and whatever is kept`() async throws {
        var seed = Seed.forThisRun()
        print("areas: \(seed)")
        func drawn(_ count: Int) -> Int { Int(seed.next() % UInt64(count)) }
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            let first = try await api.delivery(of: store, to: couriers)
            for number in 0..<300 {
                try await insert(like: first, number, hours: drawn(24 * 24), drawn, couriers, api)
                if drawn(40) == 0 { try await api.database.run(FoldAreas()) }
            }
            var forgotten: [String: String] = [:]
            for round in 0..<12 {
                for _ in 0..<15 { try await change(drawn, couriers, api) }
                if round >= 6 { try await forget(&forgotten, api) }
                if round % 3 != 0 { while try await api.database.run(FoldAreas()).first == true {} }
                if round % 4 == 3 {
                    try await api.execute("UPDATE area_stores SET through = through - 5, next_at = DEFAULT")
                }
                let known = try await deliveries(api, forgotten)
                for days in [1, 5, 10] { try await compare(known, days, api, store, "\(round), \(seed)") }
            }
            #expect(try await api.execute("SELECT count(*) > 10 FROM area_days") == [["t"]])
            #expect(forgotten.count > 30)
        }
    }

    /// Has the recipients of what ended some days ago be forgotten, and keeps in which cells they were.
    private func forget(_ forgotten: inout [String: String], _ api: ServedProduct) async throws {
        let before = try await places(api)
        try await api.execute("UPDATE trust SET recipient_days = 6")
        while try await api.execute("SELECT forget_recipients()") != [["0"]] {}
        for row in try await api.execute("SELECT id FROM deliveries WHERE recipient_first_name = ''") {
            let id = row[0] ?? ""
            forgotten[id] = forgotten[id] ?? before[id] ?? ""
        }
    }

    private func places(_ api: ServedProduct) async throws -> [String: String] {
        let rows = try await api.execute(
            "SELECT id, recipient_lat, recipient_lon FROM deliveries WHERE recipient_lat IS NOT NULL")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let (lat, lon) = (row[1].flatMap(Double.init) ?? 91, row[2].flatMap(Double.init) ?? 0)
                return (row[0] ?? "", AreaCell(of: try #require(Location(lat: lat, lon: lon))).description)
            })
    }

    private func insert(
        like id: String, _ number: Int, hours: Int, _ drawn: (Int) -> Int, _ couriers: [Person], _ api: ServedProduct
    ) async throws {
        let place =
            drawn(5) == 0
            ? "NULL, NULL" : "\(45.8 + Double(drawn(12)) * 0.003), \(15.97 + Double(drawn(12)) * 0.004)"
        let made = "now() - interval '\(hours) hours' - interval '\(drawn(3600)) seconds'"
        try await api.execute(
            """
            WITH made AS (SELECT \(made) AS at, \(drawn(4000)) AS seconds, \(drawn(2)) = 0 AS is_delivered)
            INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, forfeited, recipient_first_name,
                recipient_last_name, recipient_address, description, created_at, updated_at, recipient_lat, recipient_lon,
                accepted_at, delivered_at)
            SELECT overlay(first_uuid(made.at)::text PLACING '\(String(100_000_000_000 + number))' FROM 25)::uuid, store_id,
                CASE WHEN is_delivered THEN 'delivered' ELSE 'pending' END::delivery_status, 1,
                CASE WHEN is_delivered THEN '\(couriers[0].id)'::uuid END, candidates,
                (ARRAY['\(couriers[1].id)', '\(couriers[2].id)']::uuid[])[1:\(drawn(3))], 'Iva', 'Ivić', 'Ilica', 'Torta',
                made.at, made.at, \(place), CASE WHEN is_delivered THEN made.at END,
                CASE WHEN is_delivered THEN made.at + make_interval(secs => seconds + 0.7) END
            FROM deliveries, made WHERE id = '\(id)'
            """)
    }

    /// One of them takes a step, loses its place, or was brought in vain.
    private func change(_ drawn: (Int) -> Int, _ couriers: [Person], _ api: ServedProduct) async throws {
        let one = "id = (SELECT id FROM deliveries ORDER BY id OFFSET \(drawn(300)) LIMIT 1)"
        switch drawn(4) {
        case 0:
            try await api.execute(
                """
                UPDATE deliveries SET status = 'delivered', courier_id = '\(couriers[0].id)', accepted_at = now() - interval '7 minutes',
                    delivered_at = now() WHERE \(one) AND status = 'pending'
                """)
        case 1:
            try await api.execute(
                """
                UPDATE deliveries SET status = 'cancelled', cancelled_at = now(), delivered_at = NULL WHERE \(one)
                """)
        case 2:
            try await api.execute(
                """
                UPDATE deliveries SET recipient_lat = NULL, recipient_lon = NULL WHERE \(one) AND recipient_first_name <> ''
                """)
        default:
            // A step changes both in one commit.
            try await api.execute(
                """
                WITH changed AS (UPDATE deliveries SET version = version + 1 WHERE \(one) RETURNING id)
                INSERT INTO delivery_extras (delivery_id, attempts) SELECT id, \(drawn(3) + 1) FROM changed
                ON CONFLICT (delivery_id) DO UPDATE SET attempts = EXCLUDED.attempts
                """)
        }
    }

    private func deliveries(_ api: ServedProduct, _ forgotten: [String: String]) async throws -> [Delivery] {
        let cells = try await places(api).merging(forgotten) { $1 }
        let rows = try await api.execute(
            """
            SELECT (created_at AT TIME ZONE 'Europe/Zagreb')::date, id, status,
                cardinality(forfeited), coalesce(attempts, 0), floor(extract(epoch FROM delivered_at - accepted_at))::integer
            FROM deliveries LEFT JOIN delivery_extras ON delivery_id = id
            """)
        return try rows.map { row in
            let cell = cells[row[1] ?? ""] ?? ""
            return Delivery(
                day: try #require(row[0].flatMap(Day.init)), cell: cell.isEmpty ? nil : cell,
                isDelivered: row[2] == "delivered", returned: Int(row[3] ?? "") ?? 0, failed: Int(row[4] ?? "") ?? 0,
                seconds: Int(row[5] ?? "") ?? 0)
        }
    }

    private func compare(
        _ known: [Delivery], _ days: Int, _ api: ServedProduct, _ store: Person, _ when: String
    ) async throws {
        let told = try await api.get("/v1/stats/areas?days=\(days)&top=50", as: store.token).json
        let first = try #require(told["from"].string.flatMap(Day.init))
        let before = Day(number: first.number - Int64(days))
        let (now, then) = (
            known.filter { $0.day >= first }, known.filter { $0.day >= before && $0.day < first }
        )
        #expect(told["total"] == Self.figures(now, then), "\(days) days, \(when)")
        #expect(told["without_place"].integer == now.count { $0.cell == nil }, "\(when)")
        let cells = Dictionary(grouping: now.filter { $0.cell != nil }, by: { $0.cell ?? "" })
        let items = told["items"].items
        let wanted = cells.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(50).map(\.key)
        #expect(items.compactMap { $0["cell"].string } == wanted, "\(days) days, \(when)")
        for item in items {
            let cell = item["cell"].string ?? ""
            let figures = Self.figures(cells[cell] ?? [], then.filter { $0.cell == cell })
            #expect(item.without("cell", "center") == figures, "\(cell), \(days) days, \(when)")
        }
        if let item = items.first, let cell = item["cell"].string {
            let one = try await api.get("/v1/stats/areas/\(cell)?days=\(days)", as: store.token).json
            #expect(one["total"] == item.without("cell", "center"), "\(cell), \(days) days, \(when)")
            let sum = one["days"].items.reduce(0) { $0 + ($1["deliveries"].integer ?? 0) }
            #expect(.integer(sum) == item["deliveries"]["value"], "\(cell), \(days) days, \(when)")
        }
        let day = try await api.get("/v1/stats/days/\(first)", as: store.token).json
        let yesterday = Day(number: first.number - 1)
        let figures = Self.figures(known.filter { $0.day == first }, known.filter { $0.day == yesterday })
        #expect(day["total"] == figures, "\(first), \(when)")
    }

    private static func figures(_ now: [Delivery], _ then: [Delivery]) -> JSON {
        func figure(_ sum: ([Delivery]) -> Int) -> JSON {
            ["value": .integer(sum(now)), "change": .integer(sum(now) - sum(then))]
        }
        let (minutes, former) = (median(now), median(then))
        let change = minutes.flatMap { now in former.map { JSON.tenths(now - $0) } }
        return [
            "deliveries": figure(\.count), "delivered": figure { $0.count(where: \.isDelivered) },
            "returned": figure { $0.reduce(0) { $0 + $1.returned } },
            "failed_attempts": figure { $0.reduce(0) { $0 + $1.failed } },
            "median_minutes": ["value": minutes.map(JSON.tenths) ?? nil, "change": change ?? nil],
        ]
    }

    private static func median(_ deliveries: [Delivery]) -> Double? {
        let times = deliveries.filter(\.isDelivered).map(\.seconds).sorted()
        guard !times.isEmpty else { return nil }
        let middle = Double(times[(times.count - 1) / 2] + times[times.count / 2]) / 2
        return (middle / 6).rounded() / 10
    }
}

extension JSON {
    /// With a tenth, as answers have it.
    fileprivate static func tenths(_ number: Double) -> JSON { .number((number * 10).rounded() / 10) }
}
