import API
import Domain
import HTTP
import Postgres

/// An invite in a list. The store that sent it sees its code. The courier who got it sees the store, but not the code,
/// which must come by the invited number.
struct ListedInvite: Sendable {
    let id: ID
    let state: String
    let channel: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
    /// What the store wrote to whom it invites.
    let message: String?
    let other: Other
    /// Whether somebody sends what goes by the channel, as its store sees it as long as it is live.
    let isLive: Bool?

    enum Other: Sendable {
        case courier(id: ID, firstName: String, lastName: String)
        case number(String)
        case store(id: ID, name: String)
    }

    static let channel = Shape.oneOf(["push", "sms", "link"], named: "InviteChannel")
    private static let state = Shape.oneOf(["live", "redeemed", "expired", "revoked"], named: "InviteState")

    static let shape = Shape.object(
        "ListedInvite",
        [
            .init("id", .id), .init("state", state), .init("channel", channel),
            .init("created_at", .time), .init("expires_at", .time), .init("message", Shape.string().orNull),
            .init("channel_is_live", .boolean, optional: true), .init("code", .string(), optional: true),
            .init("url", .string(format: "uri"), optional: true),
            .init("phone", .string(), optional: true),
            .init(
                "courier",
                .object([.init("id", .id), .init("first_name", .string()), .init("last_name", .string())]),
                optional: true),
            .init("store", .object([.init("id", .id), .init("name", .string())]), optional: true),
        ])

    func write(_ json: inout JSONWriter, codes: InviteCodes) {
        json.field("id", id)
        json.field("state", state)
        json.field("channel", channel)
        json.field("created_at", createdAt)
        json.field("expires_at", expiresAt)
        json.field("message", message)
        switch other {
        case .store(let id, let name):
            json.object("store") { json in
                json.field("id", id)
                json.field("name", name)
            }
            return
        case .courier(let id, let firstName, let lastName):
            json.object("courier") { json in
                json.field("id", id)
                json.field("first_name", firstName)
                json.field("last_name", lastName)
            }
        case .number(let phone): json.field("phone", phone)
        }
        guard let isLive else { return }
        json.field("channel_is_live", isLive)
        let code = codes.code(of: id)
        json.field("code", code.shown)
        json.field("url", codes.url(code))
    }

    /// The first columns of both lists. `isLive` is what a live one says of its channel.
    fileprivate static func columns(isLive: String) -> String {
        """
        i.id, CASE WHEN i.state <> 'open' THEN i.state WHEN i.expires_at <= now() THEN 'expired' ELSE 'live' END,
            i.channel, i.created_at, i.expires_at, i.message,
            CASE WHEN i.state = 'open' AND i.expires_at > now() THEN \(isLive) END
        """
    }

    fileprivate init(_ row: inout RowReader, other: (inout RowReader) throws -> Other) throws {
        id = try row.read()
        state = try row.read()
        channel = try row.read()
        createdAt = try row.read()
        expiresAt = try row.read()
        message = try row.read()
        isLive = try row.read()
        self.other = try other(&row)
    }
}

/// A page of the invites that a store sent. Whose a number is that it invited, it learns when that courier has accepted.
struct ListSentInvites: Statement {
    static let sql = """
        SELECT \(ListedInvite.columns(isLive: MakeInvite.isLive(to: "i.courier_id"))),
            coalesce(i.phone, CASE WHEN i.state <> 'redeemed' THEN i.dialled END), c.id, c.first_name, c.last_name
        FROM invites i LEFT JOIN couriers c ON c.id = i.courier_id
        WHERE i.store_id = $1 AND i.id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY i.id DESC LIMIT $3
        """
    static let isReadOnly = true
    private let store: ID
    private let after: ID?
    private let limit: Int32

    init(store: ID, page: Page) throws {
        self.store = store
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> ListedInvite {
        try ListedInvite(&row) { row in
            if let phone: String = try row.read() { return .number(phone) }
            return .courier(id: try row.read(), firstName: try row.read(), lastName: try row.read())
        }
    }
}

/// A page of the invites that a courier got, by account or by the number that it has proven.
///
/// Each half goes along its own index. If both were asked for as one, the planner might go through everybody's invites.
struct ListReceivedInvites: Statement {
    static let sql = """
        SELECT \(ListedInvite.columns(isLive: "NULL::boolean")), s.id, s.name
        FROM (
            (SELECT * FROM invites WHERE courier_id = $1 AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
            ORDER BY id DESC LIMIT $3)
            UNION
            (SELECT * FROM invites WHERE phone = (SELECT phone FROM couriers WHERE id = $1 AND phone_verified)
                AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
            ORDER BY id DESC LIMIT $3)) i JOIN stores s ON s.id = i.store_id
        ORDER BY i.id DESC LIMIT $3
        """
    static let isReadOnly = true
    private let courier: ID
    private let after: ID?
    private let limit: Int32

    init(courier: ID, page: Page) throws {
        self.courier = courier
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> ListedInvite {
        try ListedInvite(&row) { .store(id: try $0.read(), name: try $0.read()) }
    }
}
