import API
import Domain
import Postgres

/// Parts that the statements share, about couriers `c`.
private enum CourierSQL {
    /// Looked up for each courier (hence the OFFSET), since a store may have very many partners.
    static let partner = """
        LEFT JOIN LATERAL (
            SELECT since FROM partners WHERE courier_id = c.id AND store_id = $1 OFFSET 0) p ON true
        """
    /// Who is blocked or gone is not shown.
    static let isWanted = "($2::boolean IS NULL OR (p.since IS NOT NULL) = $2) AND NOT c.off"

    static let asked = """
        asked AS MATERIALIZED (
            SELECT search_for(marks, $5) AS words, search_for(marks, $5, 3) AS rare
            FROM (SELECT CASE WHEN $2 THEN ARRAY[mark_of($1)] ELSE ARRAY['*', mark_of($1)] END AS marks) m)
        """
    /// It is written so that no index of stores serves it, since the words are what is rare.
    static let isOpen = "coalesce(w.store_id, $1) = $1"

    /// What is told of the couriers in `found`.
    static func told(_ remark: String, by order: (some CourierOrder).Type) -> String {
        """
        SELECT remark.of, told.* FROM (SELECT \(remark) AS of) remark LEFT JOIN (
            SELECT \(ListedCourier.columns(by: order)) FROM found JOIN couriers c USING (id) \(partner)
            ORDER BY \(order.order)) told ON true
        """
    }
}

/// A page of all couriers, or of those that are not partners.
struct ListCouriers<Order: CourierOrder>: Statement {
    static var sql: String {
        """
        SELECT \(ListedCourier.columns(by: Order.self)) FROM couriers c \(CourierSQL.partner)
        WHERE \(CourierSQL.isWanted) AND \(Order.isAfter) ORDER BY \(Order.order) LIMIT $4
        """
    }
    static var isReadOnly: Bool { true }
    let wanted: ListedCouriers

    init(of wanted: ListedCouriers) { self.wanted = wanted }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> ListedCourier { try ListedCourier(&row) }
}

/// A page of a store's partners, by name. Each is looked up (hence the OFFSET), so that a page reads no more than its own.
struct ListPartners: Statement {
    static let sql = """
        SELECT \(ListedCourier.columns(by: ByName.self))
        FROM courier_words w,
            LATERAL (SELECT since FROM partners WHERE store_id = $1 AND courier_id = w.courier_id OFFSET 0) p,
            LATERAL (SELECT * FROM couriers WHERE id = w.courier_id OFFSET 0) c
        WHERE w.store_id = $1 AND $2 AND NOT c.off AND (w.last_name, w.first_name, w.courier_id) > (\(ByName.place))
        ORDER BY w.last_name, w.first_name, w.courier_id LIMIT $4
        """
    static let isReadOnly = true
    let wanted: ListedCouriers

    init(of wanted: ListedCouriers) { self.wanted = wanted }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> ListedCourier { try ListedCourier(&row) }
}

/// A page of a store's partners, the most reliable first. All of them are looked at, since ranks change with every delivery.
struct RankPartners: Statement {
    static let sql = """
        SELECT \(ListedCourier.columns(by: ByReliability.self))
        FROM partners p JOIN couriers c ON c.id = p.courier_id
        WHERE p.store_id = $1 AND $2 AND NOT c.off AND \(ByReliability.isAfter) ORDER BY \(ByReliability.order) LIMIT $4
        """
    static let isReadOnly = true
    let wanted: ListedCouriers

    init(of wanted: ListedCouriers) { self.wanted = wanted }

    func bind(into parameters: inout Parameters) { wanted.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> ListedCourier { try ListedCourier(&row) }
}

/// Goes through the directory from a place on and looks at no more than so many couriers. Says where it stopped, unless
/// that was the end.
struct WalkCouriers<Order: CourierOrder>: Statement {
    static var sql: String {
        """
        WITH \(CourierSQL.asked), found AS MATERIALIZED (
            SELECT c.id FROM (
                SELECT * FROM couriers c WHERE \(Order.isAfter) ORDER BY \(Order.order) LIMIT $6) c
                \(CourierSQL.partner)
            WHERE \(CourierSQL.isWanted)
                AND (\(Self.matches("w.store_id IS NULL")) OR \(Self.matches("w.store_id = $1")))
            ORDER BY \(Order.order) LIMIT $4)
        \(CourierSQL.told("""
            CASE WHEN (SELECT count(*) FROM found) < $4 THEN (
                SELECT \(Order.key) FROM couriers c
                WHERE \(Order.isAfter) ORDER BY \(Order.order) OFFSET $6 - 1 LIMIT 1) END
            """, by: Order.self))
        """
    }
    /// A subquery for each courier, since the walk already knows the couriers; the index of words need not find them.
    private static func matches(_ whose: String) -> String {
        """
        EXISTS (
            SELECT FROM courier_words w
            WHERE w.courier_id = c.id AND \(whose) AND ts_match_vq(w.words, (SELECT words FROM asked)) OFFSET 0)
        """
    }

    static var isReadOnly: Bool { true }
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
struct FindCouriersByWord<Order: CourierOrder>: Statement {
    static var sql: String {
        """
        WITH \(CourierSQL.asked), hits AS MATERIALIZED (
            SELECT DISTINCT courier_id AS id FROM (
                SELECT w.courier_id FROM asked JOIN courier_words w ON w.words @@ asked.rare AND ts_match_vq(w.words, asked.words)
                WHERE \(CourierSQL.isOpen) LIMIT \(2 * SearchSteps<ListedCourier>.mostHits + 1)) w),
        too_many AS MATERIALIZED (SELECT count(*) > \(SearchSteps<ListedCourier>.mostHits) AS are FROM hits),
        found AS MATERIALIZED (
            SELECT c.id FROM hits JOIN couriers c USING (id) \(CourierSQL.partner)
            WHERE NOT (SELECT are FROM too_many) AND \(CourierSQL.isWanted) AND \(Order.isAfter)
            ORDER BY \(Order.order) LIMIT $4)
        \(CourierSQL.told("(SELECT are FROM too_many)", by: Order.self))
        """
    }
    static var isReadOnly: Bool { true }
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
