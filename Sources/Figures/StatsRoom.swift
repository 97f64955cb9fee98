import API
import Domain
import HTTP
import Postgres

/// A store's figures for a period.
package struct StatsRoom: Room {
    private let reads: SlowReads

    package init(reads: SlowReads) { self.reads = reads }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/stats", for: .store,
                "Figures on the deliveries created in a period, and in the period of the same length before it",
                room: "Stats",
                query: [Self.from, Self.to, Self.zone], answers: [.ok(StatsView.shape)],
                refuses: [SlowReads.endedByAThird], handler: stats)
        ]
    }

    private static let from = Endpoint.Parameter(
        name: "from", shape: .string(format: "date"), what: "The first day (default: 29 days before the last).",
        check: StatsPeriod.checkDay)
    private static let to = Endpoint.Parameter(
        name: "to", shape: .string(format: "date"), what: "The last day (default: today by UTC); 366 days at most.",
        check: StatsPeriod.checkDay)
    static let zone = Endpoint.Parameter(
        name: "time_zone", shape: .string(most: Bounds.timeZone, example: "Europe/Zagreb"),
        what: "The time zone (default: UTC).", check: StatsPeriod.checkZone)

    private func stats(_ call: Call) async throws -> Response {
        let period = try StatsPeriod(call.request)
        let store = call.caller.account
        return try await StatsPeriod.naming(period.zone) {
            try await reads.run(for: store) { runner in
                let sums = try await runner.run(StatsSums(store: store, period: period))
                let days = try await runner.run(StatsDays(store: store, period: period))
                let couriers = try await runner.run(StatsCouriers(store: store, period: period))
                return StatsView(period: period, sums: sums, days: days, couriers: couriers).response
            }
        }
    }
}

/// The days that are asked for.
struct StatsPeriod: Sendable {
    let first, last: Day
    let zone: String

    init(_ request: Request) throws {
        zone = try Self.zone(request)
        let today = Day(number: Timestamp.now.microseconds / 86_400_000_000)
        last = request.query("to").flatMap(Day.init) ?? today
        first = request.query("from").flatMap(Day.init) ?? Day(number: max(0, last.number - 29))
        guard first <= last else { throw Problem.invalidParameter("from", "from_after_to") }
        guard length <= 366 else { throw Problem.invalidParameter("from", "period_too_long") }
    }

    /// The time zone that is asked for.
    static func zone(_ request: Request) throws -> String {
        let zone = try request.text("time_zone", upTo: Bounds.timeZone) ?? "UTC"
        guard isName(zone) else { throw Problem.invalidParameter("time_zone") }
        return zone
    }

    /// Reads something in a time zone, which the database may not know.
    static func naming<Answer>(_ zone: String, _ read: () async throws -> Answer) async throws -> Answer {
        do {
            return try await read()
        } catch PostgresError.refused(let error) where error.state.code == "22023" {
            throw Problem.invalidParameter("time_zone")
        }
    }

    /// PostgreSQL also takes offsets as POSIX has them, with the opposite sign and any name before them. They are not
    /// accepted as names.
    private static func isName(_ zone: String) -> Bool {
        offsets.contains(zone)
            || zone.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || "_-/".utf8.contains($0)
            }
    }

    /// The zones whose names have digits, which is how browsers call an offset without a place.
    private static let offsets = Set((0...12).map { "Etc/GMT+\($0)" } + (0...14).map { "Etc/GMT-\($0)" })

    @Sendable static func checkDay(_ text: String) throws(InvalidValue) {
        guard text.isEmpty || Day(text) != nil else { throw InvalidValue("invalid_value") }
    }

    @Sendable static func checkZone(_ text: String) throws(InvalidValue) {
        guard !text.isEmpty else { return }
        guard isName(try Texts.line(text, upTo: Bounds.timeZone)) else { throw InvalidValue("invalid_value") }
    }

    var length: Int64 { last.number - first.number + 1 }

    var days: [Day] { (first.number...last.number).map(Day.init(number:)) }

    /// The first day of the period of the same length before this one.
    var before: Day { Day(number: first.number - length) }

    /// Ids contain their time. All ids of the period and of the one before lie between these two, in any time zone.
    var ids: (least: ID, most: ID) {
        func id(_ day: Int64, _ bits: UInt64) -> ID {
            .version7(milliseconds: max(0, day) * 86_400_000, random: (bits, bits))
        }
        return (id(before.number - 2, 0), id(last.number + 3, .max))
    }
}

extension Problem {
    fileprivate static func invalidParameter(_ name: String, _ code: String = "invalid_value") -> Problem {
        Problem(.unprocessable, "validation_failed", fields: [WrongField(name, code)])
    }
}
