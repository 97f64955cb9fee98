import API
import Domain
import HTTP
import Postgres

/// The couriers that a store asks for.
struct ListedCouriers: Sendable {
    let page: Page
    private let store: ID
    private let isPartner: Bool?
    private let text: String?
    private let after: (lastName: String, firstName: String, id: ID)?

    static let parameters =
        [
            Endpoint.Parameter(name: "partner", shape: .boolean, what: "true: only partners; false: only others."),
            Endpoint.Parameter(
                name: "q", shape: .string(most: Bounds.search),
                what: """
                    Words, each of which must begin a word of the name, regardless of case and accents; or digits of \
                    a partner's phone number. A page of a search may hold fewer items than asked for and still have a \
                    next page.
                    """),
        ] + Endpoint.Parameter.list

    init(_ call: Call) throws {
        try self.init(
            call, isPartner: try call.request.flag("partner"), text: try call.request.text("q", upTo: Bounds.search))
    }

    /// All of the store's partners.
    init(partnersOf call: Call) throws { try self.init(call, isPartner: true, text: nil) }

    private init(_ call: Call, isPartner: Bool?, text: String?) throws {
        (store, self.isPartner, self.text) = (call.caller.account, isPartner, text)
        page = try call.page()
        after = try page.after.map { key in
            guard key.count == 3, let id = ID(key[2]) else { throw Page.wrongCursor }
            return (key[0], key[1], id)
        }
    }

    /// The page, without a search.
    func list(_ call: Call) async throws -> Response {
        let isOfPartners = isPartner == true
        let couriers = try await isOfPartners ? call.run(ListPartners(of: self)) : call.run(ListCouriers(of: self))
        return response(Found(items: couriers, edge: nil))
    }

    /// The page, with a search if there is a text.
    func list(_ call: Call, _ searches: SlowReads) async throws -> Response {
        guard let text else { return try await list(call) }
        return response(
            try await searches.run(for: store) { try await steps(text, $0).page(of: page.fetched) })
    }

    private func response(_ found: Found<ListedCourier>) -> Response {
        page.response(found.items, key: \.sortKey, next: found.edge) { json, courier in json.object(courier.write) }
    }

    private func steps(_ text: String, _ runner: SlowRunner) -> SearchSteps<ListedCourier> {
        SearchSteps { most in
            Found(try await runner.run(WalkCouriers(of: self, text: text, most: most)))
        } hits: {
            let rows = try await runner.run(FindCouriersByWord(of: self, text: text))
            return rows.first?.remark == true ? nil : rows.compactMap(\.item)
        }
    }

    fileprivate func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(isPartner)
        parameters.add(after?.lastName)
        parameters.add(after?.firstName)
        parameters.add(after?.id)
        parameters.add(page.fetched)
    }
}

/// Parts that the statements share: couriers `c` in the order of their names.
private enum CourierSQL {
    static let columns = """
        c.id, c.first_name, c.last_name, c.phone, c.accepted, c.delivered, c.cancelled, c.declined, duty_now(c.on_duty, c.duty_until), p.since,
        lower(c.last_name), lower(c.first_name)
        """
    static let partner = "LEFT JOIN partners p ON p.courier_id = c.id AND p.store_id = $1"
    /// Who is blocked or gone is not shown.
    static let isWanted = "($2::boolean IS NULL OR (p.since IS NOT NULL) = $2) AND NOT c.off"
    static let order = "lower(c.last_name), lower(c.first_name), c.id"
    /// The place after which the page begins.
    static let place =
        "coalesce($3, ''), coalesce($4, ''), coalesce($5, '00000000-0000-0000-0000-000000000000')"
    static let isAfter = "(\(order)) > (\(place))"

    static let asked = """
        asked AS MATERIALIZED (
            SELECT search_for(marks, $7) AS words, search_for(marks, $7, 3) AS rare
            FROM (SELECT CASE WHEN $2 THEN ARRAY[mark_of($1)] ELSE ARRAY['*', mark_of($1)] END AS marks) m)
        """
    /// It is written so that no index of stores serves it, since the words are what is rare.
    static let isOpen = "coalesce(w.store_id, $1) = $1"

    /// What is told of the couriers in `found`.
    static func told(_ remark: String) -> String {
        """
        SELECT remark.of, told.* FROM (SELECT \(remark) AS of) remark LEFT JOIN (
            SELECT \(columns) FROM found JOIN couriers c USING (id) \(partner) ORDER BY \(order)) told ON true
        """
    }
}

/// A page of all couriers, or of those that are not partners.
struct ListCouriers: Statement {
    static let sql = """
        SELECT \(CourierSQL.columns) FROM couriers c \(CourierSQL.partner)
        WHERE \(CourierSQL.isWanted) AND \(CourierSQL.isAfter) ORDER BY \(CourierSQL.order) LIMIT $6
        """
    static let isReadOnly = true
    let wanted: ListedCouriers

    init(of wanted: ListedCouriers) { self.wanted = wanted }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> ListedCourier { try ListedCourier(&row) }
}

/// A page of a store's partners.
struct ListPartners: Statement {
    static let sql = """
        SELECT \(CourierSQL.columns)
        FROM courier_words w JOIN partners p ON p.store_id = $1 AND p.courier_id = w.courier_id
            JOIN couriers c ON c.id = w.courier_id
        WHERE w.store_id = $1 AND $2 AND NOT c.off AND (w.last_name, w.first_name, w.courier_id) > (\(CourierSQL.place))
        ORDER BY w.last_name, w.first_name, w.courier_id LIMIT $6
        """
    static let isReadOnly = true
    let wanted: ListedCouriers

    init(of wanted: ListedCouriers) { self.wanted = wanted }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> ListedCourier { try ListedCourier(&row) }
}

/// Goes through the directory from a place on and looks at no more than so many names. Says where it stopped, unless
/// that was the end.
struct WalkCouriers: Statement {
    static let sql = """
        WITH \(CourierSQL.asked), found AS MATERIALIZED (
            SELECT c.id FROM (
                SELECT * FROM couriers c WHERE \(CourierSQL.isAfter) ORDER BY \(CourierSQL.order) LIMIT $8) c
                \(CourierSQL.partner)
            WHERE \(CourierSQL.isWanted)
                AND (\(Self.matches("w.store_id IS NULL")) OR \(Self.matches("w.store_id = $1")))
            ORDER BY \(CourierSQL.order) LIMIT $6)
        \(CourierSQL.told("""
            CASE WHEN (SELECT count(*) FROM found) < $6 THEN (
                SELECT ARRAY[lower(c.last_name), lower(c.first_name), c.id::text] FROM couriers c
                WHERE \(CourierSQL.isAfter) ORDER BY \(CourierSQL.order) OFFSET $8 - 1 LIMIT 1) END
            """))
        """
    /// A subquery for each courier, since the walk already knows the couriers; the index of words need not find them.
    private static func matches(_ whose: String) -> String {
        """
        EXISTS (
            SELECT FROM courier_words w
            WHERE w.courier_id = c.id AND \(whose) AND ts_match_vq(w.words, (SELECT words FROM asked)) OFFSET 0)
        """
    }

    static let isReadOnly = true
    let wanted: ListedCouriers
    let text: String
    let most: Int32

    init(of wanted: ListedCouriers, text: String, most: Int32) {
        (self.wanted, self.text, self.most) = (wanted, text, most)
    }

    func bind(into parameters: inout Parameters) {
        wanted.bind(into: &parameters)
        parameters.add(text)
        parameters.add(most)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<[String]?, ListedCourier> {
        try Remarked(try row.read(), &row) { try ListedCourier(&$0) }
    }
}

/// Finds couriers by the index of words. If there are too many, it says only that.
struct FindCouriersByWord: Statement {
    static let sql = """
        WITH \(CourierSQL.asked), hits AS MATERIALIZED (
            SELECT DISTINCT courier_id AS id FROM (
                SELECT w.courier_id FROM asked JOIN courier_words w ON w.words @@ asked.rare AND ts_match_vq(w.words, asked.words)
                WHERE \(CourierSQL.isOpen) LIMIT \(2 * SearchSteps<ListedCourier>.mostHits + 1)) w),
        too_many AS MATERIALIZED (SELECT count(*) > \(SearchSteps<ListedCourier>.mostHits) AS are FROM hits),
        found AS MATERIALIZED (
            SELECT c.id FROM hits JOIN couriers c USING (id) \(CourierSQL.partner)
            WHERE NOT (SELECT are FROM too_many) AND \(CourierSQL.isWanted) AND \(CourierSQL.isAfter)
            ORDER BY \(CourierSQL.order) LIMIT $6)
        \(CourierSQL.told("(SELECT are FROM too_many)"))
        """
    static let isReadOnly = true
    let wanted: ListedCouriers
    let text: String

    init(of wanted: ListedCouriers, text: String) { (self.wanted, self.text) = (wanted, text) }

    func bind(into parameters: inout Parameters) {
        wanted.bind(into: &parameters)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<Bool, ListedCourier> {
        try Remarked(try row.read(), &row) { try ListedCourier(&$0) }
    }
}

extension ListedCourier {
    fileprivate init(_ row: inout RowReader) throws {
        let id: ID = try row.read()
        let (firstName, lastName, phone): (String, String, String?) = (try row.read(), try row.read(), try row.read())
        let stats = try CourierStats(&row)
        let (isOnDuty, since): (Bool, Timestamp?) = (try row.read(), try row.read())
        self.init(
            id: id, firstName: firstName, lastName: lastName, phone: phone, stats: stats, isOnDuty: isOnDuty,
            partnerSince: since,
            sortKey: [try row.read(), try row.read(), id.description])
    }
}
