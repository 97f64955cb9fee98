import Feed
import API
import Outbox
import Domain
import HTTP
import Postgres

/// A store in a courier's list.
struct ListedStore: Sendable {
    let store: PartnerStore
    let since: Timestamp
    let location: Location?
    let shown: ShownProfile
    let sortKey: [String]

    static let shape = Shape.object(
        "ListedStore",
        PartnerStore.members + [.init("since", .time), .init("location", Location.written.orNull)] + ShownProfile.seen)

    func write(_ json: inout JSONWriter) {
        store.write(&json)
        json.field("since", since)
        json.field("location", location)
        shown.writeSeen(&json)
    }
}

/// A page of a courier's stores by name.
struct ListStores: Statement {
    static let sql = """
        SELECT s.id, s.name, s.address, s.phone, p.since, s.lat, s.lon, \(ShownProfile.columns), lower(s.name)
        FROM partners p JOIN stores s ON s.id = p.store_id JOIN accounts a ON a.id = s.id
        WHERE p.courier_id = $1 AND NOT s.off AND (lower(s.name), s.id) > (coalesce($2, ''), coalesce($3, '00000000-0000-0000-0000-000000000000'))
        ORDER BY lower(s.name), s.id LIMIT $4
        """
    static let isReadOnly = true
    private let courier: ID
    private let after: (name: String, id: ID)?
    private let limit: Int32

    init(courier: ID, page: Page) throws {
        self.courier = courier
        limit = page.fetched
        after = try page.after.map { key in
            guard key.count == 2, let id = ID(key[1]) else { throw Page.wrongCursor }
            return (key[0], id)
        }
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(after?.name)
        parameters.add(after?.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> ListedStore {
        let store = try PartnerStore(&row)
        return ListedStore(
            store: store, since: try row.read(), location: try Location.read(&row), shown: try ShownProfile(&row),
            sortKey: [try row.read(), store.id.description])
    }
}

/// Locks a partnership, so that accepting and offering wait for it. There is no row if there is no partnership.
struct HoldPartnership: Statement {
    static let sql = "SELECT true FROM partners WHERE store_id = $1 AND courier_id = $2 FOR UPDATE"
    let pair: Pair

    func bind(into parameters: inout Parameters) { pair.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Whether the two work together.
struct ArePartners: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM partners WHERE store_id = $1 AND courier_id = $2)"
    static let isReadOnly = true
    let pair: Pair

    func bind(into parameters: inout Parameters) { pair.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Whether a courier carries a delivery of a store.
struct CarriesSomething: Statement {
    static let sql = """
        SELECT EXISTS (
            SELECT FROM (VALUES \(DeliveryStatus.rows(\.isCarried))) AS wanted(status), LATERAL (
                SELECT FROM jobs WHERE courier_id = $2 AND status = wanted.status AND store_id = $1 OFFSET 0) carried)
        """
    let pair: Pair

    func bind(into parameters: inout Parameters) { pair.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// A store and a courier.
package struct Pair: Hashable, Sendable {
    package let store: ID
    package let courier: ID

    package func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(courier)
    }

    init(store: ID, courier: ID) {
        (self.store, self.courier) = (store, courier)
    }

    /// Reads two columns.
    init(_ row: inout RowReader) throws {
        (store, courier) = (try row.read(), try row.read())
    }
}

/// The end of a partnership.
package struct PartnershipEnding: Sendable {
    package let pair: Pair
    let at: Timestamp

    package func bind(into parameters: inout Parameters) {
        pair.bind(into: &parameters)
        parameters.add(at)
    }

    /// Reads three columns.
    package init(_ row: inout RowReader) throws {
        pair = try Pair(&row)
        at = try row.read()
    }
}

/// Ends a partnership, takes back invites that would renew it, tells the courier, and notes that leave is to be taken.
struct EndPartnership: Statement {
    static let sql = """
        WITH ended AS (DELETE FROM partners WHERE store_id = $1 AND courier_id = $2 RETURNING courier_id),
        noted AS (
            INSERT INTO partnership_endings (store_id, courier_id, worked_until)
            SELECT $1, courier_id, now() + interval '15 seconds' FROM ended
            ON CONFLICT (store_id, courier_id) DO UPDATE SET
                worked_until = EXCLUDED.worked_until, ended_at = EXCLUDED.ended_at
            RETURNING store_id, courier_id, ended_at),
        revoked AS (
            UPDATE invites i SET state = 'revoked' FROM ended JOIN couriers c ON c.id = ended.courier_id
            WHERE i.store_id = $1 AND i.state = 'open' AND (i.courier_id = c.id OR i.phone = c.phone) RETURNING i.id),
        untrue AS MATERIALIZED (SELECT withdraw('invite', array_agg(id)) AS withdrawn FROM revoked HAVING count(*) > 0),
        untold AS MATERIALIZED (
            SELECT withdraw_bulletins($1, courier_id), withdraw('partner_joined', ARRAY[courier_id], ARRAY[$1]) FROM ended),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[$1, $2], '{partner.ended,partner.ended}'::text[],
                    ($3->'data') - 'type' || jsonb_build_object('courier_id', $2)
                FROM ended
                """))),
        told AS (
            \(Tell.sql("SELECT jsonb_build_array($3 || jsonb_build_object('accounts', ARRAY[courier_id], 'subject', $1)) AS notices FROM ended")))
        SELECT * FROM noted WHERE (SELECT count(*) FROM untrue) + (SELECT count(*) FROM untold) >= 0
        """
    let pair: Pair
    let message: Message

    func bind(into parameters: inout Parameters) {
        pair.bind(into: &parameters)
        parameters.add(message.parameter)
    }

    static func decode(_ row: inout RowReader) throws -> PartnershipEnding { try PartnershipEnding(&row) }
}
