import Domain
import Postgres

/// Finds the name of a store.
struct FindStoreName: Statement {
    static let sql = "SELECT name FROM stores WHERE id = $1"
    static let isReadOnly = true
    let store: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
    }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
