import Domain
import HTTP
import Postgres

/// Which deliveries are asked for.
struct ListedDeliveries: Sendable {
    let page: Page
    /// What must occur in them.
    let text: String?
    private let account: ID
    private let statuses: [DeliveryStatus]
    private let after: (status: DeliveryStatus, id: ID)

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
        let named = try text.split(separator: ",").map { name in
            guard let status = DeliveryStatus(rawValue: String(name)) else {
                throw Problem(
                    .unprocessable, "validation_failed", fields: [Problem.WrongField("status", "invalid_value")])
            }
            return status
        }
        return DeliveryStatus.allCases.filter(named.contains)
    }

    private static func place(_ key: [String]?) throws -> (DeliveryStatus, ID) {
        // Before everything: lists begin with what is pending, and with the greatest id.
        guard let key else { return (.pending, .greatest) }
        guard key.count == 2, let status = DeliveryStatus(rawValue: key[0]), let id = ID(key[1]) else {
            throw Page.wrongCursor
        }
        return (status, id)
    }

    /// One range of the list's index, which a page, or a part of it, is read from.
    struct Part: Sendable {
        fileprivate let account: ID
        fileprivate let after: (status: DeliveryStatus, id: ID)
        fileprivate let last: DeliveryStatus
        fileprivate let text: String?
        fileprivate var limit: Int32 = 0
    }

    /// The ranges that are wanted, from the cursor on: statuses that follow on each other are one.
    private var parts: [Part] {
        let order = DeliveryStatus.allCases
        let begin = order.firstIndex(of: after.status)!
        var parts: [Part] = []
        for place in order.indices where place >= begin && statuses.contains(order[place]) {
            let start = place == begin ? after : (order[place], .greatest)
            if let part = parts.last, order.firstIndex(of: part.last) == place - 1 {
                parts[parts.count - 1] = Part(account: account, after: part.after, last: order[place], text: text)
            } else {
                parts.append(Part(account: account, after: start, last: order[place], text: text))
            }
        }
        return parts
    }

    /// Reads the page with `read`, one range after the other until it is full or a search has looked at enough.
    func read(_ read: (Part) async throws -> [ListedDelivery]) async throws -> [ListedDelivery] {
        var rows: [ListedDelivery] = []
        for var part in parts {
            part.limit = page.fetched - Int32(rows.count)
            rows += try await read(part)
            if rows.count >= page.fetched || rows.last?.edge != nil { break }
        }
        return rows
    }

    func response(_ rows: [ListedDelivery]) -> Response {
        // A search that looked at all it may goes on from there.
        page.response(rows.compactMap(\.found), key: \.place, next: rows.last?.edge) { $0.item(written: $1.json) }
    }
}

extension ID {
    /// None is greater.
    fileprivate static let greatest = ID(high: .max, low: .max)
}

/// A delivery in a list, or, where a search found none, only how far it looked.
struct ListedDelivery: Sendable {
    let found: Found?
    /// The place of the last delivery that a search looked at, if there may be more behind it.
    let edge: [String]?

    /// A delivery as its reader sees it, written as soon as it is read: a list has no other use for it.
    struct Found: Sendable {
        let json: [UInt8]
        private let status: DeliveryStatus
        private let id: ID

        init(_ row: inout RowReader) throws {
            let stored = try StoredDelivery(&row)
            (status, id) = (stored.delivery.status, stored.delivery.id)
            var writer = JSONWriter(capacity: 1024)
            writer.object { stored.write(&$0, for: stored.reader?.id ?? stored.delivery.store) }
            json = writer.bytes
        }

        /// Where it stands in the list.
        var place: [String] { [status.rawValue, id.description] }
    }
}

/// A statement that reads a page of deliveries.
protocol DeliveryList: Statement where Row == ListedDelivery {
    var part: ListedDeliveries.Part { get }
}

extension DeliveryList {
    static var isReadOnly: Bool { true }

    func bind(into parameters: inout Parameters) {
        parameters.add(part.account)
        parameters.add(part.after.status)
        parameters.add(part.after.id)
        parameters.add(part.limit)
        parameters.add(part.last)
        if let text = part.text { parameters.add(text) }
    }
}

/// All that a list's pages have in common: a range of an index, read backwards from the place before, and only then what
/// is told of the deliveries in it.
private struct ListSQL {
    /// The table that has the index, and its columns.
    let table, owner, id: String
    /// What must be so besides.
    let condition: String

    private func range(limit: String) -> String {
        """
        SELECT status AS at_status, \(id) AS at_id FROM \(table)
        WHERE \(owner) = $1 AND (status, \(id)) < ($2::delivery_status, $3) AND status >= $5::delivery_status \(condition)
        ORDER BY status DESC, \(id) DESC LIMIT \(limit)
        """
    }

    var list: String {
        """
        SELECT \(StoredDelivery.columns) FROM (\(range(limit: "$4"))) at
        JOIN deliveries d ON d.id = at_id \(StoredDelivery.tables)
        ORDER BY at_status DESC, at_id DESC
        """
    }

    /// Looks through so many at most, and says where it stopped, also when it found nothing.
    var search: String {
        """
        WITH looked AS MATERIALIZED (\(range(limit: "2000"))),
        edge AS (
            SELECT CASE WHEN count(*) = 2000 THEN (
                SELECT ARRAY[at_status::text, at_id::text] FROM looked ORDER BY at_status, at_id LIMIT 1) END AS place
            FROM looked),
        found AS (
            SELECT \(StoredDelivery.columns) FROM looked JOIN deliveries d ON d.id = looked.at_id \(StoredDelivery.tables)
            WHERE strpos(\(Self.folded("""
                concat_ws(' ', d.reference, d.recipient_first_name, d.recipient_last_name, d.recipient_address,
                    d.description, d.instructions, CASE WHEN c.id <> $1 THEN c.first_name || ' ' || c.last_name END)
                """)), \(Self.folded("$6"))) > 0
                OR strpos(d.recipient_phone, substring(translate($6, ' -/().', '') FROM '^(?:\\+|00|0)?([0-9]{3,})$')) > 0
            ORDER BY looked.at_status DESC, looked.at_id DESC LIMIT $4)
        SELECT edge.place, found.* FROM edge LEFT JOIN found ON true
        """
    }

    /// As people type it who have no time for capitals and accents.
    private static func folded(_ text: String) -> String {
        "translate(lower(\(text)), 'čćđšžáàâäéèêëíîïóôöúûüñç', 'ccdszaaaaeeeeiiiooouuunc')"
    }

    static let ofStore = ListSQL(table: "deliveries", owner: "store_id", id: "id", condition: "")
    /// What a courier still has of a store that it does not work for any more is on its way out.
    static let ofCourier = ListSQL(
        table: "jobs", owner: "courier_id", id: "delivery_id",
        condition: "AND EXISTS (SELECT FROM partners p WHERE p.courier_id = $1 AND p.store_id = jobs.store_id)")

    static func decodeSearch(_ row: inout RowReader) throws -> ListedDelivery {
        let edge: [String]? = try row.read()
        return ListedDelivery(found: row.isNextNull() ? nil : try ListedDelivery.Found(&row), edge: edge)
    }
}

/// A page of a store's deliveries.
struct ListOfStore: DeliveryList {
    static let sql = ListSQL.ofStore.list
    let part: ListedDeliveries.Part

    static func decode(_ row: inout RowReader) throws -> ListedDelivery {
        ListedDelivery(found: try ListedDelivery.Found(&row), edge: nil)
    }
}

/// A page of those of a store's deliveries in which a text occurs.
struct SearchOfStore: DeliveryList {
    static let sql = ListSQL.ofStore.search
    let part: ListedDeliveries.Part

    static func decode(_ row: inout RowReader) throws -> ListedDelivery { try ListSQL.decodeSearch(&row) }
}

/// A page of what is a courier's.
struct ListOfCourier: DeliveryList {
    static let sql = ListSQL.ofCourier.list
    let part: ListedDeliveries.Part

    static func decode(_ row: inout RowReader) throws -> ListedDelivery {
        ListedDelivery(found: try ListedDelivery.Found(&row), edge: nil)
    }
}

/// A page of what is a courier's and has a text in it.
struct SearchOfCourier: DeliveryList {
    static let sql = ListSQL.ofCourier.search
    let part: ListedDeliveries.Part

    static func decode(_ row: inout RowReader) throws -> ListedDelivery { try ListSQL.decodeSearch(&row) }
}
