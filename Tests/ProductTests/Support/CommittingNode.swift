import Domain
import EventLoop
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// A committer on loops of its own, as one node has it.
struct CommittingNode: Sendable {
    let group: EventLoopGroup
    let database: Database
    let committer: Committer

    static func with<Answer: Sendable>(_ body: (CommittingNode) async throws -> Answer) async throws -> Answer {
        let group = try EventLoopGroup(count: 1)
        let database = try await Database(url: TestDatabase.current.url, group: group, poolSize: 4)
        let committer = try await Committer(database, on: group)
        let node = CommittingNode(group: group, database: database, committer: committer)
        let result: Result<Answer, any Error>
        do { result = .success(try await body(node)) } catch { result = .failure(error) }
        await database.stop()
        try await blocking { group.stop() }
        return try result.get()
    }

    /// Runs it on the node's loop, like requests.
    func run<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await group.loops[0].run(work)
    }

    /// Commits all of it in one turn of the loop.
    func commit(_ commits: [Commit]) async throws -> [Result<Commit.Outcome, any Error>] {
        try await run {
            await withTaskGroup(of: (Int, Result<Commit.Outcome, any Error>).self) { tasks in
                for (place, commit) in commits.enumerated() {
                    tasks.addTask(executorPreference: group.loops[0]) {
                        do { return (place, .success(try await committer.commit(commit))) } catch {
                            return (place, .failure(error))
                        }
                    }
                }
                return await tasks.reduce(into: [(Int, Result<Commit.Outcome, any Error>)]()) { $0.append($1) }
                    .sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
    }

    func find(_ id: ID, for account: ID) async throws -> StoredDelivery {
        try await #require(run { try await database.run(FindDelivery(account: account, id: id)).first })
    }
}
