import API
import Domain
import Postgres

/// Keeps a place behind the account's others, unless it is kept already, or there are too many.
struct AddPlace: Statement {
    static let sql = """
        WITH same AS MATERIALIZED (SELECT id FROM places WHERE account_id = $1 AND sameness = place_sameness($3, $4)),
        others AS MATERIALIZED (SELECT count(*) AS count, coalesce(max(rank), 0) AS last FROM places WHERE account_id = $1),
        added AS (
            INSERT INTO places (account_id, id, rank, name, address, lat, lon, phone, note, sameness, words)
            SELECT $1, $2, last + 1, $3, $4, $5, $6, $7, $8, place_sameness($3, $4), place_words($3, $4, $7)
            FROM others WHERE count < \(Bounds.places) AND NOT EXISTS (SELECT FROM same)
            RETURNING rank)
        SELECT (SELECT id FROM same), (SELECT rank FROM added)
        """
    private let account, id: ID
    private let form: NewPlace

    init(_ account: ID, _ id: ID, _ form: NewPlace) { (self.account, self.id, self.form) = (account, id, form) }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
        parameters.add(form.name)
        parameters.add(form.address)
        parameters.add(form.location?.lat)
        parameters.add(form.location?.lon)
        parameters.add(form.phone?.e164)
        parameters.add(form.note)
    }

    static func decode(_ row: inout RowReader) throws -> (same: ID?, rank: Int32?) {
        (try row.read(), try row.read())
    }
}

/// Changes a place, unless it would be the same as another one, whose id is told.
struct ChangePlace: Statement {
    static let sql = """
        WITH former AS MATERIALIZED (
            SELECT coalesce($3, name) AS name, coalesce($4, address) AS address, CASE WHEN $8 THEN $9 ELSE phone END AS phone
            FROM places WHERE account_id = $1 AND id = $2),
        same AS MATERIALIZED (
            SELECT p.id FROM former f, places p
            WHERE p.account_id = $1 AND p.sameness = place_sameness(f.name, f.address) AND p.id <> $2),
        changed AS (
            UPDATE places p SET name = f.name, address = f.address, phone = f.phone,
                lat = CASE WHEN $5 THEN $6 ELSE lat END, lon = CASE WHEN $5 THEN $7 ELSE lon END,
                note = CASE WHEN $10 THEN $11 ELSE note END,
                sameness = place_sameness(f.name, f.address), words = place_words(f.name, f.address, f.phone)
            FROM former f WHERE p.account_id = $1 AND p.id = $2 AND NOT EXISTS (SELECT FROM same)
            RETURNING \(Place.columns))
        SELECT (SELECT id FROM same), changed.* FROM (SELECT) one LEFT JOIN changed ON true
        """
    let account, id: ID
    let form: ChangedPlace

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
        parameters.add(form.name)
        parameters.add(form.address)
        parameters.add(form.location != nil)
        parameters.add(form.location??.lat)
        parameters.add(form.location??.lon)
        parameters.add(form.phone != nil)
        parameters.add(form.phone??.e164)
        parameters.add(form.note != nil)
        parameters.add(form.note ?? nil)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<ID?, Place> {
        try Remarked(try row.read(), &row) { try Place(&$0) }
    }
}

/// Whether an account still keeps a place.
struct IsPlaceKept: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM places WHERE account_id = $1 AND id = $2)"
    static let isReadOnly = true
    let account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Forgets a place, which nobody has chosen any more then.
struct DeletePlace: Statement {
    static let sql = "DELETE FROM places WHERE account_id = $1 AND id = $2 RETURNING true"
    let account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Puts all places in that order; false if those are not all of them.
struct OrderPlaces: Statement {
    static let sql = """
        WITH wanted AS MATERIALIZED (SELECT id, no::integer AS rank FROM unnest($2::uuid[]) WITH ORDINALITY AS w(id, no)),
        kept AS MATERIALIZED (SELECT id FROM places WHERE account_id = $1),
        checked AS MATERIALIZED (
            SELECT NOT EXISTS (SELECT id FROM wanted EXCEPT SELECT id FROM kept)
                AND NOT EXISTS (SELECT id FROM kept EXCEPT SELECT id FROM wanted) AS is_right),
        moved AS (
            UPDATE places p SET rank = w.rank FROM checked, wanted w
            WHERE is_right AND p.account_id = $1 AND p.id = w.id AND p.rank <> w.rank)
        SELECT is_right FROM checked
        """
    let account: ID
    let ids: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(ids)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Chooses a place, or none; false if there is no such place.
struct SelectPlace: Statement {
    static let sql = """
        WITH none AS (DELETE FROM selected_places WHERE account_id = $1 AND $2::uuid IS NULL),
        selected AS (
            INSERT INTO selected_places (account_id, place_id)
            SELECT account_id, id FROM places WHERE account_id = $1 AND id = $2
            ON CONFLICT (account_id) DO UPDATE SET place_id = EXCLUDED.place_id RETURNING true)
        SELECT $2::uuid IS NULL OR EXISTS (SELECT FROM selected)
        """
    let account: ID
    let id: ID?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// A page of the account's places.
struct ListPlaces: Statement {
    static let sql = """
        SELECT \(Place.columns) FROM places p WHERE account_id = $1 AND (rank, id) > ($2, $3) ORDER BY rank, id LIMIT $4
        """
    static let isReadOnly = true
    private let account: ID
    private let after: (rank: Int32, id: ID)
    private let limit: Int32

    init(account: ID, page: Page) throws {
        (self.account, limit) = (account, page.fetched)
        guard let key = page.after else {
            after = (0, ID(high: 0, low: 0))
            return
        }
        guard key.count == 2, let rank = Int32(key[0]), let id = ID(key[1]) else { throw Page.wrongCursor }
        after = (rank, id)
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after.rank)
        parameters.add(after.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> Place { try Place(&row) }
}

/// The place that the account has chosen.
struct FindSelectedPlace: Statement {
    static let sql = "SELECT place_id FROM selected_places WHERE account_id = $1"
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
