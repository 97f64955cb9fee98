import API
import Domain
import HTTP
import Outbox
import Postgres

/// Finds the hash of an account's password.
struct FindPassword: Statement {
    static let sql = "SELECT password_hash FROM accounts WHERE id = $1"
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// Replaces the hash of a password, of one only if it is named, ends all codes for a new one, and tells the account. There is
/// no row if the account had another password.
struct SetPassword: Statement {
    static let sql = """
        WITH changed AS (
            UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = coalesce($2, password_hash) RETURNING id),
        untrue AS MATERIALIZED (SELECT void_resets(id)::text AS void FROM changed),
        guesses AS (DELETE FROM reset_guesses WHERE account_id = $1),
        told AS (\(Tell.sql("SELECT jsonb_build_array($4 || jsonb_build_object('accounts', ARRAY[id])) AS notices FROM changed"))),
        noted AS (\(Audit.sql("SELECT $5::jsonb AS event FROM changed")))
        SELECT id FROM changed, untrue
        """
    let account: ID
    let old: String?
    let new: String
    let message: Message
    let event: SecurityEvent

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(old)
        parameters.add(new)
        parameters.add(message.parameter)
        parameters.add(event.parameter)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Ends an account's sessions. It runs as a statement of its own after the password has changed, so that it also sees a
/// session that began with the old password at the last moment.
struct EndSessions: Statement {
    static let sql = "DELETE FROM sessions WHERE account_id = $1 AND id IS DISTINCT FROM $2"
    let account: ID
    let kept: ID?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(kept)
    }
}

/// Finds the account that signs in that way, whether it has signed in from that network, and whether it has proven the name.
struct FindHolder: Statement {
    static let sql = Login.holderSQL
    static let isReadOnly = true
    let login: Login
    let network: IPAddress

    func bind(into parameters: inout Parameters) {
        parameters.add(login.key)
        parameters.add(network.description)
    }

    static func decode(_ row: inout RowReader) throws -> (id: ID, isFamiliar: Bool, isVerified: Bool) {
        (try row.read(), try row.read(), try row.read())
    }
}

/// Writes a code, whether or not there is an account for it, and the message that carries it to the account.
struct InsertReset: Statement {
    static let minutes = 15
    static let tries = 5
    static let sql = """
        WITH reset AS (
            INSERT INTO reset_codes (id, account_id, code_hash, tries_left, expires_at)
            VALUES ($1, $2, $3, \(tries), now() + make_interval(mins => $4)) RETURNING account_id, expires_at)
        \(Tell.sql("""
            SELECT jsonb_build_array($5 || jsonb_build_object(
                'accounts', ARRAY[account_id], 'subject', account_id, 'expires_at', expires_at,
                'cause', CASE WHEN $6 THEN 'stranger' END)) AS notices
            FROM reset WHERE account_id IS NOT NULL
            """))
        """
    let id: ID
    let account: ID?
    let codeHash: [UInt8]
    let message: Message
    /// Whether the account has never been used from where it is asked for, or has only said that the name is its own.
    let isStranger: Bool

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(account)
        parameters.add(Bytes(codeHash))
        parameters.add(Int32(Self.minutes))
        parameters.add(message.parameter)
        parameters.add(isStranger)
    }
}

/// A code for a new password that is live.
struct LiveReset: Sendable {
    let id: ID
    let account: ID?
    let codeHash: [UInt8]

    fileprivate init(_ row: inout RowReader) throws {
        (id, account) = (try row.read(), try row.read())
        codeHash = (try row.read() as Bytes).bytes
    }
}

/// Uses one of a code's remaining tries, and gives the hash that the code is compared with.
struct TryReset: Statement {
    static let sql = """
        UPDATE reset_codes SET tries_left = tries_left - 1
        WHERE id = $1 AND tries_left > 0 AND expires_at > now() RETURNING id, account_id, code_hash
        """
    let id: ID

    func bind(into parameters: inout Parameters) { parameters.add(id) }

    static func decode(_ row: inout RowReader) throws -> LiveReset { try LiveReset(&row) }
}

/// Gives a try back to a code that was right.
struct GiveTryBack: Statement {
    static let sql =
        "UPDATE reset_codes SET tries_left = tries_left + 1 WHERE id = $1 AND tries_left < \(InsertReset.tries)"
    let id: ID

    func bind(into parameters: inout Parameters) { parameters.add(id) }
}

/// Gives all live codes of an account to somebody who does not say which is meant. That uses no tries of theirs; from networks
/// that the account has not used it may be done twenty times a day.
struct TryResets: Statement {
    static let sql = """
        WITH account AS (\(Login.holderSQL)),
        guess AS (
            INSERT INTO reset_guesses AS g (account_id, count, since) SELECT id, 1, now() FROM account WHERE NOT is_familiar
            ON CONFLICT (account_id) DO UPDATE SET
                count = CASE WHEN g.since > now() - interval '1 day' THEN g.count + 1 ELSE 1 END,
                since = CASE WHEN g.since > now() - interval '1 day' THEN g.since ELSE now() END
            WHERE g.count < 20 OR g.since <= now() - interval '1 day'
            RETURNING account_id)
        SELECT r.id, r.account_id, r.code_hash FROM account a, LATERAL (
            SELECT id, account_id, code_hash FROM reset_codes
            WHERE account_id = a.id AND tries_left > 0 AND expires_at > now() ORDER BY id DESC LIMIT 200) r
        WHERE a.is_familiar OR EXISTS (SELECT FROM guess)
        """
    let login: Login
    let network: IPAddress

    func bind(into parameters: inout Parameters) {
        parameters.add(login.key)
        parameters.add(network.description)
    }

    static func decode(_ row: inout RowReader) throws -> LiveReset { try LiveReset(&row) }
}

/// Uses a code up. There is no row if it is gone.
struct UseReset: Statement {
    static let sql = "DELETE FROM reset_codes WHERE id = $1 AND expires_at > now() RETURNING id"
    let id: ID

    func bind(into parameters: inout Parameters) { parameters.add(id) }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
