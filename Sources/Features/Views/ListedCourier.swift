import Domain
import HTTP
import Postgres

/// A courier as a store sees it: the number of partners only.
struct ListedCourier: Sendable {
    let id: ID
    let firstName: String
    let lastName: String
    let phone: String
    let stats: CourierStats
    let partnerSince: Timestamp?
    /// What the list is ordered by, as the database has it.
    let sortKey: [String]

    static let shape = Shape.object(
        "ListedCourier",
        [
            .init("id", .id), .init("first_name", .string()), .init("last_name", .string()),
            .init("phone", .string(), optional: true), .init("stats", CourierStats.shape), .init("partner", .boolean),
            .init("partner_since", .time, optional: true),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("first_name", firstName)
        json.field("last_name", lastName)
        if let partnerSince {
            json.field("phone", phone)
            json.field("partner_since", partnerSince)
        }
        json.field("partner", partnerSince != nil)
        json.object("stats", stats.write)
    }
}

/// A page of couriers by name, as a store sees them.
struct ListCouriers: Statement {
    static let sql = """
        SELECT c.id, c.first_name, c.last_name, c.phone, c.accepted, c.delivered, c.cancelled, c.declined, p.since,
            lower(c.last_name), lower(c.first_name)
        FROM couriers c LEFT JOIN partners p ON p.courier_id = c.id AND p.store_id = $1
        WHERE ($2::boolean IS NULL OR (p.since IS NOT NULL) = $2)
            AND ($3::text IS NULL OR strpos(lower(c.first_name || ' ' || c.last_name), lower($3)) > 0
                OR (p.since IS NOT NULL AND strpos(c.phone, $3) > 0))
            AND (lower(c.last_name), lower(c.first_name), c.id)
                > (coalesce($4, ''), coalesce($5, ''), coalesce($6, '00000000-0000-0000-0000-000000000000'))
        ORDER BY lower(c.last_name), lower(c.first_name), c.id LIMIT $7
        """
    static let isReadOnly = true
    private let store: ID
    private let isPartner: Bool?
    private let text: String?
    private let after: (lastName: String, firstName: String, id: ID)?
    private let limit: Int32

    init(store: ID, isPartner: Bool?, matching text: String?, page: Page) throws {
        self.store = store
        self.isPartner = isPartner
        self.text = text
        limit = page.fetched
        after = try page.after.map { key in
            guard key.count == 3, let id = ID(key[2]) else { throw Page.wrongCursor }
            return (key[0], key[1], id)
        }
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(isPartner)
        parameters.add(text)
        parameters.add(after?.lastName)
        parameters.add(after?.firstName)
        parameters.add(after?.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> ListedCourier {
        let id: ID = try row.read()
        let (firstName, lastName, phone): (String, String, String) = (try row.read(), try row.read(), try row.read())
        let stats = try CourierStats(&row)
        let since: Timestamp? = try row.read()
        return ListedCourier(
            id: id, firstName: firstName, lastName: lastName, phone: phone, stats: stats, partnerSince: since,
            sortKey: [try row.read(), try row.read(), id.description])
    }
}
