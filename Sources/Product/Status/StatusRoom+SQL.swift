import Postgres

/// The database's last migration and its revision of functions.
struct SchemaState: Statement {
    static let sql = "SELECT (SELECT max(number) FROM schema_migrations), (SELECT max(revision) FROM schema_functions)"
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (migration: Int32?, functions: Int32?) {
        (try row.read(), try row.read())
    }
}
