import People
import Domain
import EventLoop
import Postgres

/// Takes leave of couriers whose partnership has ended: out of each delivery of that store by a step of its own.
///
/// What is to be left is noted in the commit that ended the partnership, so that any node goes on where one died. It need
/// not be done at once: who is no partner any more sees nothing of the store, and is offered nothing by any step.
package final class Leaving: Sendable {
    private let database: Database
    private let committer: Committer
    private let loop: EventLoop
    private let failed: @Sendable (any Error) -> Void
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// How soon what another node left undone is taken up.
    private static let pause = Duration.seconds(5)

    /// Begins to look for what is left undone. `failed` is told what went wrong; it is tried again.
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

    /// Begins to take leave, and waits a while for the end.
    package func begin(_ ending: PartnershipEnding, waitingAtMost bound: Duration) async {
        await loop.run { [self] in
            let end = Promise<Void>(on: loop)
            // It goes on when nobody waits any more.
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

    /// Takes up what nobody is at.
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
                // Whoever has become a partner again keeps what is left.
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
            // What somebody holds for long is tried again, by whoever takes the ending up next.
            if isComplete { try await database.run(EndLeaving(ending: ending)) }
        } catch {
            if !(error is CancellationError) { failed(error) }
        }
    }

    /// Out of one delivery, whatever others do with it meanwhile; false when that was not possible.
    private func leave(_ delivery: ID, _ pair: Pair) async -> Bool {
        // A step may come between, but none that brings the courier back.
        for attempt in 0..<4 where (try? await left(delivery, pair, patiently: attempt > 0)) == true { return true }
        return false
    }

    private func left(_ id: ID, _ pair: Pair, patiently: Bool) async throws -> Bool {
        guard let found = try await database.run(FindDelivery(account: pair.store, id: id)).first else { return true }
        let delivery = found.delivery
        let strangers = Set(try await database.run(FindStrangers(delivery: delivery)))
        let isHolder = delivery.courier == pair.courier
        guard isHolder || delivery.candidates.contains(pair.courier) else { return true }
        let command = StepCommand(isHolder ? .release : .withdraw, by: pair.store, .store, about: pair.courier)
        guard
            case .change(let change)? = try? Lifecycle.decide(
                command, on: delivery, isPartner: false, strangers: strangers)
        else { return true }
        let next = found.after(change, at: found.nextStep)
        let commit = Commit(
            change: change, at: next.times.updated, times: next.times, notices: next.notices(of: change), record: nil)
        return try await committer.commit(commit, patiently: patiently) == .made
    }
}
