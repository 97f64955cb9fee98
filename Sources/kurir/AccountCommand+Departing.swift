import API
import Deliveries
import Domain
import EventLoop
import Glibc
import HTTP
import Postgres

/// What operators do with accounts that is noted: looking, blocking, exporting, erasing.
extension AccountCommand {
    /// Prints a line for each account, the newest last.
    static func list(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let kind = try settings.value(.accountKind, expected: "store or courier") { AccountKind(rawValue: $0) }
        let connection = try database.connect()
        let rows = try connection.query(CommandSQL.listAccounts, [kind?.rawValue, settings.text(.accountText)])
        try note(.accountListed, of: nil, settings, connection)
        for row in rows {
            let parts = row.compactMap { $0?.trimmingPrefix(" ") }.filter { !$0.isEmpty }
            print(parts.joined(separator: "  "))
        }
        if rows.isEmpty { print("There is no such account.") }
    }

    /// Prints what is known of one account.
    static func show(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let wanted = try meant(settings)
        let connection = try database.connect()
        let account = try find(wanted, connection)
        let rows = try connection.query(CommandSQL.showAccount, [account.id])
        try note(.accountShown, of: account.id, settings, connection)
        for row in rows { print("\(row[0] ?? "")  \(row[1] ?? "")") }
    }

    /// Ends all that an account has at once, and lets nobody sign in to it.
    static func block(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard settings.text(.reason) != nil else { throw UsageError("why? Say --reason TEXT: the audit keeps it") }
        try act(.accountBlocked, settings, in: database) { account, kind, event, database in
            try await Departure.block(account, kind, noting: event, database)
            return "is blocked"
        } isSo: {
            "is blocked already, or erased"
        }
    }

    /// Takes a block back.
    static func unblock(_ settings: GivenSettings, in database: RunningDatabase) throws {
        try act(.accountUnblocked, settings, in: database) { account, _, event, database in
            try await Departure.unblock(account, noting: event, database)
            return "may sign in again"
        } isSo: {
            "is not blocked"
        }
    }

    /// Erases an account for good, at once.
    static func erase(_ settings: GivenSettings, in database: RunningDatabase) throws {
        try act(.accountErased, settings, in: database) { account, kind, event, database in
            _ = try await Departure.leave(account, kind, in: 0, noting: event, database)
            while try await Departure.erase(account, in: database) {}
            return "is erased"
        } isSo: {
            "is erased already, or is just being erased"
        }
    }

    /// Prints all that is kept about an account.
    static func export(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let wanted = try meant(settings)
        let connection = try database.connect()
        let (account, kind) = try identified(wanted, connection)
        try note(.accountExported, of: account.description, settings, connection)
        try working(on: database) { database in
            try await Export(of: account, kind, in: ReplicaReads(database)).write { piece in
                var rest = piece[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                    guard count > 0 else { throw SystemError("writing the export") }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }

    /// How an account stands, in a word or two.
    fileprivate static let state = """
        CASE WHEN a.erased_at IS NOT NULL OR e.stage IS NOT NULL THEN 'erased' WHEN a.blocked_at IS NOT NULL THEN 'blocked'
            WHEN e.due_at IS NOT NULL THEN 'leaves' WHEN NOT a.approved THEN 'waits for approval' END
        """

    private static func act(
        _ kind: SecurityEvent.Kind, _ settings: GivenSettings, in database: RunningDatabase,
        _ action: @escaping @Sendable (ID, AccountKind, JSONB, Database) async throws -> String, isSo: () -> String
    ) throws {
        let (account, accountKind) = try identified(meant(settings), database.connect())
        let event = JSONB(utf8: Array(event(kind, of: account.description, settings).utf8))
        do {
            let done = try working(on: database) { try await action(account, accountKind, event, $0) }
            print("\(account) \(done).")
        } catch Departure.Refusal.isSo {
            throw Unable("\(account) \(isSo())")
        } catch Departure.Refusal.inProgress(let deliveries) {
            let named = deliveries.map { "\n  \($0)" }.joined()
            throw Unable(
                "\(account) has deliveries under way. Have these delivered, given back or cancelled first:\(named)")
        }
    }

    private static func identified(_ wanted: String, _ connection: BlockingConnection) throws -> (ID, AccountKind) {
        let account = try find(wanted, connection)
        let kind = try connection.query(CommandSQL.findKind, [account.id])
        guard let id = ID(account.id), let kind = AccountKind(rawValue: kind.first?[0] ?? "") else {
            throw UsageError("there is no account \(wanted)")
        }
        return (id, kind)
    }

    // MARK: The audit

    private static func note(
        _ kind: SecurityEvent.Kind, of account: String?, _ settings: GivenSettings, _ connection: BlockingConnection
    ) throws {
        _ = try connection.query(NoteEvent.sql, [event(kind, of: account, settings)])
    }

    /// What is noted of a command, as JSON: who does it by what name, and why.
    static func event(_ kind: SecurityEvent.Kind, of account: String?, _ settings: GivenSettings) -> String {
        var detail: [String: JSON] = ["as": .string(settings.text(.actingName) ?? systemUser)]
        detail["reason"] = settings.text(.reason).map(JSON.string)
        var event: [String: JSON] = ["kind": .string(kind.rawValue), "detail": .object(detail)]
        event["account"] = account.map(JSON.string)
        return String(decoding: JSON.object(event).bytes, as: UTF8.self)
    }

    private static var systemUser: String {
        getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "user \(getuid())"
    }

    // MARK: The database

    /// Does something on a loop of its own.
    private static func working<Answer: Sendable>(
        on running: RunningDatabase, _ body: @escaping @Sendable (Database) async throws -> Answer
    ) throws -> Answer {
        let url = try running.url()
        let group = try EventLoopGroup(count: 1)
        let answer = Locked<Result<Answer, any Error>?>(nil)
        Task.detached {
            let result: Result<Answer, any Error>
            do {
                let database = try await Database(url: url, group: group, poolSize: 1)
                do {
                    let value = try await group.loops[0].run { try await body(database) }
                    result = .success(value)
                } catch {
                    result = .failure(error)
                }
                await database.stop()
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
            answer.wake()
        }
        let result = answer.wait { $0 }
        group.stop()
        return try result.get()
    }
}

/// What was asked for cannot be done, and why.
struct Unable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension CommandSQL {
    static let listAccounts = """
        SELECT a.id, a.kind, coalesce(s.name, c.first_name || ' ' || c.last_name), coalesce(s.email, c.phone),
            \(AccountCommand.state)
        FROM accounts a LEFT JOIN stores s USING (id) LEFT JOIN couriers c USING (id) LEFT JOIN erasures e ON e.account_id = a.id
        WHERE ($1::text IS NULL OR a.kind = $1) AND ($2::text IS NULL OR strpos(
            folded(concat_ws(' ', s.name, c.first_name, c.last_name, s.email, c.phone, s.phone)), folded($2)) > 0)
        ORDER BY a.created_at, a.id
        """

    static let showAccount = """
        SELECT known.name, known.value FROM accounts a LEFT JOIN stores s USING (id) LEFT JOIN couriers c USING (id)
            LEFT JOIN erasures e ON e.account_id = a.id,
            LATERAL (VALUES ('id', a.id::text), ('kind', a.kind), ('state', \(AccountCommand.state)), ('name', s.name),
                ('first name', c.first_name), ('last name', c.last_name), ('e-mail', s.email),
                ('phone', coalesce(c.phone, s.phone)), ('address', s.address), ('tax id', s.tax_id),
                ('language', a.language), ('since', a.created_at::text), ('erased at', e.due_at::text),
                ('sessions', (SELECT count(*)::text FROM sessions WHERE account_id = a.id AND expires_at > now())),
                ('partners', (SELECT count(*)::text FROM partners WHERE store_id = a.id OR courier_id = a.id)),
                ('accepted', c.accepted::text), ('delivered', c.delivered::text), ('cancelled', c.cancelled::text)
            ) AS known(name, value)
        WHERE a.id = $1::uuid AND known.value <> ''
        """

    static let findKind = "SELECT kind FROM accounts WHERE id = $1::uuid"
}
