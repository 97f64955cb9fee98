import Postgres

/// How far the database's schema has come.
struct NewestMigration: Statement {
    static let sql = "SELECT max(number) FROM schema_migrations"
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> Int32? {
        try row.read()
    }
}
