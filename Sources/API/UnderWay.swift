import Domain
import EventLoop
import HTTP

/// What takes long, one after the other on a thread of low priority: so much in all, and so much of one account, so that nobody keeps
/// the others waiting.
package final class UnderWay: Sendable {
    private let most, mostOfOne: Int
    private let pool: BlockingPool
    private let taken = Locked<[ID: Int]>([:])

    /// Of so many that are under way, `waiting` may wait for the thread.
    package init(_ name: String, waiting: Int, most: Int, mostOfOne: Int) throws {
        (self.most, self.mostOfOne) = (most, mostOfOne)
        pool = try BlockingPool(name: name, threads: 1, waiting: waiting, priority: .background)
    }

    /// Takes in what there is to work on, and has the thread work on it; or refuses it at once.
    ///
    /// The place belongs to the account until the work is over, even if nobody waits for it any more.
    package func run<Input: Sendable, Answer: Sendable>(
        for account: ID, _ takeIn: () async throws -> Input, _ work: @escaping @Sendable (Input) throws -> Answer
    ) async throws -> Answer {
        try begin(account)
        let place = Place { [self] in end(account) }
        let input = try await takeIn()
        return try await pool.run {
            defer { place.giveBack() }
            return try work(input)
        }
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { pool.stop() }

    private func begin(_ account: ID) throws {
        try taken.withLock { taken in
            guard taken.values.reduce(0, +) < most else { throw Problem.unavailable() }
            guard taken[account, default: 0] < mostOfOne else { throw Problem.rateLimited() }
            taken[account, default: 0] += 1
        }
    }

    private func end(_ account: ID) {
        taken.withLock { taken in
            let left = taken[account, default: 1] - 1
            taken[account] = left == 0 ? nil : left
        }
    }
}

/// A place that is given back once: when the work is over, or when nobody holds it any more because it will not be done.
private final class Place: Sendable {
    private let leave: Locked<(@Sendable () -> Void)?>

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = Locked(leave) }

    func giveBack() {
        let leave = leave.withLock { leave in
            defer { leave = nil }
            return leave
        }
        leave?()
    }

    deinit { giveBack() }
}
