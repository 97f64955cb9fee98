import Domain
import EventLoop
import HTTP

/// What is under way that takes long: so much in all, and so much of one account, so that nobody keeps the others waiting.
package final class UnderWay: Sendable {
    private let most, mostOfOne: Int
    private let underWay = Locked<[ID: Int]>([:])

    package init(most: Int, mostOfOne: Int) { (self.most, self.mostOfOne) = (most, mostOfOne) }

    /// Does it, or refuses it at once.
    package func run<Answer>(for account: ID, _ body: () async throws -> Answer) async throws -> Answer {
        try begin(account)
        defer { end(account) }
        return try await body()
    }

    private func begin(_ account: ID) throws {
        try underWay.withLock { underWay in
            guard underWay.values.reduce(0, +) < most else { throw Problem.unavailable() }
            guard underWay[account, default: 0] < mostOfOne else { throw Problem.rateLimited() }
            underWay[account, default: 0] += 1
        }
    }

    private func end(_ account: ID) {
        underWay.withLock { underWay in
            let left = underWay[account, default: 1] - 1
            underWay[account] = left == 0 ? nil : left
        }
    }
}
