import Domain
import EventLoop
import HTTP
import Postgres

/// Reads that may take a while, as searches and figures do, over connections of their own: they hold up nobody else. Each
/// account has two at once, and a third ends the oldest, which as a rule was typed further meanwhile.
///
/// What ends so, or takes too long, is answered at once; the statement that it has under way ends by itself.
final class SlowReads: Sendable {
    private static let mostAtOnce = 2
    /// Of all steps together, with their waiting.
    private static let bound = Duration.seconds(2)

    /// What somebody is told whose read is ended.
    static let endedByAThird = Problem(
        .tooManyRequests, "rate_limited", wording: "too_many_slow_reads", headers: [Response.Header("Retry-After", "1")]
    )

    private let database: Database
    private let running = Locked<(under: [ID: [Running]], number: Int)>(([:], 0))

    private struct Running {
        let number: Int
        let end: @Sendable (any Error) -> Void
    }

    init(_ database: Database) { self.database = database }

    /// Reads, on the calling task's loop.
    func run<Answer: Sendable>(
        for account: ID, _ read: @escaping @Sendable (Runner) async throws -> Answer
    ) async throws -> Answer {
        guard let loop = EventLoop.current else { preconditionFailure("reads come from the loops") }
        let task = Task(executorPreference: loop) { [database] in try await read(.database(database)) }
        let reason = Locked<(any Error)?>(nil)
        let end: @Sendable (any Error) -> Void = { error in
            reason.withLock { $0 = $0 ?? error }
            task.cancel()
        }
        let number = enter(account, end: end)
        let timer = loop.schedule(after: Self.bound) { end(PostgresError.unavailable("a read took too long")) }
        defer {
            timer.cancel()
            leave(account, number)
        }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError {
            throw reason.withLock { $0 } ?? CancellationError()
        }
    }

    private func enter(_ account: ID, end: @escaping @Sendable (any Error) -> Void) -> Int {
        let (number, oldest) = running.withLock { running in
            running.number += 1
            running.under[account, default: []].append(Running(number: running.number, end: end))
            let isTooMany = running.under[account]!.count > Self.mostAtOnce
            return (running.number, isTooMany ? running.under[account]!.removeFirst() : nil)
        }
        oldest?.end(Self.endedByAThird)
        return number
    }

    private func leave(_ account: ID, _ number: Int) {
        running.withLock { running in
            running.under[account]?.removeAll { $0.number == number }
            if running.under[account]?.isEmpty == true { running.under[account] = nil }
        }
    }
}
