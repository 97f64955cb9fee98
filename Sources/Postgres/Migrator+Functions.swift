/// A file of functions. Whenever it changes, it replaces what it defined before.
public struct FunctionFile: Sendable, Equatable {
    /// The file's name: `functions/feed.sql`.
    public let file: String
    /// The file's text.
    public let sql: String

    /// Functions from their file.
    public init(file: String, sql: String) {
        self.file = file
        self.sql = sql
    }
}

extension Migrator {
    /// Replaces the functions whose files have changed, all in one transaction. Functions of a later revision stay:
    /// this node can work with them, since functions keep what they take and give.
    func replaceFunctions(_ connection: BlockingConnection, replaced: (FunctionFile) -> Void) throws {
        guard try hasFunctions(connection) else { return }
        let changed = try changedFunctions(connection)
        guard !changed.isEmpty else { return }
        try connection.execute("BEGIN")
        // They are defined twice, since one may call a later one: bodies are checked once all of them exist.
        try connection.execute("SET LOCAL check_function_bodies = off")
        try define(changed, connection)
        try connection.execute("SET LOCAL check_function_bodies = on")
        try define(changed, connection)
        for function in changed {
            _ = try connection.query(Self.recordFunctions, [function.file, function.sql, String(revision)])
        }
        try connection.execute("COMMIT")
        changed.forEach(replaced)
    }

    private func define(_ functions: [FunctionFile], _ connection: BlockingConnection) throws {
        for function in functions {
            do {
                try connection.execute(function.sql)
            } catch PostgresError.refused(let error) {
                let line = connection.faultPosition.map { Self.line(at: $0, in: function.sql) }
                throw MigrationError.failed(file: function.file, line: line, reason: error.description)
            }
        }
    }

    /// The files of functions that are to be replaced.
    func changedFunctions(_ connection: BlockingConnection) throws -> [FunctionFile] {
        let isOutdone = try connection.query(
            "SELECT 1 FROM schema_functions WHERE revision > $1::text::integer LIMIT 1", [String(revision)])
        guard isOutdone.isEmpty else { return [] }
        return try functions.filter { function in
            try connection.query(
                "SELECT 1 FROM schema_functions WHERE file = $1 AND checksum = \(Self.checksum("$2"))",
                [function.file, function.sql]
            ).isEmpty
        }
    }

    func hasFunctions(_ connection: BlockingConnection) throws -> Bool {
        try connection.query("SELECT 1 WHERE to_regclass('schema_functions') IS NOT NULL").count == 1
    }

    private static var recordFunctions: String {
        """
        INSERT INTO schema_functions (file, checksum, revision)
        VALUES ($1, \(checksum("$2")), $3::text::integer)
        ON CONFLICT (file) DO UPDATE SET
            checksum = EXCLUDED.checksum, revision = EXCLUDED.revision, replaced_at = EXCLUDED.replaced_at
        """
    }
}
