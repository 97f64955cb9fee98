import Glibc

/// Brings a database to the schema of this binary.
///
/// The table `schema_migrations` has what was applied. Its greatest number says how far a database is.
public struct Migrator: Sendable {
    private let migrations: [Migration]
    let functions: [FunctionFile]
    /// Counts the changes of functions. Functions of a later revision stay.
    let revision: Int

    /// A migrator for these migrations, which must be numbered 1, 2, 3…, and these functions.
    public init(
        _ migrations: [Migration], functions: [FunctionFile] = [], revision: Int = 0
    ) throws(MigrationError) {
        for (place, migration) in migrations.enumerated() where migration.number != place + 1 {
            throw .misnumbered(file: migration.file, expected: place + 1)
        }
        self.migrations = migrations
        self.functions = functions
        self.revision = revision
    }

    /// The number of the last migration of an up-to-date database.
    public var newest: Int { migrations.count }

    /// Applies missing migrations in order, and calls `applied` after each. Then it replaces the functions that have
    /// changed, and calls `replaced` with each. Last comes the work that migrations need done on existing rows. It is
    /// done in short commits, so that others can work with the database meanwhile; `filled` is told how far it is. So are
    /// indexes of large tables.
    ///
    /// Several nodes may call it at once: one works, the others call `waiting`, wait, and find nothing left to do.
    public func migrate(
        _ url: String, applied: (Migration) -> Void = { _ in }, replaced: (FunctionFile) -> Void = { _ in },
        filled: (Backfill) -> Void = { _ in }, waiting: () -> Void = {}
    ) throws {
        let connection = try BlockingConnection(url: url)
        try connection.execute(Self.patience)
        try lock(connection, waiting)
        // The lock is released at once, since the server notices the end of a connection a little late.
        defer { _ = try? connection.query("SELECT pg_advisory_unlock(\(Self.lockKey))") }
        if try !hasTable(connection) { try connection.execute(Self.table) }
        let history = try history(connection)
        try verify(history, connection)
        for migration in migrations.dropFirst(history.count) {
            try apply(migration, connection)
            applied(migration)
        }
        try replaceFunctions(connection, replaced: replaced)
        try fill(connection, filled)
        try index(connection)
    }

    /// Whoever waits asks again and again: a statement that waits would hold up those that make indexes.
    private func lock(_ connection: BlockingConnection, _ waiting: () -> Void) throws {
        var isFirst = true
        while try connection.query("SELECT pg_try_advisory_lock(\(Self.lockKey))") != [["t"]] {
            if isFirst { waiting() }
            isFirst = false
            usleep(100_000)
        }
    }

    /// The files of functions that would be replaced; writes nothing.
    public func outdatedFunctions(_ url: String) throws -> [FunctionFile] {
        let connection = try BlockingConnection(url: url)
        return try hasFunctions(connection) ? changedFunctions(connection) : functions
    }

    /// Every migration with the time of its application; writes nothing.
    public func status(_ url: String) throws -> [MigrationStatus] {
        let connection = try BlockingConnection(url: url)
        let history = try hasTable(connection) ? history(connection) : []
        try verify(history, connection)
        return migrations.enumerated().map { place, migration in
            MigrationStatus(file: migration.file, appliedAt: place < history.count ? history[place].appliedAt : nil)
        }
    }

    // MARK: History

    /// What the database knows of an applied migration.
    private struct Applied {
        let number: Int
        let file: String
        let checksum: String
        let appliedAt: String
    }

    private func hasTable(_ connection: BlockingConnection) throws -> Bool {
        try connection.query("SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL").count == 1
    }

    private func history(_ connection: BlockingConnection) throws -> [Applied] {
        try connection.query(Self.historyQuery).map { row in
            guard row.count == 4, let number = row[0].flatMap({ Int($0) }), let file = row[1], let checksum = row[2],
                let appliedAt = row[3]
            else { throw PostgresError.unexpected("a row of schema_migrations") }
            return Applied(number: number, file: file, checksum: checksum, appliedAt: appliedAt)
        }
    }

    private func verify(_ history: [Applied], _ connection: BlockingConnection) throws {
        for (place, applied) in history.enumerated() {
            guard place < migrations.count else {
                guard try isKnownEnough(connection) else { throw MigrationError.unknown(file: applied.file) }
                return
            }
            let migration = migrations[place]
            guard applied.number == place + 1 else { throw MigrationError.skipped(file: migration.file) }
            guard applied.file == migration.file else { throw MigrationError.unknown(file: applied.file) }
            let checksum = try connection.query("SELECT \(Self.checksum("$1"))", [migration.sql])
            guard checksum == [[applied.checksum]] else { throw MigrationError.edited(file: migration.file) }
        }
    }

    /// Whether this binary can work on a database that a later one has migrated: a migration that earlier binaries cannot
    /// work with raises `schema_least`. So a new version can be rolled back.
    private func isKnownEnough(_ connection: BlockingConnection) throws -> Bool {
        guard try connection.query("SELECT to_regclass('schema_least')") != [[nil]] else { return false }
        return try connection.query(
            "SELECT 1 FROM schema_least WHERE migration <= $1::text::integer", [String(newest)]
        ).count == 1
    }

    // MARK: Applying

    private func apply(_ migration: Migration, _ connection: BlockingConnection) throws {
        try connection.execute("BEGIN")
        do {
            try connection.execute(migration.sql)
            _ = try connection.query(Self.record, [String(migration.number ?? 0), migration.file, migration.sql])
            try connection.execute("COMMIT")
        } catch PostgresError.refused(let error) {
            let line = connection.faultPosition.map { Self.line(at: $0, in: migration.sql) }
            throw MigrationError.failed(file: migration.file, line: line, reason: error.description)
        }
    }

    /// Goes on where it was interrupted.
    private func fill(_ connection: BlockingConnection, _ filled: (Backfill) -> Void) throws {
        guard try connection.query("SELECT to_regclass('schema_backfills')") != [[nil]] else { return }
        while let name = try connection.query("SELECT name FROM schema_backfills ORDER BY name LIMIT 1").first?.first
            ?? nil
        {
            let rows = try connection.query("SELECT rows FROM continue_backfill($1)", [name])
            filled(Backfill(name: name, rows: rows.first?.first.flatMap { $0 }.flatMap { Int($0) }))
        }
    }

    /// Makes the indexes that migrations want, while others write. One that was interrupted is begun anew.
    private func index(_ connection: BlockingConnection) throws {
        guard try connection.query("SELECT to_regclass('schema_indexes')") != [[nil]] else { return }
        while let row = try connection.query("SELECT name, definition FROM schema_indexes ORDER BY name LIMIT 1").first,
            let name = row[0], let definition = row[1]
        {
            try connection.execute("DROP INDEX CONCURRENTLY IF EXISTS \(name)")
            try connection.execute("CREATE INDEX CONCURRENTLY \(name) ON \(definition)")
            _ = try connection.query("DELETE FROM schema_indexes WHERE name = $1", [name])
        }
    }

    static func line(at position: Int, in text: String) -> Int {
        text.unicodeScalars.prefix(position - 1).count { $0 == "\n" } + 1
    }

    // MARK: SQL

    /// "kurir" in ASCII. All nodes that migrate a database use this key.
    private static let lockKey = 0x6b_75_72_69_72

    /// A migration may take long, and so may waiting for another node's. No role's time-out may cut that short.
    private static let patience = """
        SET statement_timeout = 0;
        SET lock_timeout = 0;
        SET idle_in_transaction_session_timeout = 0
        """

    private static let table = """
        CREATE TABLE schema_migrations (
            number integer PRIMARY KEY,
            file text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    private static let historyQuery = """
        SELECT number, file, checksum, to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        FROM schema_migrations ORDER BY number
        """

    private static let record = """
        INSERT INTO schema_migrations (number, file, checksum) VALUES ($1::integer, $2, \(checksum("$3")))
        """

    /// SHA-256 in hexadecimal, by the server.
    static func checksum(_ text: String) -> String {
        "encode(sha256(convert_to(\(text)::text, 'UTF8')), 'hex')"
    }
}
