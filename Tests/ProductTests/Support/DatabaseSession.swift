import EventLoop
import Postgres
import TestSupport

/// One session of the database, which keeps its plans.
struct DatabaseSession: Sendable {
    let group: EventLoopGroup
    let database: Database

    static func with(_ body: (DatabaseSession) async throws -> Void) async throws {
        let group = try EventLoopGroup(count: 1)
        let database = try await Database(url: TestDatabase.current.url, group: group, poolSize: 1)
        let result: Result<Void, any Error>
        do { result = .success(try await body(DatabaseSession(group: group, database: database))) } catch {
            result = .failure(error)
        }
        await database.stop()
        try await blocking { group.stop() }
        try result.get()
    }
}
