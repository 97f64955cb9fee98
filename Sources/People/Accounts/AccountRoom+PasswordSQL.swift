import Outbox
import Domain
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

/// Replaces one password hash by another. There is no row if the account had another one.
struct ChangePassword: Statement {
    static let sql = """
        WITH forgotten AS (DELETE FROM password_resets WHERE account_id = $1 RETURNING account_id),
        untrue AS MATERIALIZED (SELECT withdraw('password_reset', ARRAY[account_id]) AS withdrawn FROM forgotten)
        UPDATE accounts SET password_hash = $3
        WHERE id = $1 AND password_hash = $2 AND (SELECT count(withdrawn) FROM untrue) >= 0 RETURNING id
        """
    let account: ID
    let old: String
    let new: String

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(old)
        parameters.add(new)
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

/// Writes a code for the account that signs in that way, if there is one, and the message that carries the code. Whoever asks
/// from an address that the account has not used may be a stranger.
struct InsertReset: Statement {
    static let sql = """
        WITH reset AS (
            INSERT INTO password_resets (account_id, code_hash, tries_left, expires_at)
            SELECT id, $2, 5, now() + make_interval(mins => $3) FROM (\(Login.accountSQL)) account
            ON CONFLICT (account_id) DO UPDATE
            SET (code_hash, tries_left, expires_at) = (EXCLUDED.code_hash, EXCLUDED.tries_left, EXCLUDED.expires_at)
            RETURNING account_id, expires_at),
        untrue AS MATERIALIZED (SELECT withdraw('password_reset', ARRAY[account_id]) FROM reset)
        \(Tell.sql("""
            SELECT jsonb_build_array($4 || jsonb_build_object(
                'accounts', ARRAY[account_id], 'subject', account_id, 'expires_at', expires_at,
                'cause', CASE WHEN NOT EXISTS (
                    SELECT FROM sessions s WHERE s.account_id = reset.account_id AND s.address = $5) THEN 'stranger' END)) AS notices
            FROM reset, untrue
            """))
        """
    let login: Login
    let codeHash: [UInt8]
    let minutes: Int
    let message: Message
    let address: String

    func bind(into parameters: inout Parameters) {
        parameters.add(login.key)
        parameters.add(Bytes(codeHash))
        parameters.add(Int32(minutes))
        parameters.add(message.parameter)
        parameters.add(address)
    }
}

/// Uses one of the remaining tries, and gives the hash that the code is compared with.
struct TryReset: Statement {
    static let sql = """
        UPDATE password_resets SET tries_left = tries_left - 1
        WHERE account_id = (\(Login.accountSQL)) AND tries_left > 0 AND expires_at > now()
        RETURNING account_id, code_hash
        """
    let login: Login

    func bind(into parameters: inout Parameters) {
        parameters.add(login.key)
    }

    static func decode(_ row: inout RowReader) throws -> (account: ID, codeHash: [UInt8]) {
        let (account, hash): (ID, Bytes) = (try row.read(), try row.read())
        return (account, hash.bytes)
    }
}

/// Uses the code up and sets the password. There is no row if the code is gone.
struct FinishReset: Statement {
    static let sql = """
        WITH used AS (
            DELETE FROM password_resets WHERE account_id = $1 AND code_hash = $2 RETURNING account_id),
        untrue AS MATERIALIZED (SELECT withdraw('password_reset', ARRAY[account_id]) AS withdrawn FROM used)
        UPDATE accounts SET password_hash = $3 FROM used
        WHERE id = used.account_id AND (SELECT count(withdrawn) FROM untrue) >= 0 RETURNING id
        """
    let attempt: TryReset.Row
    let passwordHash: String

    func bind(into parameters: inout Parameters) {
        parameters.add(attempt.account)
        parameters.add(Bytes(attempt.codeHash))
        parameters.add(passwordHash)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
