import API
import Deliveries
import Domain
import Postgres

/// Finds places that the account keeps, in its order; without a text the first ones.
struct FindPlacesByWord: Statement {
    static let sql = """
        WITH asked AS MATERIALIZED (SELECT search_for('{""}', $2) AS words)
        SELECT name, address, lat, lon, phone, sameness FROM places
        WHERE account_id = $1 AND ($2 = '' OR ts_match_vq(words, (SELECT words FROM asked)))
        ORDER BY rank, id LIMIT \(PlaceSearch.most)
        """
    static let isReadOnly = true
    let account: ID
    let text: String

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> FoundPlace { try FoundPlace(saved: &row) }
}

/// What the two ways to find recipients have in common.
private enum RecipientSQL {
    /// The words of the store `$1` that the text `$2` asks for, and those that it asks for of a recipient alone.
    static let asked = """
        asked AS MATERIALIZED (
            SELECT search_for(marks, $2) AS words, search_for(marks, $2, 3) AS rare, search_for('{""}', $2) AS plain
            FROM (SELECT ARRAY[mark_of($1), hidden(mark_of($1))] AS marks) own)
        """

    /// The recipients of the deliveries in `hits`, each once, the latest first, as long as they are kept. Words are those of a
    /// delivery, which says more than to whom it goes: so each one that would be told is looked at by its own.
    static let told = """
        known AS MATERIALIZED (
            SELECT d.* FROM hits, LATERAL (
                SELECT id, recipient_first_name AS first_name, recipient_last_name AS last_name,
                    recipient_address AS address, recipient_phone AS phone, recipient_lat AS lat, recipient_lon AS lon,
                    place_sameness(recipient_first_name || ' ' || recipient_last_name, recipient_address) AS sameness
                FROM deliveries d
                WHERE d.id = hits.id AND d.store_id = $1 AND d.recipient_first_name <> '' AND NOT \(SeeingSQL.isPast)
                OFFSET 0) d),
        latest AS MATERIALIZED (
            SELECT * FROM (SELECT DISTINCT ON (sameness) * FROM known ORDER BY sameness, id DESC) one ORDER BY id DESC),
        told AS (
            SELECT first_name, last_name, address, lat, lon, phone, sameness FROM latest
            WHERE ts_match_vq(place_words(first_name || ' ' || last_name, address, phone), (SELECT plain FROM asked))
            LIMIT \(PlaceSearch.most))
        """
}

/// Finds recipients among the store's latest deliveries, so many of them, however these stand. Says how many were looked at.
struct WalkRecipients: Statement {
    static let sql = """
        WITH \(RecipientSQL.asked),
        walked AS MATERIALIZED (
            SELECT d.id FROM unnest(enum_range(NULL::delivery_status)) AS s(status), LATERAL (
                -- A range of one, so that no index will do but that of the store's own by how they stand.
                SELECT id FROM deliveries WHERE store_id = $1 AND status >= s.status AND status <= s.status
                ORDER BY status DESC, id DESC LIMIT $3) d
            ORDER BY d.id DESC LIMIT $3),
        hits AS MATERIALIZED (
            SELECT walked.id FROM walked, LATERAL (
                SELECT FROM delivery_words w
                WHERE w.delivery_id = walked.id AND ts_match_vq(w.words, (SELECT words FROM asked)) OFFSET 0) w),
        \(RecipientSQL.told)
        SELECT (SELECT count(*) FROM walked), told.*
        FROM (SELECT) one LEFT JOIN told ON true
        """
    static let isReadOnly = true
    let store: ID
    let text: String
    let most: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(text)
        parameters.add(most)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<Int64, FoundPlace> {
        try Remarked(try row.read(), &row) { try FoundPlace(recipient: &$0) }
    }
}

/// Finds recipients by the index of words. If there are too many, it says only that.
struct FindRecipientsByWord: Statement {
    static let sql = """
        WITH \(RecipientSQL.asked),
        found AS MATERIALIZED (
            SELECT w.delivery_id AS id
            FROM asked JOIN delivery_words w ON w.words @@ asked.rare AND ts_match_vq(w.words, asked.words)
            WHERE w.store_id = $1 LIMIT \(SearchSteps<FoundPlace>.mostHits + 1)),
        too_many AS MATERIALIZED (SELECT count(*) > \(SearchSteps<FoundPlace>.mostHits) AS are FROM found),
        hits AS MATERIALIZED (SELECT id FROM found WHERE NOT (SELECT are FROM too_many)),
        \(RecipientSQL.told)
        SELECT (SELECT are FROM too_many), told.* FROM (SELECT) one LEFT JOIN told ON true
        """
    static let isReadOnly = true
    let store: ID
    let text: String

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<Bool, FoundPlace> {
        try Remarked(try row.read(), &row) { try FoundPlace(recipient: &$0) }
    }
}
