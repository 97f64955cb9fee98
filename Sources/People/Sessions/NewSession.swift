import API
import Crypto
import Domain
import HTTP
import Outbox
import Postgres

/// A session about to begin. Its token is shown once, and only the token's hash is kept.
struct NewSession: Sendable {
    let id: ID
    let token: String
    let account: ID
    private let userAgent: String?
    private let address: IPAddress
    /// What is noted of it.
    let event: SecurityEvent

    /// A session for the account, with the address and the user agent of the request.
    init(for account: ID, _ request: Request) {
        id = .new()
        token = Base64URL.encode(SecureRandom.bytes(32))
        self.account = account
        userAgent = request.header("user-agent").map(Self.shortened)
        address = request.client
        event = SecurityEvent(.sessionCreated, of: account, request)
    }

    /// One line, bounded in scalars, which are at most four bytes each. Characters would be no bound, since each can be
    /// made of any number of marks.
    private static func shortened(_ userAgent: String) -> String {
        let line = userAgent.filter { !$0.isNewline }
        return String(String.UnicodeScalarView(line.unicodeScalars.prefix(Bounds.userAgent)))
    }

    /// Writes the session, and says when it ends; nil when the account's password has changed, or it is blocked. `notice` tells the account, if
    /// nobody has signed in there before from this network by this browser or app.
    func begin(_ runner: Runner, passwordHash: String, notice: Message? = nil) async throws -> Session? {
        let insert = InsertSession(session: self, passwordHash: passwordHash, notice: notice)
        let end = try await runner.run(insert).first
        return end.map { Session(token: token, expiresAt: $0) }
    }

    /// Locks the account's row, so that a change of the password, or a block, ends the new session or prevents it.
    struct InsertSession: Statement {
        static let sql = """
            WITH account AS (
                SELECT id FROM accounts WHERE id = $2 AND password_hash = $6 AND blocked_at IS NULL FOR SHARE),
            -- Whoever wanted to leave stays.
            stays AS (
                DELETE FROM erasures WHERE account_id = (SELECT id FROM account) AND stage IS NULL RETURNING account_id),
            forward AS MATERIALIZED (SELECT step_forward(account_id)::text FROM stays),
            returned AS (\(Audit.sql("""
                SELECT jsonb_build_object('kind', '\(SecurityEvent.Kind.accountReturned.rawValue)', 'account', account_id,
                    'address', $5::text) AS event FROM stays
                """))),
            used AS (SELECT hashtextextended(coalesce($4, ''), 0) AS agent),
            told AS (
                \(Tell.sql("""
                    SELECT jsonb_build_array($7::jsonb || jsonb_build_object('accounts', ARRAY[id])) AS notices
                    FROM account, used WHERE $7::jsonb IS NOT NULL AND NOT EXISTS (
                        SELECT FROM used_addresses u WHERE u.account_id = id AND u.address = $9 AND u.agent = used.agent)
                    """))),
            remembered AS (
                INSERT INTO used_addresses (account_id, address, agent) SELECT id, $9, agent FROM account, used
                ON CONFLICT (account_id, address, agent) DO UPDATE SET used_at = now()),
            begun AS (
                INSERT INTO sessions (id, account_id, token_hash, expires_at, user_agent, address)
                SELECT $1, id, $3, now() + interval '30 days', $4, $5 FROM account RETURNING id, expires_at),
            noted AS (\(Audit.sql(
                "SELECT $8::jsonb || jsonb_build_object('detail', jsonb_build_object('session', id)) AS event FROM begun")))
            SELECT expires_at FROM begun WHERE (SELECT count(*) FROM forward) >= 0
            """
        let session: NewSession
        let passwordHash: String
        let notice: Message?

        func bind(into parameters: inout Parameters) {
            parameters.add(session.id)
            parameters.add(session.account)
            parameters.add(Bytes(TokenHash(session.token).bytes))
            parameters.add(session.userAgent)
            parameters.add(session.address.description)
            parameters.add(passwordHash)
            parameters.add(notice?.parameter)
            parameters.add(session.event.parameter)
            // One subscriber's addresses of version 6 change all day.
            parameters.add(session.address.network.description)
        }

        static func decode(_ row: inout RowReader) throws -> Timestamp { try row.read() }
    }
}

/// The proof of an account's session.
struct Session: Sendable {
    let token: String
    let expiresAt: Timestamp

    /// The token is left out if a cookie holds it.
    static let members: [Shape.Member] = [
        .init("token", .string(), optional: true), .init("expires_at", .time),
    ]
    static let shape = Shape.object("Session", members)

    func write(_ json: inout JSONWriter, asCookie: Bool) {
        if !asCookie { json.field("token", token) }
        json.field("expires_at", expiresAt)
    }
}
