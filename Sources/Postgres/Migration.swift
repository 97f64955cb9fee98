/// One step of the schema: a numbered SQL file that is applied once and never edited afterwards.
public struct Migration: Sendable, Equatable {
    /// The file's name: `0001_foundation.sql`.
    public let file: String
    /// The file's text.
    public let sql: String

    /// A migration from its file.
    public init(file: String, sql: String) {
        self.file = file
        self.sql = sql
    }

    /// The number at the beginning of the file's name; nil when it has none.
    var number: Int? {
        Int(file.prefix { $0 != "_" })
    }
}

/// Work that a migration needs done on rows that existed before it.
public struct Backfill: Sendable, Equatable {
    /// The function that does it, some rows at a time.
    public let name: String
    /// How many rows it has done so far; nil when it is finished.
    public let rows: Int?
}

/// A migration, and when it was applied.
public struct MigrationStatus: Sendable, Equatable {
    /// The file's name.
    public let file: String
    /// When it was applied, as RFC 3339 in UTC; nil while it waits.
    public let appliedAt: String?
}

/// Why the schema was not migrated. Each case names the file at fault.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
    /// The binary's files are not numbered 1, 2, 3…
    case misnumbered(file: String, expected: Int)
    /// The text of a migration changed after it was applied.
    case edited(file: String)
    /// The database has a migration that this binary does not have.
    case unknown(file: String)
    /// The database has later migrations, but not this one.
    case skipped(file: String)
    /// The server refused the migration, and nothing of it was kept.
    case failed(file: String, line: Int?, reason: String)

    /// What to tell a person.
    public var description: String {
        switch self {
        case .misnumbered(let file, let expected):
            "migration \(file) is out of order: number \(expected) is expected in its place"
        case .edited(let file):
            "migration \(file) was edited after this database took it: restore its text, and write a new migration"
        case .unknown(let file):
            "this database took migration \(file), which this kurir does not have:"
                + " a newer kurir was here, so start that one or a later one"
        case .skipped(let file):
            "this database took later migrations, but never \(file): its schema_migrations was changed by hand"
        case .failed(let file, let line, let reason):
            "migration \(file) failed" + (line.map { " in line \($0)" } ?? "") + ", nothing of it is left: \(reason)"
        }
    }
}
