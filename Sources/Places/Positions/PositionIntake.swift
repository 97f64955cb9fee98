import Domain
import EventLoop
import Postgres

/// Takes fixes. Those that come up on a loop while its last ones are written go together, since each statement has a cost of its
/// own.
package final class PositionIntake: Sendable {
    private let gatherers: LoopLocal<Gatherer>

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        gatherers = try await LoopLocal(group) { Gatherer(database, on: $0) }
    }

    /// Takes a courier's fixes, oldest first.
    func take(_ fixes: SentFixes) async throws -> TakenFixes {
        guard let gatherer = gatherers.current else { preconditionFailure("fixes come on the loops") }
        return try await gatherer.submit(fixes).value()
    }
}

/// The fixes that wait on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Gatherer: @unchecked Sendable {
    /// How many couriers a statement takes, and how many fixes before the last of them.
    private static let (most, mostFixes) = (64, 400)
    private static let mostWaiting = 4096
    /// How soon a statement follows another where there is something to do all the time.
    private static let pause = Duration.milliseconds(25)

    private let database: Database
    private let loop: EventLoop
    private var waiting: [Entry] = []
    private var isAtWork = false

    private struct Entry {
        let sent: SentFixes
        let promise: Promise<TakenFixes>
    }

    init(_ database: Database, on loop: EventLoop) { (self.database, self.loop) = (database, loop) }

    func submit(_ sent: SentFixes) throws -> Promise<TakenFixes> {
        guard waiting.count < Self.mostWaiting else { throw PostgresError.unavailable("too many fixes wait") }
        let promise = Promise<TakenFixes>(on: loop)
        waiting.append(Entry(sent: sent, promise: promise))
        if !isAtWork {
            isAtWork = true
            Task(executorPreference: loop) { await self.work() }
        }
        return promise
    }

    private func work() async {
        while !waiting.isEmpty {
            let began = Instant.now
            await write(takeBatch())
            let rest = Self.pause - .nanoseconds(Instant.now.nanoseconds(since: began))
            // Who comes alone is not kept waiting.
            if !waiting.isEmpty, rest > .zero { try? await loop.sleep(for: rest) }
        }
        isAtWork = false
    }

    /// Some that wait, each courier once: what is older than known is judged by what is written.
    private func takeBatch() -> [Entry] {
        var (batch, left): ([Entry], [Entry]) = ([], [])
        var (couriers, fixes) = (Set<ID>(), 0)
        for entry in waiting where !entry.promise.isOver {
            let isRoom = batch.count < Self.most && fixes < Self.mostFixes
            guard isRoom, couriers.insert(entry.sent.courier).inserted else {
                left.append(entry)
                continue
            }
            batch.append(entry)
            fixes += entry.sent.fixes.count
        }
        waiting = left
        return batch
    }

    private func write(_ batch: [Entry]) async {
        guard !batch.isEmpty else { return }
        do {
            let taken = try await database.run(TakeFixes(sent: batch.map(\.sent)))
            let outcomes = Dictionary(taken.map { ($0.courier, $0) }) { first, _ in first }
            for entry in batch {
                let courier = entry.sent.courier
                // An account that is gone is on no duty.
                let none = TakenFixes(courier: courier, isAdmitted: false, oldest: nil, carries: false)
                entry.promise.fulfil(.success(outcomes[courier] ?? none))
            }
        } catch {
            for entry in batch { entry.promise.fulfil(.failure(error)) }
        }
    }
}
