import API
import People
import Domain
import EventLoop
import Postgres

/// Takes couriers whose partnership has ended out of each delivery of that store, by a step of its own.
///
/// The commit that ended the partnership notes this, so that any node goes on if one dies. It need not be done at once:
/// a courier who is no longer a partner sees nothing of the store, and is offered nothing by any step.
package final class Leaving: Sendable {
    private let database: Database
    private let committer: Committer
    private let loop: EventLoop
    private let failed: @Sendable (any Error) -> Void
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// How often a node looks for work that another one left undone.
    private static let pause = Duration.seconds(5)

    /// Begins to look for work that was left undone. `failed` is told of failures; the work is tried again.
    package init(
        _ database: Database, _ committer: Committer, on loop: EventLoop,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.database = database
        self.committer = committer
        self.loop = loop
        self.failed = failed
        task.withLock { $0 = Task(executorPreference: loop) { await self.goOn() } }
    }

    /// Begins to take leave, and waits for the end at most that long.
    package func begin(_ ending: PartnershipEnding, waitingAtMost bound: Duration) async {
        await loop.run { [self] in
            let end = Promise<Void>(on: loop)
            // The work goes on even when nobody waits any more.
            Task(executorPreference: loop) {
                await self.leave(ending)
                end.fulfil(.success(()))
            }
            let timer = loop.schedule(after: bound) { end.fulfil(.success(())) }
            try? await end.value()
            timer.cancel()
        }
    }

    package func stop() {
        task.withLock { $0 }?.cancel()
    }

    /// Takes up endings that nobody works on.
    private func goOn() async {
        while !Task.isCancelled {
            do {
                while let ending = try await database.run(TakeEnding()).first { await leave(ending) }
            } catch {
                if !(error is CancellationError) { failed(error) }
            }
            try? await loop.sleep(for: Self.pause)
        }
    }

    private func leave(_ ending: PartnershipEnding) async {
        do {
            var (isComplete, place) = (true, FindStandings.Place.beginning as FindStandings.Place?)
            while let next = place {
                // A courier who has become a partner again keeps what is left.
                guard try await database.run(KeepEnding(ending: ending)).first == true else {
                    isComplete = true
                    break
                }
                let found = try await database.run(FindStandings(pair: ending.pair, after: next))
                let left = await withTaskGroup(of: Bool.self) { group in
                    for standing in found {
                        if let id = standing.delivery { group.addTask { await self.leave(id, ending.pair) } }
                    }
                    return await group.allSatisfy { $0 }
                }
                isComplete = isComplete && left
                place = found.last?.edge
            }
            // Deliveries that somebody holds for long are tried again by whoever takes the ending up next.
            if isComplete { try await database.run(EndLeaving(ending: ending)) }
        } catch {
            if !(error is CancellationError) { failed(error) }
        }
    }

    /// Takes the courier out of one delivery, whatever others do with it meanwhile; false if that was not possible.
    private func leave(_ delivery: ID, _ pair: Pair) async -> Bool {
        // Other steps may come between, but none that brings the courier back.
        for attempt in 0..<4 where (try? await left(delivery, pair, patiently: attempt > 0)) == true { return true }
        return false
    }

    private func left(_ id: ID, _ pair: Pair, patiently: Bool) async throws -> Bool {
        guard let found = try await database.run(FindDelivery(account: pair.store, id: id)).first else { return true }
        let delivery = found.delivery
        let strangers = Set(try await database.run(FindStrangers(delivery: delivery)))
        let isHolder = delivery.courier == pair.courier
        guard isHolder || delivery.candidates.contains(pair.courier) else { return true }
        let command = try await StepCommand(
            isHolder ? .release : .withdraw, by: pair.store, .store, about: pair.courier
        ).inOrder(delivery) { try await database.run($0) }
        guard
            case .change(let change)? = try? Lifecycle.decide(
                command, on: delivery, isPartner: false, strangers: strangers)
        else { return true }
        let next = found.after(change, at: found.nextStep(at: .now))
        return try await committer.commit(next.commit(change), patiently: patiently) == .made
    }
}
