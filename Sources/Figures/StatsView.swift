import API
import Domain
import HTTP

/// A store's figures, as the answer shows them.
struct StatsView {
    let period: StatsPeriod
    let sums: [StatsSums.Row]
    let days: [StatsDays.Row]
    let couriers: [StatsCouriers.Row]

    static let shape = Shape.object(
        "Stats",
        [
            .init("from", day), .init("to", day), .init("time_zone", .string()), .init("totals", totals),
            .init("before", totals), .init("days", .array(dayShape, most: 366)),
            .init("couriers", .array(courierShape, most: 100)),
        ])
    private static let day = Shape.string(format: "date")
    private static let outcomes = ["created", "delivered", "cancelled", "open"].map { Shape.Member($0, .count) }
    private static let medians = ["median_seconds_to_accept", "median_seconds_to_deliver"].map {
        Shape.Member($0, Shape.number.orNull)
    }
    private static let totals = Shape.object(
        "StatsTotals",
        outcomes + ["returned", "due", "on_time", "attempts"].map { .init($0, .count) } + medians + [
            .init("median_seconds_at_store", Shape.number.orNull)
        ])
    private static let dayShape = Shape.object("StatsDay", [.init("day", day)] + outcomes + medians)
    private static let courierShape = Shape.object(
        "StatsCourier",
        [.init("id", .id), .init("first_name", .string()), .init("last_name", .string())]
            + ["delivered", "in_progress", "returned"].map { .init($0, .count) } + [medians[1]])

    var response: Response {
        let known = Dictionary(uniqueKeysWithValues: days.map { ($0.day, $0) })
        let all = period.days.map { known[$0.description] ?? .empty($0.description) }
        var json = JSONWriter(capacity: 256 * (all.count + couriers.count + 2))
        json.object { json in
            json.field("from", period.first.description)
            json.field("to", period.last.description)
            json.field("time_zone", period.zone)
            json.object("totals") { write(sums[0], &$0) }
            json.object("before") { write(sums[1], &$0) }
            json.array("days", all) { json, day in json.object { write(day, &$0) } }
            json.array("couriers", couriers) { json, courier in json.object { write(courier, &$0) } }
        }
        return .json(json.bytes)
    }

    private func write(_ sums: StatsSums.Row, _ json: inout JSONWriter) {
        write(sums.created, sums.delivered, sums.cancelled, sums.open, &json)
        json.field("returned", Int(sums.returned))
        json.field("due", Int(sums.due))
        json.field("on_time", Int(sums.onTime))
        json.field("attempts", Int(sums.attempts))
        json.field("median_seconds_to_accept", sums.toAccept)
        json.field("median_seconds_at_store", sums.atStore)
        json.field("median_seconds_to_deliver", sums.toDeliver)
    }

    private func write(_ day: StatsDays.Row, _ json: inout JSONWriter) {
        json.field("day", day.day)
        write(day.created, day.delivered, day.cancelled, day.open, &json)
        json.field("median_seconds_to_accept", day.toAccept)
        json.field("median_seconds_to_deliver", day.toDeliver)
    }

    private func write(
        _ created: Int64, _ delivered: Int64, _ cancelled: Int64, _ open: Int64, _ json: inout JSONWriter
    ) {
        json.field("created", Int(created))
        json.field("delivered", Int(delivered))
        json.field("cancelled", Int(cancelled))
        json.field("open", Int(open))
    }

    private func write(_ courier: StatsCouriers.Row, _ json: inout JSONWriter) {
        json.field("id", courier.id)
        json.field("first_name", courier.firstName)
        json.field("last_name", courier.lastName)
        json.field("delivered", Int(courier.delivered))
        json.field("in_progress", Int(courier.inProgress))
        json.field("returned", Int(courier.returned))
        json.field("median_seconds_to_deliver", courier.toDeliver)
    }
}
