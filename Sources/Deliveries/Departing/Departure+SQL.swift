import API
import Domain
import Outbox
import People
import Postgres

/// Blocks an account. There is no row if there is no such account, or it is blocked or erased already.
struct BlockAccount: Statement {
    static let sql = """
        UPDATE accounts SET blocked_at = now() WHERE id = $1 AND blocked_at IS NULL AND erased_at IS NULL RETURNING true
        """
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Takes a block back. There is no row if the account is not blocked.
struct UnblockAccount: Statement {
    static let sql = """
        UPDATE accounts SET blocked_at = NULL WHERE id = $1 AND blocked_at IS NOT NULL AND erased_at IS NULL RETURNING true
        """
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Has an account be erased in so many days, tells it so if there is a `notice`, and says when. If it is to be erased sooner, that
/// stays. There is no row if it is erased already, or somebody is at it, or its password is another one than the one that is named.
struct SetErasure: Statement {
    static let sql = """
        WITH account AS (
            SELECT id FROM accounts
            WHERE id = $1 AND erased_at IS NULL AND password_hash = coalesce($3, password_hash) FOR UPDATE),
        erasure AS (
            INSERT INTO erasures AS e (account_id, due_at) SELECT id, now() + make_interval(days => $2) FROM account
            ON CONFLICT (account_id) DO UPDATE SET due_at = least(e.due_at, EXCLUDED.due_at) WHERE e.stage IS NULL
            RETURNING account_id, due_at),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($4::jsonb || jsonb_build_object('accounts', ARRAY[account_id])) AS notices
                FROM erasure WHERE $4::jsonb IS NOT NULL
                """)))
        SELECT due_at FROM erasure
        """
    let account: ID
    let days: Int32
    let passwordHash: String?
    let notice: Message?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(days)
        parameters.add(passwordHash)
        parameters.add(notice?.parameter)
    }

    static func decode(_ row: inout RowReader) throws -> Timestamp { try row.read() }
}

/// The account whose erasing has been due for longest, of all or of one. Whoever signs in locks the two rows in the same order.
struct TakeErasure<Locks: WhenLocked>: Statement {
    static var sql: String {
        """
        SELECT e.account_id, a.kind, e.stage IS NOT NULL FROM erasures e JOIN accounts a ON a.id = e.account_id
        WHERE e.due_at <= now() AND e.account_id = coalesce($1, e.account_id)
        ORDER BY e.due_at LIMIT 1 FOR UPDATE OF a, e \(Locks.clause)
        """
    }
    let wanted: ID?

    func bind(into parameters: inout Parameters) { parameters.add(wanted) }

    static func decode(_ row: inout RowReader) throws -> (account: ID, kind: AccountKind, hasBegun: Bool) {
        let (account, kind): (ID, String) = (try row.read(), try row.read())
        return (account, AccountKind(rawValue: kind) ?? .courier, try row.read())
    }
}

struct BeginErasing: Statement {
    static let sql = "SELECT begin_erasing($1)"
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

struct ErasePiece: Statement {
    static let sql = "SELECT erase_piece($1)::text"
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }
}

/// Ends an account's sessions and invites, and hides what it offers.
struct StepBack: Statement {
    static let sql = "SELECT step_back($1)::text"
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }
}

/// Takes that back, unless something else keeps the account away.
struct StepForward: Statement {
    static let sql = "SELECT step_forward($1)::text"
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }
}

/// The deliveries of an account that are on their way, up to fifty.
struct FindCarried: Statement {
    static let sql = """
        (SELECT id FROM deliveries WHERE store_id = $1 AND status IN \(DeliveryStatus.sql(\.isCarried)) LIMIT 50)
        UNION ALL
        (SELECT delivery_id FROM jobs WHERE courier_id = $1 AND status IN \(DeliveryStatus.sql(\.isCarried)) LIMIT 50)
        """
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Some of the deliveries that stand open for an account: what a courier is offered or carries, what a store offers. Each
/// status is looked for by itself, lest all of a courier's jobs are gone through.
struct FindOpen: Statement {
    static let sql = """
        (SELECT j.delivery_id, j.store_id FROM unnest(enum_range(NULL::delivery_status)) AS s(status), LATERAL (
                SELECT delivery_id, store_id FROM jobs
                WHERE courier_id = $1 AND status = s.status AND until IS NULL LIMIT 100 OFFSET 0) j
            WHERE s.status IN \(DeliveryStatus.sql(\.isOpen)) LIMIT 100)
        UNION ALL
        (SELECT id, store_id FROM deliveries WHERE store_id = $1 AND status = 'pending' LIMIT 100)
        """
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> (delivery: ID, store: ID) { (try row.read(), try row.read()) }
}

/// Erases some of the recipients whose deliveries ended long ago, and says how many.
package struct ForgetRecipients: Statement {
    package init() {}

    package static let sql = "SELECT forget_recipients()"

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
