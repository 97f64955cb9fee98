import Domain
import Postgres

/// Finds the session that has this token, and its account.
struct FindSession: Statement {
    static let sql = """
        SELECT s.id, s.account_id, a.kind, a.language, s.used_at < now() - interval '1 hour', a.approved
        FROM sessions s JOIN accounts a ON a.id = s.account_id
        WHERE s.token_hash = $1 AND s.expires_at > now()
        """
    static let isReadOnly = true
    let tokenHash: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(tokenHash))
    }

    static func decode(_ row: inout RowReader) throws -> (caller: Caller, isStale: Bool) {
        let (session, account): (ID, ID) = (try row.read(), try row.read())
        let (kind, language): (String, String) = (try row.read(), try row.read())
        guard let kind = AccountKind(rawValue: kind) else {
            throw PostgresError.unexpected("a kind of account: \(kind)")
        }
        let isStale: Bool = try row.read()
        let caller = Caller(
            account: account, kind: kind, session: session, language: Language(known: language),
            isApproved: try row.read())
        return (caller, isStale)
    }
}

/// Moves the end of a session in use to thirty days from now, but not beyond half a year after the sign-in.
struct TouchSession: Statement {
    static let sql = """
        UPDATE sessions SET used_at = now(), expires_at = least(now() + interval '30 days', created_at + interval '180 days')
        WHERE id = $1
        """
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }
}
