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
        WHERE p.courier_id = $1 AND (lower(s.name), s.id) > (coalesce($2, ''), coalesce($3, '00000000-0000-0000-0000-000000000000'))
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

/// Ends a partnership, takes back invites that would renew it, and tells the courier. No row when there was none.
struct EndPartnership: Statement {
    static let sql = """
        WITH ended AS (DELETE FROM partners WHERE store_id = $1 AND courier_id = $2 RETURNING courier_id),
        revoked AS (
            UPDATE invites i SET state = 'revoked' FROM ended JOIN couriers c ON c.id = ended.courier_id
            WHERE i.store_id = $1 AND i.state = 'open' AND (i.courier_id = c.id OR i.phone = c.phone)),
        fed AS (
            INSERT INTO event_journal (accounts, types, data)
            SELECT ARRAY[$1, $2], ARRAY['partner.ended', 'partner.ended'],
                $4 - 'type' || jsonb_build_object('courier_id', $2)
            FROM ended),
        told AS (
            INSERT INTO messages (kind, data, channel, address, platform, language, title, body, account_id)
            SELECT $3, $4 || r.extra, r.channel::message_channel, r.address, r.platform, r.language, text.title, text.body, r.account_id
            FROM ended CROSS JOIN routes_of(ended.courier_id) r
            JOIN unnest($5, $6, $7) AS text(language, title, body) USING (language) WHERE r.channel = 'push')
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

/// What a courier has of a store: what is offered to it, and what it carries.
struct FindJobs: Statement {
    static let sql = """
        SELECT \(StoredDelivery.columns) FROM jobs j JOIN deliveries d ON d.id = j.delivery_id \(StoredDelivery.tables)
        WHERE j.courier_id = $2 AND j.store_id = $1 AND j.status IN ('pending', 'in_progress')
        ORDER BY d.id LIMIT 1000
        """
    let store: ID
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> StoredDelivery { try StoredDelivery(&row) }
}

/// Takes a store's deliveries out of a courier's list.
struct ForgetJobs: Statement {
    static let sql = "DELETE FROM jobs WHERE courier_id = $2 AND store_id = $1"
    let store: ID
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(courier)
    }
}
