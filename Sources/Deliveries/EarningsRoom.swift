import API
import Domain
import HTTP
import Postgres

/// What a courier gets for what it has delivered.
package struct EarningsRoom: Room {
    package init() {}

    /// How many days are told, and how many unless it is said.
    private static let (days, usual) = (1...92, 30)

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/earnings", for: .courier,
                "What was earned on each of the last days (by UTC) with each store, latest first", room: "Deliveries",
                query: [
                    .init(name: "days", shape: .integer(Self.days), what: "How many days, with today (default: 30).")
                ], answers: [.ok(EarnedDay.shape)]
            ) { call in
                let days = try call.request.query("days", in: Self.days) ?? Self.usual
                let earned = try await call.run(ListEarnings(courier: call.caller.account, days: Int32(days)))
                var json = JSONWriter()
                json.object { $0.array("items", earned) { json, day in json.object(day.write) } }
                return .json(json.bytes)
            }
        ]
    }
}

/// What was earned on a day with a store, in one currency.
struct EarnedDay: Sendable {
    let day: String
    let store: ID
    let storeName: String
    let deliveries: Int64
    let amount: Int64
    let currency: String

    static let shape = Shape.object(
        "Earnings",
        [
            .init(
                "items",
                .array(
                    .object(
                        "EarnedDay",
                        [
                            .init("day", .string(format: "date")),
                            .init("store", .object("EarnedStore", [.init("id", .id), .init("name", .string())])),
                            .init("deliveries", .count), .init("amount", .integer(0...Int.max)),
                            .init("currency", .string()),
                        ])))
        ])

    func write(_ json: inout JSONWriter) {
        json.field("day", day)
        json.object("store") { json in
            json.field("id", store)
            json.field("name", storeName)
        }
        json.field("deliveries", Int(deliveries))
        json.field("amount", Int(amount))
        json.field("currency", currency)
    }
}

/// What a courier earned on the last days.
struct ListEarnings: Statement {
    static let sql = """
        SELECT to_char(e.day, 'YYYY-MM-DD'), e.store_id, s.name, e.deliveries, e.amount, e.currency
        FROM (
            SELECT date_trunc('day', at AT TIME ZONE 'UTC') AS day, store_id, currency, count(*) AS deliveries,
                sum(amount)::bigint AS amount
            FROM earnings
            WHERE courier_id = $1
                AND at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - make_interval(days => $2 - 1)
            GROUP BY 1, 2, 3) e,
            LATERAL (SELECT name FROM stores WHERE id = e.store_id OFFSET 0) s
        ORDER BY e.day DESC, s.name, e.store_id, e.currency
        """
    static let isReadOnly = true
    let courier: ID
    let days: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(days)
    }

    static func decode(_ row: inout RowReader) throws -> EarnedDay {
        EarnedDay(
            day: try row.read(), store: try row.read(), storeName: try row.read(), deliveries: try row.read(),
            amount: try row.read(), currency: try row.read())
    }
}
