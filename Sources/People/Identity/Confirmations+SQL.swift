import Domain
import Outbox
import Postgres

/// Writes the code that is to prove a place, and the message that carries it there. Whoever asked for it waits for the answer,
/// and is refused where no SMS can be sent; who only registers is not.
struct InsertConfirmation: Statement {
    static let sql = """
        WITH code AS (
            INSERT INTO confirmations (account_id, place, code_hash, tries_left, expires_at)
            VALUES ($1, $2, $3, 5, now() + make_interval(mins => $4))
            ON CONFLICT (account_id) DO UPDATE SET (place, code_hash, tries_left, expires_at)
                = (EXCLUDED.place, EXCLUDED.code_hash, EXCLUDED.tries_left, EXCLUDED.expires_at)
            RETURNING account_id, place, expires_at),
        untrue AS MATERIALIZED (SELECT withdraw('confirmation_code', ARRAY[account_id]) FROM code)
        \(Tell.sql("""
            SELECT jsonb_build_array($5 || jsonb_build_object(
                CASE WHEN $6 THEN 'phone' ELSE 'email' END, place, 'language', $7::text, 'subject', account_id,
                'expires_at', expires_at, 'cause', CASE WHEN $8 THEN 'asked' ELSE 'stranger' END)) AS notices
            FROM code, untrue
            """))
        """
    let account: ID
    let place: Login
    let codeHash: [UInt8]
    let language: Language
    let message: Message
    let isAsked: Bool

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(place.text)
        parameters.add(Bytes(codeHash))
        parameters.add(Int32(Confirmations.minutes))
        parameters.add(message.parameter)
        parameters.add(place.channel == "sms")
        parameters.add(language.rawValue)
        parameters.add(isAsked)
    }
}

/// The place that an account has still to prove: the one that it wants to change to, else its own.
struct FindUnproven: Statement {
    static let sql = """
        SELECT coalesce(p.place, CASE WHEN NOT c.phone_verified THEN c.phone END, CASE WHEN NOT s.email_verified THEN s.email END)
        FROM accounts a LEFT JOIN couriers c USING (id) LEFT JOIN stores s USING (id)
            LEFT JOIN confirmations p ON p.account_id = a.id
        WHERE a.id = $1
        """
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> String? { try row.read() }
}

/// Uses one of the remaining tries, and gives the hash that the code is compared with. A code without another try need not arrive.
struct TryConfirmation: Statement {
    static let sql = """
        WITH tried AS (
            UPDATE confirmations SET tries_left = tries_left - 1
            WHERE account_id = $1 AND tries_left > 0 AND expires_at > now() RETURNING account_id, place, code_hash, tries_left),
        untrue AS MATERIALIZED (SELECT withdraw('confirmation_code', ARRAY[account_id]) FROM tried WHERE tries_left = 0)
        SELECT place, code_hash FROM tried WHERE (SELECT count(*) FROM untrue) >= 0
        """
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> (place: String, codeHash: [UInt8]) {
        let (place, hash): (String, Bytes) = (try row.read(), try row.read())
        return (place, hash.bytes)
    }
}

/// Uses a code up whose try was right. There is no row if it is gone meanwhile: another was asked for, or a change was undone.
struct UseConfirmation: Statement {
    static let sql = "DELETE FROM confirmations WHERE account_id = $1 AND place = $2 AND code_hash = $3 RETURNING true"
    let account: ID
    let tried: TryConfirmation.Row

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(tried.place)
        parameters.add(Bytes(tried.codeHash))
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Gives the account a place that is proven, and says which proven one it had before, if that was another.
struct ProvePlace: Statement {
    static let sql = "SELECT prove_place($1, $2)"
    let account: ID
    let place: Login

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(place.text)
    }

    static func decode(_ row: inout RowReader) throws -> String? { try row.read() }
}

/// Forgets the place that an account was about to prove.
struct DropConfirmation: Statement {
    static let sql = """
        WITH dropped AS (DELETE FROM confirmations WHERE account_id = $1 RETURNING account_id)
        SELECT withdraw('confirmation_code', ARRAY[account_id])::text FROM dropped
        """
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// Whether somebody has proven what `$1` names.
struct IsProven: Statement {
    static let sql = """
        SELECT EXISTS (SELECT FROM stores WHERE lower(email) = $1 AND email_verified AND id <> $2)
            OR EXISTS (SELECT FROM couriers WHERE phone = $1 AND phone_verified AND id <> $2)
        """
    static let isReadOnly = true
    let place: Login
    let account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(place.key)
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Keeps what an account signed in with before, and tells it of the change there, with the link, and where it signs in with
/// now. Where nobody has to prove a number, whoever has an account could have SMS sent to any: those are counted as a stranger's.
struct KeepFormerPlace: Statement {
    static let hours = 72
    static let sql = """
        WITH kept AS (
            INSERT INTO former_places (token_hash, account_id, place, expires_at)
            VALUES ($1, $2, $3, now() + make_interval(hours => $4)) RETURNING account_id, place, expires_at)
        \(Tell.sql("""
            SELECT jsonb_build_array(
                $5 || cause || jsonb_build_object(
                    CASE WHEN $6 THEN 'phone' ELSE 'email' END, place, 'language', $7::text, 'subject', account_id,
                    'expires_at', expires_at),
                $8 || cause || jsonb_build_object('accounts', ARRAY[account_id])) AS notices
            FROM kept, (SELECT jsonb_build_object('cause', CASE WHEN NOT $9 THEN 'stranger' END) AS cause) unproven
            """))
        """
    let tokenHash: [UInt8]
    let account: ID
    let place: String
    let isPhone: Bool
    let language: Language
    let undo: Message
    let message: Message
    let isProven: Bool

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(tokenHash))
        parameters.add(account)
        parameters.add(place)
        parameters.add(Int32(Self.hours))
        parameters.add(undo.parameter)
        parameters.add(isPhone)
        parameters.add(language.rawValue)
        parameters.add(message.parameter)
        parameters.add(isProven)
    }
}
