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
    /// How many in a hundred it did not deliver of those it had to; 101 where that would tell too little.
    private let shortfall: Int16
    let partnerSince: Timestamp?
    private let picture: ID?
    private let description: String?
    /// The key by which the list is ordered, as the database has it.
    let sortKey: [String]

    static let shape = Shape.object(
        "ListedCourier",
        [
            .init("id", .id), .init("first_name", .string()), .init("last_name", .string()),
            .init("phone", Shape.string().orNull, optional: true), .init("stats", CourierStats.shape),
            .init("reliability", Shape.number(0...1).orNull), .init("partner", .boolean),
            .init("on_duty", .boolean, optional: true),
            .init("partner_since", .time, optional: true),
            .init(
                "papers",
                .object(
                    "Papers",
                    PaperKind.allCases.map { .init($0.rawValue, PaperStanding.shape, optional: true) }), optional: true),
        ] + ShownProfile.seen)

    /// `papers` are those that the store wants.
    func write(_ json: inout JSONWriter, papers: [PaperKind: PaperStanding]) {
        json.field("id", id)
        json.field("first_name", firstName)
        json.field("last_name", lastName)
        if let partnerSince {
            json.field("phone", phone)
            json.field("on_duty", isOnDuty)
            json.field("partner_since", partnerSince)
            if !papers.isEmpty {
                json.object("papers") { json in
                    for kind in PaperKind.allCases {
                        if let standing = papers[kind] { json.field(name: kind.rawValue, standing.rawValue) }
                    }
                }
            }
        }
        json.field("partner", partnerSince != nil)
        json.object("stats", stats.write)
        json.field("reliability", reliability)
        json.field("picture", picture)
        json.field("description", description)
    }

    /// Which part it delivered of what it delivered or gave back, in whole percents.
    private var reliability: Double? { shortfall > 100 ? nil : Double(100 - shortfall) / 100 }
}

extension ListedCourier {
    /// What it shows of itself, to partners and, if it wants, to all stores.
    private static func shown(_ column: String) -> String {
        "(SELECT a.\(column) FROM accounts a WHERE a.id = c.id AND (p.since IS NOT NULL OR a.public_profile))"
    }

    /// The columns of a courier `c` and its partnership `p`, as they are read.
    static func columns(by order: (some CourierOrder).Type) -> String {
        """
        c.id, c.first_name, c.last_name, c.phone, \(CourierStats.columns), duty_now(c.on_duty, c.duty_until), c.shortfall,
        p.since, \(shown("picture")), \(shown("description")),
        \(order.key)
        """
    }

    init(_ row: inout RowReader) throws {
        id = try row.read()
        (firstName, lastName, phone) = (try row.read(), try row.read(), try row.read())
        stats = try CourierStats(&row)
        isOnDuty = try row.read()
        shortfall = try row.read()
        partnerSince = try row.read()
        (picture, description) = (try row.read(), try row.read())
        sortKey = try row.read()
    }
}
