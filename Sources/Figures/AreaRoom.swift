import API
import Domain
import HTTP
import Postgres

/// A store's figures by area, in cells of about a kilometre, and by its own days.
package struct AreaRoom: Room {
    private let reads: SlowReads

    package init(reads: SlowReads) { self.reads = reads }

    private static let (days, top) = (1...366, 3...50)
    private static let (usualDays, usualTop) = (30, 10)

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/stats/areas", for: .store,
                """
                Figures on the deliveries created on the last days by area, the busiest first, each with its change \
                against as many days before
                """,
                room: "Stats", query: [Self.lastDays, Self.most, Self.near], answers: [.ok(AreasView.shape)],
                refuses: [SlowReads.endedByAThird]
            ) { call in
                let days = try call.request.query("days", in: Self.days) ?? Self.usualDays
                return try await areas(call) { Period(last: $0, length: Int64(days)) }
            },
            Endpoint(
                .get, "/v1/stats/areas/{cell}", for: .store, "The same of one area, with each day", room: "Stats",
                query: [Self.lastDays, Self.near], answers: [.ok(AreaView.shape)],
                refuses: [.notFound, SlowReads.endedByAThird], handler: area),
            Endpoint(
                .get, "/v1/stats/days/{date}", for: .store, "The same of one day against the day before", room: "Stats",
                query: [Self.most, Self.near], answers: [.ok(AreasView.shape)],
                refuses: [.notFound, SlowReads.endedByAThird]
            ) { call in
                let day: Day = try call.request.parameter("date")
                return try await areas(call) { _ in Period(last: day, length: 1) }
            },
        ]
    }

    private static let lastDays = Endpoint.Parameter(
        name: "days", shape: .integer(days),
        what: "How many days where the store is, with today (default: \(usualDays)).")
    private static let most = Endpoint.Parameter(
        name: "top", shape: .integer(top), what: "How many areas (default: \(usualTop)).")
    private static let near = Endpoint.Parameter.near("From where distances are told: lat,lon.")

    private func areas(_ call: Call, _ period: @escaping @Sendable (_ today: Day) -> Period) async throws -> Response {
        let near = try call.request.location("near")
        let top = try call.request.query("top", in: Self.top) ?? Self.usualTop
        return try await read(call, period) { period, zone, days in
            AreasView(
                period: period, zone: zone, figures: AreaFigures(days, since: period.first, top: top), near: near
            ).response
        }
    }

    private func area(_ call: Call) async throws -> Response {
        let (cell, near): (AreaCell, Location?) = (
            try call.request.parameter("cell"), try call.request.location("near")
        )
        let length = try call.request.query("days", in: Self.days) ?? Self.usualDays
        return try await read(call) {
            Period(last: $0, length: Int64(length))
        } answer: { period, zone, days in
            AreaView(cell: cell, period: period, zone: zone, days: days, near: near).response
        }
    }

    private func read(
        _ call: Call, _ period: @escaping @Sendable (_ today: Day) -> Period,
        answer: @escaping @Sendable (Period, _ zone: String, [AreaDay]) -> Response
    ) async throws -> Response {
        let store = call.caller.account
        return try await reads.run(for: store) { runner in
            guard let (zone, today) = try await runner.run(FindStoreDay(store: store)).first else {
                throw Problem.unauthenticated
            }
            let period = period(today)
            let days = try await runner.run(
                ReadAreas(store: store, zone: zone, first: period.firstBefore, last: period.last))
            return answer(period, zone, days)
        }
    }

    /// Some days, and as many before.
    struct Period: Sendable {
        let first, last: Day

        init(last: Day, length: Int64) { (first, self.last) = (Day(number: last.number - length + 1), last) }

        var firstBefore: Day { Day(number: 2 * first.number - last.number - 1) }
        var days: [Day] { (first.number...last.number).map(Day.init(number:)) }
    }
}
