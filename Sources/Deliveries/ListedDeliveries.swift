import API
import Domain
import HTTP
import Postgres

/// The deliveries that are asked for.
struct ListedDeliveries: Sendable {
    let page: Page
    /// The text that is searched for in them.
    let text: String?
    private let account: ID
    private let statuses: [DeliveryStatus]
    private let after: Place

    /// A place in a list: a status, a place among those of it, and an id.
    struct Place: Sendable {
        let status: DeliveryStatus
        let number: Int64
        let id: ID

        /// The place before everything of that status.
        static func beginning(_ status: DeliveryStatus) -> Place {
            Place(status: status, number: .max, id: .greatest)
        }

        var key: [String] { [status.rawValue, "\(number)", id.description] }

        func bind(into parameters: inout Parameters) {
            parameters.add(status)
            parameters.add(number)
            parameters.add(id)
        }
    }

    static let parameters =
        [
            Endpoint.Parameter(
                name: "status", shape: .string(), what: "Statuses, separated by commas: pending, in_progress, …",
                check: { text throws(InvalidValue) in _ = try statuses(text) }),
            Endpoint.Parameter(
                name: "q", shape: .string(most: Bounds.search),
                what: """
                    Words, each of which must begin a word of the recipient, the texts or the reference, or all of \
                    them a courier's name, regardless of case and accents; or digits of the recipient's phone number. \
                    A page of a search, or of a courier's list, may hold fewer items than asked for and still have a \
                    next page.
                    """),
        ] + Endpoint.Parameter.list

    init(_ request: Request, for caller: Caller) throws {
        account = caller.account
        statuses = try Self.statuses(request.query("status"))
        text = try request.text("q", upTo: Bounds.search)
        page = try Page(request)
        after = try Self.place(page.after)
    }

    private static func statuses(_ text: String?) throws(InvalidValue) -> [DeliveryStatus] {
        guard let text, !text.isEmpty else { return DeliveryStatus.allCases }
        let named = text.split(separator: ",").map { DeliveryStatus(rawValue: String($0)) }
        guard !named.isEmpty, !named.contains(nil) else { throw InvalidValue("invalid_value") }
        return DeliveryStatus.allCases.filter(named.contains)
    }

    static func place(_ key: [String]?) throws -> Place {
        // Lists begin with what is pending.
        guard let key else { return .beginning(.pending) }
        guard key.count == 3, let status = DeliveryStatus(rawValue: key[0]), let number = Int64(key[1]),
            let id = ID(key[2])
        else { throw Page.wrongCursor }
        return Place(status: status, number: number, id: id)
    }

    /// One range of the list's index, from which a page, or a part of it, is read.
    struct Part: Sendable {
        let account: ID
        let after: Place
        let last: DeliveryStatus
        var limit: Int32 = 0

        func bind(into parameters: inout Parameters) {
            parameters.add(account)
            after.bind(into: &parameters)
            parameters.add(limit)
            parameters.add(last)
        }
    }

    /// The wanted ranges, from the cursor on. Statuses that follow on each other share one.
    private var parts: [Part] {
        let order = DeliveryStatus.allCases
        let begin = order.firstIndex(of: after.status)!
        var parts: [Part] = []
        for place in order.indices where place >= begin && statuses.contains(order[place]) {
            let start = place == begin ? after : .beginning(order[place])
            if let part = parts.last, order.firstIndex(of: part.last) == place - 1 {
                parts[parts.count - 1] = Part(account: account, after: part.after, last: order[place])
            } else {
                parts.append(Part(account: account, after: start, last: order[place]))
            }
        }
        return parts
    }

    /// Reads the page with `read`, one range after the other, until it is full or a search has looked at enough.
    func read(
        _ read: (Part) async throws -> Found<ListedDelivery>
    ) async throws -> Found<ListedDelivery> {
        var rows: [ListedDelivery] = []
        for var part in parts {
            part.limit = page.fetched - Int32(rows.count)
            let found = try await read(part)
            rows += found.items
            if rows.count >= page.fetched || found.edge != nil { return Found(items: rows, edge: found.edge) }
        }
        return Found(items: rows, edge: nil)
    }

    func response(_ found: Found<ListedDelivery>) -> Response {
        page.response(found.items, key: \.place, next: found.edge) { $0.item(written: $1.json) }
    }
}

extension ID {
    /// No id is greater.
    static let greatest = ID(high: .max, low: .max)
}

/// A delivery as its reader sees it. It is written as JSON at once, since a list has no other use for it.
package struct ListedDelivery: Sendable {
    let json: [UInt8]
    private let at: ListedDeliveries.Place
    var id: ID { at.id }

    /// Reads what ``StoredDelivery`` has, and its place among others of its status: what was over before there were places may
    /// wait for its own.
    init(_ row: inout RowReader) throws {
        let stored = try StoredDelivery(&row)
        at = ListedDeliveries.Place(
            status: stored.delivery.status, number: try row.read() ?? 0, id: stored.delivery.id)
        var writer = JSONWriter(capacity: 1024)
        writer.object { stored.write(&$0, for: stored.reader?.id ?? stored.delivery.store) }
        json = writer.bytes
    }

    /// Its place in the list.
    var place: [String] { at.key }
}

/// What the pages of all lists have in common: a range of an index is read backwards from the last place, and only then
/// what is told of the deliveries in it.
struct ListSQL {
    /// The table with the index, and its columns.
    let table, owner, id: String
    /// The place of an entry among others of its status, and until when it stands there.
    let place, until: String
    /// The condition for the owner to see what is at a place.
    let isSeen: String
    /// What is told of each, which depends on who the owner is.
    let columns: String

    private func range(_ limit: String) -> String {
        """
        SELECT status AS at_status, \(place) AS at_place, \(id) AS at_id, store_id AS at_store, \(until) AS at_until
        FROM \(table)
        WHERE coalesce(\(owner)) = $1 AND (status, \(place), \(id)) < ($2::delivery_status, $3, $4)
            AND status >= $6::delivery_status
        ORDER BY status DESC, \(place) DESC, \(id) DESC \(limit)
        """
    }

    /// A page of a list in which everything is seen.
    var list: String {
        """
        SELECT \(columns), at_place FROM (\(range("LIMIT $5"))) at
        JOIN deliveries d ON d.id = at_id \(StoredDelivery.tables)
        \(Self.order)
        """
    }

    /// Looks at no more than so many places of the range. A remark says where it stopped, unless that was the end.
    func walk(_ most: String, with others: String = "", where condition: String = "true") -> String {
        """
        WITH \(others) found AS MATERIALIZED (
            SELECT at_status, at_place, at_id FROM (\(range("LIMIT \(most)"))) at WHERE \(isSeen) AND (\(condition))
            \(Self.order) LIMIT $5)
        \(told("CASE WHEN (SELECT count(*) FROM found) < $5 THEN (SELECT ARRAY[at_status::text, at_place::text, at_id::text] FROM (\(range("OFFSET \(most) - 1 LIMIT 1"))) at) END"))
        """
    }

    /// What is told of the deliveries in `found`, behind a remark.
    func told(_ remark: String) -> String {
        """
        SELECT remark.of, told.* FROM (SELECT \(remark) AS of) remark LEFT JOIN (
            SELECT \(columns), at_place FROM found JOIN deliveries d ON d.id = at_id \(StoredDelivery.tables)
            \(Self.order)) told ON true
        """
    }

    static let order = "ORDER BY at_status DESC, at_place DESC, at_id DESC"

    static let ofStore = ListSQL(
        table: "deliveries", owner: "store_id", id: "id",
        place: "place_in_list(status, due_at, delivered_at, cancelled_at)", until: "NULL", isSeen: "true",
        columns: StoredDelivery.columns(isPartner: "false", link: "NULL::integer", reader: .store))
    /// A courier sees what it delivered for a store only while it works for that store, no offers of one that is off, and what
    /// was taken from it for a day. OFFSET 0 keeps the planner from
    /// beginning with the partners.
    static let ofCourier = ListSQL(
        table: "jobs", owner: "courier_id", id: "delivery_id", place: "place", until: "until",
        isSeen: """
            (at_until IS NULL OR at_until > now()) AND EXISTS (SELECT FROM partners p WHERE p.courier_id = $1 AND p.store_id = at_store
                AND \(SeeingSQL.shows("at_status")) OFFSET 0)
            """, columns: StoredDelivery.columns(isPartner: "true", link: "NULL::integer", reader: .someCourier))
}

/// A page of a store's deliveries.
package struct ListOfStore: Statement {
    package static let sql = ListSQL.ofStore.list
    package static let isReadOnly = true
    let part: ListedDeliveries.Part

    package func bind(into parameters: inout Parameters) { part.bind(into: &parameters) }

    package static func decode(_ row: inout RowReader) throws -> ListedDelivery { try ListedDelivery(&row) }
}

/// A page of a courier's deliveries. It may have delivered any number for stores that it has left: at most so many are
/// passed over, and the page is what was found till then.
package struct ListOfCourier: Statement {
    package static let sql = ListSQL.ofCourier.walk(
        // The planner must not know how many that are, lest it sorts them.
        "greatest($5, \(Found<ListedDelivery>.mostPlaces))")
    package static let isReadOnly = true
    let part: ListedDeliveries.Part

    package func bind(into parameters: inout Parameters) { part.bind(into: &parameters) }

    package static func decode(_ row: inout RowReader) throws -> Remarked<[String]?, ListedDelivery> {
        try Remarked(try row.read(), &row) { try ListedDelivery(&$0) }
    }
}
