import API
import Domain
import HTTP
import Postgres

/// A courier as a store sees it. Only partners show their number, and whether they want offers.
struct ListedCourier: Sendable {
    let id: ID
    let firstName: String
    let lastName: String
    let phone: String?
    let stats: CourierStats
    let isOnDuty: Bool
    let partnerSince: Timestamp?
    /// The key by which the list is ordered, as the database has it.
    let sortKey: [String]

    static let shape = Shape.object(
        "ListedCourier",
        [
            .init("id", .id), .init("first_name", .string()), .init("last_name", .string()),
            .init("phone", Shape.string().orNull, optional: true), .init("stats", CourierStats.shape),
            .init("partner", .boolean), .init("on_duty", .boolean, optional: true),
            .init("partner_since", .time, optional: true),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("first_name", firstName)
        json.field("last_name", lastName)
        if let partnerSince {
            json.field("phone", phone)
            json.field("on_duty", isOnDuty)
            json.field("partner_since", partnerSince)
        }
        json.field("partner", partnerSince != nil)
        json.object("stats", stats.write)
    }
}
