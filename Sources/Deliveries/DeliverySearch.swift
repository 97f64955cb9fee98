import API
import Domain
import HTTP
import People
import Postgres

extension ListedDeliveries.Part {
    /// Looks for a text in what the list has.
    func search(_ text: String, by kind: AccountKind, _ runner: SlowRunner) async throws
        -> Found<ListedDelivery>
    {
        let steps =
            switch kind {
            case .store: steps(text, SearchOfStore.self, runner)
            case .courier: steps(text, SearchOfCourier.self, runner)
            }
        return try await steps.page(of: limit)
    }

    private func steps<Whose: DeliverySearch>(
        _ text: String, _ whose: Whose.Type, _ runner: SlowRunner
    ) -> SearchSteps<ListedDelivery> {
        SearchSteps { most in
            Found(try await runner.run(WalkDeliveries<Whose>(part: self, text: text, most: most)))
        } hits: {
            let rows = try await runner.run(FindDeliveriesByWord<Whose>(part: self, text: text))
            return rows.first?.remark == true ? nil : rows.compactMap(\.item)
        }
    }
}

/// Whose list is searched.
protocol DeliverySearch: Sendable {
    static var list: ListSQL { get }
    /// The marks of the words that may be searched, and of those that may be as long as nobody has accepted.
    static var marks: String { get }
    static var openMarks: String { get }
    /// The store whose words are searched.
    static var store: String { get }
    /// The couriers whose name the text may be. A courier searches for none, since it knows its own.
    static var couriers: String { get }
    /// The place of a delivery `d` among others of its status, if it is in the list, as `place`.
    static var listed: String { get }
}

enum SearchOfStore: DeliverySearch {
    static let list = ListSQL.ofStore
    static let marks = "ARRAY[mark_of($1), hidden(mark_of($1))]"
    static let openMarks = marks
    static let store = "store_id = $1"
    static let couriers = """
        SELECT w.courier_id FROM asked JOIN courier_words w ON w.words @@ asked.words
        WHERE coalesce(w.store_id, w.courier_id) = $1 LIMIT 1000
        """
    static let listed = """
        SELECT place_in_list(d.status, d.due_at, d.delivered_at, d.cancelled_at) AS place WHERE d.store_id = $1
        """
}

enum SearchOfCourier: DeliverySearch {
    static let list = ListSQL.ofCourier
    static let marks =
        "(\(openMarks) || ARRAY(SELECT hidden(mark_of(store_id)) FROM partners WHERE courier_id = $1))"
    static let openMarks = "ARRAY(SELECT mark_of(store_id) FROM partners WHERE courier_id = $1)"
    static let store = "store_id IN (SELECT store_id FROM partners WHERE courier_id = $1)"
    static let couriers = "SELECT NULL::uuid AS courier_id WHERE false"
    /// What was taken from a courier is in its list, but found by no words: it sees hardly any of them any more.
    static let listed = """
        SELECT j.place FROM jobs j
        WHERE j.courier_id = $1 AND j.status = d.status AND j.delivery_id = d.id AND j.until IS NULL
            AND EXISTS (SELECT FROM partners p WHERE p.courier_id = $1 AND p.store_id = d.store_id
                AND \(SeeingSQL.shows("d.status")) OFFSET 0)
        OFFSET 0
        """
}

extension DeliverySearch {
    fileprivate static var asked: String {
        """
        asked AS MATERIALIZED (
            SELECT search_for(\(marks), $7) AS words, search_for(\(marks), $7, 3) AS rare,
                search_for(\(openMarks), $7) AS open_words),
        named AS MATERIALIZED (\(couriers))
        """
    }

    /// The condition for a delivery `d` to be found by its words: one whose recipient is forgotten only by those that are
    /// left, even where nobody has erased the others yet.
    fileprivate static var isStillFound: String {
        """
        CASE WHEN d.recipient_first_name <> '' AND \(SeeingSQL.isPast)
            THEN ts_match_vq(
                words_of_delivery(d.store_id, '', '', '', NULL, d.description, d.instructions, d.reference),
                (SELECT words FROM asked))
            ELSE true END
        """
    }
}

/// Goes through a list from a place on and looks at the words of at most so many deliveries. Says where it stopped,
/// unless that was the end.
struct WalkDeliveries<Whose: DeliverySearch>: Statement {
    static var sql: String {
        Whose.list.walk(
            "$8", with: "\(Whose.asked),",
            where: """
                at_until IS NULL AND (EXISTS (SELECT FROM (
                    SELECT FROM delivery_words w
                    WHERE w.delivery_id = at_id AND ts_match_vq(w.words, (
                        SELECT CASE WHEN at_status = 'pending' THEN open_words ELSE words END FROM asked)) OFFSET 0) w,
                    LATERAL (SELECT FROM deliveries d WHERE d.id = at_id AND \(Whose.isStillFound) OFFSET 0) d)
                OR at_status IN \(DeliveryStatus.sql(\.hasCourier)) AND EXISTS (SELECT FROM named)
                    AND EXISTS (SELECT FROM deliveries d JOIN named USING (courier_id) WHERE d.id = at_id))
                """)
    }
    static var isReadOnly: Bool { true }
    let part: ListedDeliveries.Part
    let text: String
    let most: Int32

    func bind(into parameters: inout Parameters) {
        part.bind(into: &parameters)
        parameters.add(text)
        parameters.add(most)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<[String]?, ListedDelivery> {
        try Remarked(try row.read(), &row) { try ListedDelivery(&$0) }
    }
}

/// Finds deliveries by the index of words and by couriers' names. If there are too many, it says only that.
struct FindDeliveriesByWord<Whose: DeliverySearch>: Statement {
    static var sql: String {
        """
        WITH \(Whose.asked), hits AS MATERIALIZED (
            (SELECT w.delivery_id, ts_match_vq(w.words, asked.open_words) AS is_open, false AS is_named FROM asked JOIN delivery_words w ON w.words @@ asked.rare AND ts_match_vq(w.words, asked.words)
                WHERE w.\(Whose.store) LIMIT \(SearchSteps<ListedDelivery>.mostHits + 1))
            UNION
            (SELECT j.delivery_id, true, true FROM named, LATERAL (
                    SELECT delivery_id FROM jobs j
                    WHERE j.courier_id = named.courier_id AND j.status IN \(DeliveryStatus.sql(\.hasCourier))
                        AND j.store_id = $1 OFFSET 0) j
                LIMIT \(SearchSteps<ListedDelivery>.mostHits + 1))),
        too_many AS MATERIALIZED (SELECT count(*) > \(SearchSteps<ListedDelivery>.mostHits) AS are FROM hits),
        found AS MATERIALIZED (
            SELECT DISTINCT d.status AS at_status, at.place AS at_place, d.id AS at_id
            FROM hits, LATERAL (SELECT * FROM deliveries d WHERE d.id = hits.delivery_id OFFSET 0) d,
                LATERAL (\(Whose.listed)) at
            WHERE NOT (SELECT are FROM too_many) AND (d.status, at.place, d.id) < ($2::delivery_status, $3, $4)
                AND d.status >= $6::delivery_status AND (hits.is_open OR d.status <> 'pending')
                AND (hits.is_named OR \(Whose.isStillFound))
            \(ListSQL.order) LIMIT $5)
        \(Whose.list.told("(SELECT are FROM too_many)"))
        """
    }
    static var isReadOnly: Bool { true }
    let part: ListedDeliveries.Part
    let text: String

    func bind(into parameters: inout Parameters) {
        part.bind(into: &parameters)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<Bool, ListedDelivery> {
        try Remarked(try row.read(), &row) { try ListedDelivery(&$0) }
    }
}
