import API
import Domain
import EventLoop

/// Reads papers on a thread of low priority, a few at a time: what hostile codes cost, they cost nobody but who sends them.
package final class PaperReader: Sendable {
    private static let most = 64
    private let underWay: UnderWay

    package init() throws { underWay = try UnderWay("papers", waiting: Self.most, most: Self.most, mostOfOne: 8) }

    func run<Answer: Sendable>(
        for account: ID, _ read: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await underWay.run(for: account, {}, read)
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { underWay.stop() }
}
