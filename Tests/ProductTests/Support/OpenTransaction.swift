import Postgres
import TestSupport

/// A transaction that stays open on a connection of its own.
///
/// Unchecked, because a test uses it for one thing after the other.
struct OpenTransaction: @unchecked Sendable {
    private let connection: BlockingConnection

    /// Begins one in this test's database, with that role if one is given.
    static func begin(as role: String? = nil) async throws -> OpenTransaction {
        let url = TestDatabase.current.url
        return try await blocking {
            let transaction = OpenTransaction(connection: try BlockingConnection(url: url))
            if let role { try transaction.connection.execute("SET ROLE \(role)") }
            try transaction.connection.execute("BEGIN")
            return transaction
        }
    }

    @discardableResult
    func query(_ sql: String) async throws -> [[String?]] { try await blocking { try connection.query(sql) } }

    func commit() async throws { try await blocking { try connection.execute("COMMIT") } }
}
