import Domain
import HTTP
import Postgres

/// A store in a courier's list.
struct ListedStore: Sendable {
    let store: PartnerStore
    let since: Timestamp
    let sortKey: [String]

    static let shape = Shape.object("ListedStore", PartnerStore.members + [.init("since", .time)])

    func write(_ json: inout JSONWriter) {
        store.write(&json)
        json.field("since", since)
    }
}

/// A page of a courier's stores by name.
struct ListStores: Statement {
    static let sql = """
        SELECT s.id, s.name, s.address, s.phone, p.since, lower(s.name)
        FROM partners p JOIN stores s ON s.id = p.store_id
        WHERE p.courier_id = $1 AND ($2::text IS NULL OR (lower(s.name), s.id) > ($2, $3::uuid))
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
            store: store, since: try row.read(), sortKey: [try row.read(), store.id.description])
    }
}

/// Ends a partnership and tells the courier. No row when there was none.
struct EndPartnership: Statement {
    static let sql = """
        WITH ended AS (DELETE FROM partners WHERE store_id = $1 AND courier_id = $2 RETURNING courier_id),
        told AS (
            INSERT INTO outbox (kind, data, channel, address, platform, language, title, body, account_id)
            SELECT $3, $4, r.channel, r.address, r.platform, r.language, text.title, text.body, r.account_id
            FROM ended JOIN message_routes r ON r.account_id = ended.courier_id AND r.channel = 'push'
            JOIN unnest($5, $6, $7) AS text(language, title, body) USING (language))
        SELECT courier_id FROM ended
        """
    let store: ID
    let courier: ID
    let message: Message

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(courier)
        message.bind(into: &parameters)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
