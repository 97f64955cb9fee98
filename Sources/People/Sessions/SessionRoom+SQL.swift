import API
import Domain
import HTTP
import Outbox
import Postgres

/// Finds the accounts that sign in with that name, with their password hashes, and whether each has used that network before:
/// one if somebody has proven that it is theirs, else all who say so, of whom the password decides.
struct FindCredentials: Statement {
    static let sql = """
        WITH holders AS (\(Login.holdersSQL))
        SELECT a.id, a.password_hash, h.is_familiar
        FROM holders h, LATERAL (SELECT id, password_hash FROM accounts WHERE id = h.id OFFSET 0) a
        WHERE h.is_verified OR NOT EXISTS (SELECT FROM holders WHERE is_verified)
        ORDER BY h.is_familiar DESC, h.id DESC
        """
    static let isReadOnly = true
    let login: Login
    let network: IPAddress

    func bind(into parameters: inout Parameters) {
        parameters.add(login.key)
        parameters.add(network.description)
    }

    static func decode(_ row: inout RowReader) throws -> (account: ID, passwordHash: String, isFamiliar: Bool) {
        (try row.read(), try row.read(), try row.read())
    }
}

/// Whether an operator has blocked an account.
struct IsBlocked: Statement {
    static let sql = "SELECT blocked_at IS NOT NULL FROM accounts WHERE id = $1"
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// A session as its account sees it.
struct ListedSession: Sendable {
    let id: ID
    let createdAt: Timestamp
    let usedAt: Timestamp
    let expiresAt: Timestamp
    let userAgent: String?
    let address: String

    static let shape = Shape.object(
        "ListedSession",
        [
            .init("id", .id), .init("created_at", .time), .init("used_at", .time), .init("expires_at", .time),
            .init("user_agent", Shape.string().orNull), .init("address", .string()), .init("current", .boolean),
        ])

    func write(_ json: inout JSONWriter, current: ID) {
        json.field("id", id)
        json.field("created_at", createdAt)
        json.field("used_at", usedAt)
        json.field("expires_at", expiresAt)
        json.field("user_agent", userAgent)
        json.field("address", address)
        json.field("current", id == current)
    }
}

/// A page of the sessions that have not ended.
struct ListSessions: Statement {
    static let sql = """
        SELECT id, created_at, used_at, expires_at, user_agent, address FROM sessions
        WHERE account_id = $1 AND expires_at > now() AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        ORDER BY id DESC LIMIT $3
        """
    static let isReadOnly = true
    private let account: ID
    private let after: ID?
    private let limit: Int32

    init(caller: Caller, page: Page) throws {
        account = caller.account
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> ListedSession {
        ListedSession(
            id: try row.read(), createdAt: try row.read(), usedAt: try row.read(), expiresAt: try row.read(),
            userAgent: try row.read(), address: try row.read())
    }
}

/// Ends a session, and removes a device of the account on request. There is no row if there is no such session. `notice`
/// tells the account.
struct EndSession: Statement {
    static let sql = """
        WITH ended AS (DELETE FROM sessions WHERE id = $2 AND account_id = $1 RETURNING id, account_id),
        dropped AS (DELETE FROM devices USING ended WHERE coalesce(name, token) = $3 AND devices.account_id = $1),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($4::jsonb || jsonb_build_object('accounts', ARRAY[account_id])) AS notices
                FROM ended WHERE $4::jsonb IS NOT NULL
                """))),
        noted AS (\(Audit.sql(
            "SELECT $5::jsonb || jsonb_build_object('detail', jsonb_build_object('session', id)) AS event FROM ended")))
        SELECT id FROM ended
        """
    let account: ID
    let session: ID
    let device: String?
    let notice: Message?
    let event: SecurityEvent

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(session)
        parameters.add(device)
        parameters.add(notice?.parameter)
        parameters.add(event.parameter)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
