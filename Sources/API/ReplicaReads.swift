import Postgres

/// Reads that may be some seconds behind: from the replica while it can be reached, and otherwise from the database.
package struct ReplicaReads: Sendable {
    private let database: Database
    private let replica: Database?

    package init(_ database: Database, replica: Database? = nil) { (self.database, self.replica) = (database, replica) }

    /// What took too long at the replica is not tried again.
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        guard let replica else { return try await database.run(statement) }
        do {
            return try await replica.run(statement)
        } catch let error as PostgresError where error.isElsewhere {
            return try await database.run(statement)
        }
    }
}
