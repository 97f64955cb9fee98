import API
import Domain
import EventLoop

/// Reads papers on a thread of low priority, a few at a time and everybody in turn: what hostile codes cost,
/// they cost nobody but who sends them.
package final class PaperReader: Sendable {
    /// No fewer than a server has requests under way, so that one account's are never refused for another's.
    private static let most = 10_000
    static let mostOfOne = 64
    let underWay: UnderWay

    package init() throws {
        underWay = try UnderWay("papers", waiting: Self.most, most: Self.most, mostOfOne: Self.mostOfOne)
    }

    /// What each of the papers is.
    func read<Paper: Sendable, Answer: Sendable>(
        _ papers: [Paper], for account: ID, _ read: @escaping @Sendable (Paper) throws -> Answer
    ) async throws -> [Answer] {
        try await underWay.each(of: papers, for: account, read)
    }

    /// Holds a place of the account while `body` asks for papers and has them read. Whoever has to ask for them takes the place first.
    func holding<Answer>(for account: ID, _ body: (UnderWay.Place) async throws -> Answer) async throws -> Answer {
        try await underWay.holding(for: account, body)
    }

    /// What each of the papers is, in a place that is held.
    func read<Paper: Sendable, Answer: Sendable>(
        _ papers: [Paper], in place: UnderWay.Place, _ read: @escaping @Sendable (Paper) throws -> Answer
    ) async throws -> [Answer] {
        try await underWay.each(of: papers, in: place, read)
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { underWay.stop() }
}
