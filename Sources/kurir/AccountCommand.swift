import API
import Domain
import Postgres

/// `kurir account`: what those who run Kurir do with people's accounts.
enum AccountCommand {
    /// An account, with what it signs in with.
    struct Account {
        let id: String
        let login: String?
        let isVerified: Bool
        /// Whether it is erased, or about to be.
        let isErased: Bool

        /// Nothing is done with what has nothing any more.
        func refuseErased() throws {
            if isErased { throw Unable("\(id) is erased, or is just being erased: it has nothing any more") }
        }
    }

    /// Takes what an account signs in with as proven, by the same rule as its code.
    static func verify(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let wanted = try meant(settings)
        let connection = try database.connect()
        let account = try find(wanted, connection)
        try account.refuseErased()
        guard let login = account.login else {
            throw Unable(
                "\(account.id) has nothing to sign in with: somebody else has proven what it said was its own. "
                    + "Its owner names another one in the profile")
        }
        do {
            _ = try connection.query(
                CommandSQL.proveLogin, [account.id, login, event(.accountVerified, of: account.id, settings)])
        } catch PostgresError.refused(let error) where error.state == .uniqueViolation {
            throw Unable("\(login) has been proven by another account")
        }
        print("\(login) is taken as proven, and belongs to \(account.id).")
    }

    /// Lets a store invite and create that had to wait for it.
    static func approve(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let wanted = try meant(settings)
        let connection = try database.connect()
        let account = try find(wanted, connection)
        try account.refuseErased()
        let approved = try connection.query(
            CommandSQL.approveStore, [account.id, event(.accountApproved, of: account.id, settings)])
        guard !approved.isEmpty else { throw UsageError("\(wanted) is no store") }
        print("\(account.id) is approved.")
    }

    /// The account that is named on the command line.
    static func meant(_ settings: GivenSettings) throws -> String {
        guard let wanted = settings.text(.account) else {
            throw UsageError("which account? An id, or what it signs in with, as in +385912345678 or shop@example.com")
        }
        return (try? PhoneNumber(wanted))?.e164 ?? wanted
    }

    /// The one account of that id, number or e-mail address.
    static func find(_ wanted: String, _ connection: BlockingConnection) throws -> Account {
        let rows = try connection.query(CommandSQL.findAccounts, [wanted])
        let all = rows.map { Account(id: $0[0] ?? "", login: $0[1], isVerified: $0[2] == "t", isErased: $0[3] == "t") }
        guard let first = all.first else { throw UsageError("there is no account \(wanted)") }
        guard all.count == 1 || first.isVerified else {
            let ids = all.map(\.id).joined(separator: " or ")
            throw UsageError("\(all.count) accounts say that \(wanted) is theirs: say which, \(ids)")
        }
        return first
    }
}

extension CommandSQL {
    static let proveLogin = """
        WITH proven AS MATERIALIZED (SELECT prove_place($1::uuid, $2)),
        noted AS (\(Audit.sql("SELECT $3::jsonb AS event FROM proven")))
        SELECT FROM proven
        """

    static let approveStore = """
        WITH approved AS (UPDATE accounts SET approved = true WHERE id = $1::uuid AND kind = 'store' RETURNING id),
        noted AS (\(Audit.sql("SELECT $2::jsonb AS event FROM approved")))
        SELECT FROM approved
        """

    static let findAccounts = """
        SELECT a.id, coalesce(c.phone, s.email), coalesce(c.phone_verified, s.email_verified),
            a.erased_at IS NOT NULL OR e.stage IS NOT NULL
        FROM accounts a LEFT JOIN couriers c USING (id) LEFT JOIN stores s USING (id)
            LEFT JOIN erasures e ON e.account_id = a.id
        WHERE a.id::text = lower($1) OR c.phone = $1 OR lower(s.email) = lower($1) ORDER BY 3 DESC, 1
        """
}
