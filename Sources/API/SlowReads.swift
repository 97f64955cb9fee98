import Domain
import EventLoop
import HTTP
import Postgres

/// Reads that may take a while, such as searches and figures, over connections of their own, so that they delay nothing
/// else. Each account has two at once, on all nodes together. A third ends the oldest, whose text has usually been typed
/// further meanwhile.
///
/// A read that is ended so, or waits too long, is answered at once. But it keeps its place until the statement under
/// way has ended, so that no account has more than two of those. The reads of one node wait for each other there, and only
/// those that have a place take a seat among all nodes.
package final class SlowReads: Sendable {
    private static let mostAtOnce = 2

    /// The answer to a read that a third one has ended.
    package static let endedByAThird = Problem.tooManyAtOnce(
        "searches", mostAtOnce, wording: "too_many_slow_reads", seconds: 1)

    private let source: ReplicaReads
    private let bound: Duration
    private let seats: Seats
    private let reads = Locked<[ID: [Read]]>([:])

    /// Reads from the replica while it can be reached, and otherwise from the database. All steps of a read together, and
    /// their waiting, take no longer than `bound`.
    package init(_ database: Database, replica: Database? = nil, within bound: Duration, seats: Seats) {
        source = ReplicaReads(database, replica: replica)
        (self.bound, self.seats) = (bound, seats)
    }

    /// Reads, on the calling task's loop.
    package func run<Answer: Sendable>(
        for account: ID, _ read: @escaping @Sendable (SlowRunner) async throws -> Answer
    ) async throws -> Answer {
        guard let loop = EventLoop.current else { preconditionFailure("reads come from the loops") }
        let (answer, turn) = (Promise<Answer>(on: loop), Promise<Read>(on: loop))
        let task = Task(executorPreference: loop) { [self] in
            let own = try await turn.value()
            let seat = try await seats.wait(account, most: Self.mostAtOnce) { self.end(own, Self.endedByAThird) }
            defer { withExtendedLifetime(seat) {} }
            return try await read(SlowRunner(source: source, loop: loop))
        }
        let own = Read { own in
            loop.execute { turn.fulfil(.success(own)) }
        } end: { error in
            task.cancel()
            loop.execute { answer.fulfil(.failure(error)) }
        }
        enter(own, of: account)
        Task(executorPreference: loop) {
            let result = await task.result
            self.leave(own, of: account)
            answer.fulfil(result)
        }
        let timer = loop.schedule(after: bound) { [self] in
            end(own, PostgresError.unavailable("a read took too long"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await answer.value()
        } onCancel: {
            end(own, CancellationError())
        }
    }

    private func end(_ read: Read, _ error: any Error) {
        reads.withLock { _ in read.hasEnded = true }
        read.end(error)
    }

    private func enter(_ read: Read, of account: ID) {
        let oldest = reads.withLock { reads in
            let wanted = reads[account, default: []].filter { !$0.hasEnded }
            let oldest = wanted.count >= Self.mostAtOnce ? wanted.first : nil
            oldest?.hasEnded = true
            reads[account, default: []].append(read)
            return oldest
        }
        oldest?.end(Self.endedByAThird)
        begin(account)
    }

    private func leave(_ read: Read, of account: ID) {
        reads.withLock { reads in
            reads[account]?.removeAll { $0 === read }
            if reads[account]?.isEmpty == true { reads[account] = nil }
        }
        begin(account)
    }

    /// Begins the reads that have a place.
    private func begin(_ account: ID) {
        let next = reads.withLock { reads in
            let all = reads[account] ?? []
            let free = Self.mostAtOnce - all.count { $0.hasBegun }
            let next = all.filter { !$0.hasBegun && !$0.hasEnded }.prefix(max(0, free))
            for read in next { read.hasBegun = true }
            return next
        }
        for read in next { read.begin(read) }
    }

    /// One read. Unchecked, because its state is changed under the lock alone.
    private final class Read: @unchecked Sendable {
        let begin: @Sendable (Read) -> Void
        let end: @Sendable (any Error) -> Void
        var hasBegun = false
        var hasEnded = false

        init(begin: @escaping @Sendable (Read) -> Void, end: @escaping @Sendable (any Error) -> Void) {
            (self.begin, self.end) = (begin, end)
        }
    }
}

/// Runs the steps of a slow read. No step begins after the read has ended, and a step under way is waited for.
package struct SlowRunner: Sendable {
    fileprivate let source: ReplicaReads
    fileprivate let loop: EventLoop

    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        try Task.checkCancellation()
        return try await Task(executorPreference: loop) { try await source.run(statement) }.value
    }
}
