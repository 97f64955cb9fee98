import Domain
import EventLoop
import HTTP

/// What takes long, one after the other on a thread of low priority: so much in all, so much of one account, and accounts in turn, so
/// that nobody keeps the others waiting.
package final class UnderWay: Sendable {
    private let most, mostOfOne: Int
    let pool: BlockingPool
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
        let place = try place(for: account)
        let input = try await takeIn()
        return try await pool.run(for: account) {
            defer { place.giveBack() }
            return try work(input)
        }
    }

    /// Works on many things, of which an account may have any number: a few in each turn, and then it is the turn of others.
    package func each<Item: Sendable, Answer: Sendable>(
        of items: [Item], for account: ID, _ work: @escaping @Sendable (Item) throws -> Answer
    ) async throws -> [Answer] {
        guard !items.isEmpty else { return [] }
        return try await holding(for: account) { try await each(of: items, in: $0, work) }
    }

    /// Holds a place of the account while `body` takes in portions of what there is to work on, and has them worked on: so
    /// its places bound how many portions it has in memory.
    package func holding<Answer>(for account: ID, _ body: (Place) async throws -> Answer) async throws -> Answer {
        let place = try place(for: account)
        let answer = try await body(place)
        place.giveBack()
        return answer
    }

    /// Works on many things in a place that is held.
    package func each<Item: Sendable, Answer: Sendable>(
        of items: [Item], in place: Place, _ work: @escaping @Sendable (Item) throws -> Answer
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        while answers.count < items.count {
            let few = items.dropFirst(answers.count).prefix(Self.ofOneTurn)
            answers += try await pool.run(for: place.account) { try withExtendedLifetime(place) { try few.map(work) } }
        }
        return answers
    }

    static let ofOneTurn = 4

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { pool.stop() }

    private func place(for account: ID) throws -> Place {
        try taken.withLock { taken in
            guard taken.values.reduce(0, +) < most else { throw Problem.unavailable() }
            guard taken[account, default: 0] < mostOfOne else { throw Problem.rateLimited() }
            taken[account, default: 0] += 1
        }
        return Place(of: account) { [self] in end(account) }
    }

    private func end(_ account: ID) {
        taken.withLock { taken in
            let left = taken[account, default: 1] - 1
            taken[account] = left == 0 ? nil : left
        }
    }
}

extension UnderWay {
    /// A place that is given back once: when the work is over, or when nobody holds it any more because it will not be done.
    package final class Place: Sendable {
        fileprivate let account: ID
        private let leave: Locked<(@Sendable () -> Void)?>

        fileprivate init(of account: ID, _ leave: @escaping @Sendable () -> Void) {
            (self.account, self.leave) = (account, Locked(leave))
        }

        fileprivate func giveBack() {
            let leave = leave.withLock { leave in
                defer { leave = nil }
                return leave
            }
            leave?()
        }

        deinit { giveBack() }
    }
}
