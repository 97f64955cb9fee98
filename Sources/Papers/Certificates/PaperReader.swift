import API
import Domain
import EventLoop

/// Reads papers on a thread of low priority, a few at a time: what hostile codes cost, they cost nobody but who sends them.
package final class PaperReader: Sendable {
    private static let most = 64
    private let pool: BlockingPool
    private let underWay = UnderWay(most: most, mostOfOne: 8)

    package init() throws {
        pool = try BlockingPool(name: "papers", threads: 1, waiting: Self.most, priority: .background)
    }

    func run<Answer: Sendable>(
        for account: ID, _ read: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await underWay.run(for: account) { try await pool.run(read) }
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { pool.stop() }
}
