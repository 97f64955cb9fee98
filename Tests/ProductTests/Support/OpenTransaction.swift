import Postgres
import TestSupport

/// A transaction on a connection of its own that stays open meanwhile.
///
/// Unchecked, because a test asks it one thing after the other.
struct OpenTransaction: @unchecked Sendable {
    private let connection: BlockingConnection

    /// Begins one in this test's database, as that role if there is one.
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
