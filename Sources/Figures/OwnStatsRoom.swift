import API
import Domain
import HTTP
import Postgres

/// What a courier did on its last days, by day and store.
package struct OwnStatsRoom: Room {
    private let reads: SlowReads

    package init(reads: SlowReads) { self.reads = reads }

    private static let (days, usual) = (1...366, 30)

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/stats", for: .courier,
                "What was carried on the last days, how far, for how much, and what was given back, by day and store",
                room: "Stats",
                query: [
                    .init(
                        name: "days", shape: .integer(Self.days),
                        what: "How many days, with today (default: \(Self.usual))."), StatsRoom.zone,
                ], answers: [.ok(OwnStats.shape)], refuses: [SlowReads.endedByAThird], handler: stats)
        ]
    }

    private func stats(_ call: Call) async throws -> Response {
        let days = try call.request.query("days", in: Self.days) ?? Self.usual
        let (zone, courier) = (try StatsPeriod.zone(call.request), call.caller.account)
        return try await StatsPeriod.naming(zone) {
            try await reads.run(for: courier) { runner in
                guard let today = try await runner.run(FindDay(zone: zone)).first else { throw Problem.notFound }
                let period = AreaRoom.Period(last: today, length: Int64(days))
                let rows = try await runner.run(ReadOwnStats(courier: courier, zone: zone, period: period))
                return OwnStats(period: period, zone: zone, rows: rows).response
            }
        }
    }
}

/// What a courier did, as the answer shows it.
struct OwnStats {
    let period: AreaRoom.Period
    let zone: String
    let rows: [ReadOwnStats.Row]

    private static let day = Shape.string(format: "date")
    private static let figures: [Shape.Member] =
        ["carried", "given_back", "distance_m", "without_place"].map { .init($0, .count) } + [
            .init("earnings", amounts), .init("cash", amounts),
        ]
    private static let amounts = Shape.array(
        .object("OwnSum", [.init("amount", .integer(0...Int.max)), .init("currency", .string())]))
    static let shape = Shape.object(
        "OwnStats",
        [
            .init("from", day), .init("to", day), .init("time_zone", .string()),
            .init("total", .object("OwnTotal", figures)),
            .init(
                "items",
                .array(
                    .object(
                        "OwnDay",
                        [
                            .init("day", day),
                            .init("store", .object("OwnStore", [.init("id", .id), .init("name", .string())])),
                        ] + figures))),
        ])

    var response: Response {
        let total = rows.reduce(into: OwnSums()) { $0.add($1.sums) }
        var json = JSONWriter(capacity: 256 * (rows.count + 2))
        json.object { json in
            json.field("from", period.first.description)
            json.field("to", period.last.description)
            json.field("time_zone", zone)
            json.object("total") { total.write(&$0) }
            json.array("items", rows) { json, row in
                json.object { json in
                    json.field("day", row.day)
                    json.object("store") { json in
                        json.field("id", row.store)
                        json.field("name", row.storeName)
                    }
                    row.sums.write(&json)
                }
            }
        }
        return .json(json.bytes)
    }
}

/// What a courier did somewhere, some time.
struct OwnSums: Sendable {
    var (carried, givenBack, meters): (Int64, Int64, Int64) = (0, 0, 0)
    /// How many of the carried ones are in no distance, since a place is not known.
    var placeless: Int64 = 0
    /// What it gets, and what recipients gave it, by currency.
    var (earnings, cash): ([String: Int64], [String: Int64]) = ([:], [:])

    mutating func add(_ other: OwnSums) {
        carried += other.carried
        givenBack += other.givenBack
        meters += other.meters
        placeless += other.placeless
        earnings.merge(other.earnings, uniquingKeysWith: +)
        cash.merge(other.cash, uniquingKeysWith: +)
    }

    func write(_ json: inout JSONWriter) {
        json.field("carried", Int(carried))
        json.field("given_back", Int(givenBack))
        json.field("distance_m", Int(meters))
        json.field("without_place", Int(placeless))
        for (name, sums) in [("earnings" as StaticString, earnings), ("cash", cash)] {
            json.array(name, sums.sorted { $0.key < $1.key }) { json, sum in
                json.object { json in
                    json.field("amount", Int(sum.value))
                    json.field("currency", sum.key)
                }
            }
        }
    }
}
