import Domain
import HTTP
import Postgres

/// Which deliveries are asked for.
struct ListedDeliveries: Sendable {
    let account: ID
    let statuses: [DeliveryStatus]
    /// What must occur in them.
    let text: String?
    let page: Page
    fileprivate let after: (status: DeliveryStatus, id: ID)

    static let parameters =
        [
            Endpoint.Parameter(
                name: "status", shape: .string(), what: "Only these, separated by commas: pending, in_progress, …"),
            Endpoint.Parameter(
                name: "q", shape: .string(most: 100),
                what: """
                    What must occur in the recipient, the texts or the reference. A page of a search looks at no more \
                    than 2,000 deliveries: it may hold less than was asked for, and still have a next one.
                    """),
        ] + Endpoint.Parameter.list

    init(_ request: Request, for caller: Caller) throws {
        account = caller.account
        statuses = try Self.statuses(request.query("status"))
        text = try request.text("q", upTo: 100)
        page = try Page(request)
        after = try Self.place(page.after)
    }

    private static func statuses(_ text: String?) throws -> [DeliveryStatus] {
        guard let text, !text.isEmpty else { return DeliveryStatus.allCases }
        return try text.split(separator: ",").map { name in
            guard let status = DeliveryStatus(rawValue: String(name)) else {
                throw Problem(
                    .unprocessable, "validation_failed", fields: [Problem.WrongField("status", "invalid_value")])
            }
            return status
        }
    }

    private static func place(_ key: [String]?) throws -> (DeliveryStatus, ID) {
        // Before everything: lists begin with what is pending, and with the greatest id.
        guard let key else { return (.pending, ID(high: .max, low: .max)) }
        guard key.count == 2, let status = DeliveryStatus(rawValue: key[0]), let id = ID(key[1]) else {
            throw Page.wrongCursor
        }
        return (status, id)
    }

    fileprivate func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after.status)
        parameters.add(after.id)
        parameters.add(page.fetched)
        parameters.add(statuses.map(\.rawValue))
        if let text { parameters.add(text) }
    }

    func response(
        _ rows: [ListedDelivery], _ write: (inout JSONWriter, StoredDelivery) -> Void
    ) -> Response {
        let found = rows.compactMap(\.delivery)
        // A search that looked at all it may goes on from there.
        let edge = found.count > page.limit ? nil : rows.first?.edge
        return page.response(found, key: Self.key, next: edge, write: write)
    }

    private static func key(_ listed: StoredDelivery) -> [String] {
        [listed.delivery.status.rawValue, listed.delivery.id.description]
    }
}

/// A delivery in a list, or, where a search found none, only how far it looked.
struct ListedDelivery: Sendable {
    let delivery: StoredDelivery?
    /// The place of the last delivery that a search looked at, if there may be more behind it.
    let edge: [String]?
}

/// A statement that reads a page of deliveries.
protocol DeliveryList: Statement where Row == ListedDelivery {
    var wanted: ListedDeliveries { get }
}

extension DeliveryList {
    static var isReadOnly: Bool { true }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }
}

/// All that a list's pages have in common; `status` and `id` are where an entry stands in the index that is read.
private enum ListSQL {
    /// One range of the index, read backwards from the place before.
    static func page(of entries: String, status: String, id: String, owner: String) -> String {
        """
        FROM \(entries) WHERE \(owner) = $1 AND (\(status), \(id)) < ($2::delivery_status, $3)
            AND \(status) = ANY ($5::text[]::delivery_status[])
        ORDER BY \(status) DESC, \(id) DESC
        """
    }

    static func list(_ page: String) -> String {
        "SELECT \(StoredDelivery.columns) \(page.replacing("WHERE", with: "\(StoredDelivery.tables) WHERE", maxReplacements: 1)) LIMIT $4"
    }

    /// Looks through so many entries at most, and says where it stopped, also when it found nothing.
    static func search(_ page: String, status: String, id: String) -> String {
        """
        WITH looked AS MATERIALIZED (SELECT \(status) AS at_status, \(id) AS at_id \(page) LIMIT 2000),
        edge AS (
            SELECT CASE WHEN count(*) = 2000 THEN (
                SELECT ARRAY[at_status::text, at_id::text] FROM looked ORDER BY at_status, at_id LIMIT 1) END AS place
            FROM looked),
        found AS (
            SELECT \(StoredDelivery.columns) FROM looked JOIN deliveries d ON d.id = looked.at_id \(StoredDelivery.tables)
            WHERE strpos(lower(concat_ws(
                ' ', d.reference, d.recipient_first_name, d.recipient_last_name, d.recipient_address, d.recipient_phone,
                d.description, d.instructions)), lower($6)) > 0
            ORDER BY looked.at_status DESC, looked.at_id DESC LIMIT $4)
        SELECT edge.place, found.* FROM edge LEFT JOIN found ON true
        """
    }

    static func decodeSearch(_ row: inout RowReader) throws -> ListedDelivery {
        let edge: [String]? = try row.read()
        return ListedDelivery(delivery: row.isNextNull() ? nil : try StoredDelivery(&row), edge: edge)
    }
}

/// A page of a store's deliveries.
struct ListOfStore: DeliveryList {
    fileprivate static let page = ListSQL.page(
        of: "deliveries d", status: "d.status", id: "d.id", owner: "d.store_id")
    static let sql = ListSQL.list(page)
    let wanted: ListedDeliveries

    init(_ wanted: ListedDeliveries) { self.wanted = wanted }

    static func decode(_ row: inout RowReader) throws -> ListedDelivery {
        ListedDelivery(delivery: try StoredDelivery(&row), edge: nil)
    }
}

/// A page of those of a store's deliveries in which a text occurs.
struct SearchOfStore: DeliveryList {
    static let sql = ListSQL.search(ListOfStore.page, status: "d.status", id: "d.id")
    let wanted: ListedDeliveries

    init(_ wanted: ListedDeliveries) { self.wanted = wanted }

    static func decode(_ row: inout RowReader) throws -> ListedDelivery { try ListSQL.decodeSearch(&row) }
}

/// A page of what is a courier's.
struct ListOfCourier: DeliveryList {
    fileprivate static let page = ListSQL.page(
        of: "jobs j JOIN deliveries d ON d.id = j.delivery_id", status: "j.status", id: "j.delivery_id",
        owner: "j.courier_id")
    static let sql = ListSQL.list(page)
    let wanted: ListedDeliveries

    init(_ wanted: ListedDeliveries) { self.wanted = wanted }

    static func decode(_ row: inout RowReader) throws -> ListedDelivery {
        ListedDelivery(delivery: try StoredDelivery(&row), edge: nil)
    }
}

/// A page of what is a courier's and has a text in it.
struct SearchOfCourier: DeliveryList {
    fileprivate static let page = ListSQL.page(
        of: "jobs j", status: "j.status", id: "j.delivery_id", owner: "j.courier_id")
    static let sql = ListSQL.search(page, status: "j.status", id: "j.delivery_id")
    let wanted: ListedDeliveries

    init(_ wanted: ListedDeliveries) { self.wanted = wanted }

    static func decode(_ row: inout RowReader) throws -> ListedDelivery { try ListSQL.decodeSearch(&row) }
}
