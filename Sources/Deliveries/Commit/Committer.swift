import Outbox
import Domain
import EventLoop
import Postgres

/// Commits changes of deliveries. Those that come up on a loop while its last commits are under way go together.
package final class Committer: Sendable {
    private let gatherers: LoopLocal<Gatherer>

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        gatherers = try await LoopLocal(group) { Gatherer(database, on: $0) }
    }

    /// Commits a change. `patiently` waits if somebody holds its delivery.
    ///
    /// A change that is under way is committed whether or not somebody still waits for it.
    package func commit(_ commit: Commit, patiently: Bool = false) async throws -> Commit.Outcome {
        guard let gatherer = gatherers.current else { preconditionFailure("changes come from the loops") }
        return try await gatherer.submit(commit, patiently: patiently).value()
    }
}

/// The changes that wait to be committed on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Gatherer: TurnEnd, @unchecked Sendable {
    private static let mostTogether = 64
    private static let mostAlone = 4
    private static let mostWaiting = 4096

    private let database: Database
    private let loop: EventLoop
    private var waiting: [Entry] = []
    /// The deliveries that a commit under way changes: each has one change at a time.
    private var busy: Set<ID> = []
    /// One commit of a kind at a time: each has a cost of its own, and changes that come up meanwhile go with the next.
    private var committing: Set<Kind> = []
    private var aloneUnderWay = 0
    private var isGathering = false

    /// New deliveries and steps of existing ones have a statement each.
    private enum Kind: CaseIterable { case creations, steps }

    private struct Entry {
        let commit: Commit
        /// A change goes alone if it may have to wait for somebody, or be refused.
        var isAlone: Bool
        /// How often it was refused together with others.
        var refusals = 0
        let promise: Promise<Commit.Outcome>

        var delivery: ID { commit.change.after.id }
        var kind: Kind { commit.change.before == nil ? .creations : .steps }

        /// The entry after a refusal. If two nodes were about to take one reference at the same moment, a second try
        /// sees whose it is. Otherwise one change of the batch is bad, and the others must not suffer from it.
        func again(after error: ServerError) -> Entry {
            var entry = self
            entry.refusals += 1
            entry.isAlone =
                switch error.outcome {
                case .referenceTaken: entry.refusals > 3
                case .unknownFile: !commit.change.command.shown.pictures.isEmpty
                default: true
                }
            return entry
        }
    }

    init(_ database: Database, on loop: EventLoop) {
        self.database = database
        self.loop = loop
    }

    func submit(_ commit: Commit, patiently: Bool) throws -> Promise<Commit.Outcome> {
        guard waiting.count < Self.mostWaiting else {
            throw PostgresError.unavailable("too many changes wait to be committed")
        }
        let promise = Promise<Commit.Outcome>(on: loop)
        let isAlone = patiently || commit.change.takesAnotherReference
        waiting.append(Entry(commit: commit, isAlone: isAlone, promise: promise))
        gather()
        return promise
    }

    private func gather() {
        guard !isGathering else { return }
        isGathering = true
        loop.atEndOfTurn(self)
    }

    func turnEnded() {
        isGathering = false
        waiting.removeAll { $0.promise.isOver }
        startAlone()
        for kind in Kind.allCases where !committing.contains(kind) {
            let batch = takeBatch(of: kind)
            guard !batch.isEmpty else { continue }
            committing.insert(kind)
            start(batch) {
                await self.commit(batch, kind)
                self.committing.remove(kind)
            }
        }
    }

    /// Starts changes that go alone. They hold up nobody else.
    private func startAlone() {
        while aloneUnderWay < Self.mostAlone,
            let place = waiting.firstIndex(where: { $0.isAlone && !busy.contains($0.delivery) })
        {
            let entry = waiting.remove(at: place)
            aloneUnderWay += 1
            start([entry]) {
                await self.commitAlone(entry)
                self.aloneUnderWay -= 1
            }
        }
    }

    private func start(_ batch: [Entry], _ work: @escaping () async -> Void) {
        busy.formUnion(batch.map(\.delivery))
        let work = LoopBound(work, to: loop)
        Task(executorPreference: loop) {
            await work.value()
            self.busy.subtract(batch.map(\.delivery))
            if !self.waiting.isEmpty { self.gather() }
        }
    }

    /// The changes that can go together now.
    private func takeBatch(of kind: Kind) -> [Entry] {
        var (batch, left): ([Entry], [Entry]) = ([], [])
        var taken = busy
        for entry in waiting {
            let mayJoin = batch.count < Self.mostTogether && !entry.isAlone && entry.kind == kind
            if mayJoin, taken.insert(entry.delivery).inserted { batch.append(entry) } else { left.append(entry) }
        }
        waiting = left
        return batch
    }

    private func commit(_ batch: [Entry], _ kind: Kind) async {
        do {
            let results = try await run(batch, kind, PassOver.self)
            let outcomes = Dictionary(results.map { ($0.place, $0.outcome) }) { first, _ in first }
            for (place, entry) in batch.enumerated() { settle(entry, outcomes[place + 1] ?? .notMade) }
        } catch PostgresError.refused(let error)
            where batch.count > 1 || error.outcome != nil || error.state == .lockNotAvailable
        {
            waiting.insert(contentsOf: batch.map { $0.again(after: error) }, at: 0)
            gather()
        } catch {
            for entry in batch { entry.promise.fulfil(.failure(error)) }
        }
    }

    private func run<Locks: WhenLocked>(
        _ entries: [Entry], _ kind: Kind, _ locks: Locks.Type
    ) async throws -> [CommitResult] {
        let commits = entries.map(\.commit)
        switch kind {
        case .creations: return try await database.run(CommitCreations<Locks>(commits: commits))
        case .steps: return try await database.run(CommitSteps<Locks>(commits: commits))
        }
    }

    /// Changes that wait for a delivery that has just changed come too late, and need not be tried.
    private func settle(_ entry: Entry, _ outcome: Commit.Outcome) {
        entry.promise.fulfil(.success(outcome))
        guard outcome == .made else { return }
        for late in waiting where late.delivery == entry.delivery { late.promise.fulfil(.success(.notMade)) }
    }

    private func commitAlone(_ entry: Entry) async {
        do {
            settle(entry, try await run([entry], entry.kind, WaitFor.self).first?.outcome ?? .notMade)
        } catch PostgresError.refused(let refusal) where refusal.state == .lockNotAvailable && !entry.promise.isOver {
            // Somebody holds what it tells or takes back. Whoever asked waits for as long as it wants to.
            waiting.append(entry)
        } catch {
            guard case PostgresError.refused(let refusal) = error, let outcome = refusal.outcome else {
                return entry.promise.fulfil(.failure(error))
            }
            settle(entry, outcome)
        }
    }
}

extension ServerError {
    /// What it says of a change that was refused, and all with it.
    fileprivate var outcome: Commit.Outcome? { constraint.flatMap(Commit.Outcome.init) }
}

extension Change {
    /// Whether it gives an existing delivery another reference, which may be refused.
    fileprivate var takesAnotherReference: Bool {
        guard let before else { return false }
        return after.content.reference != nil && after.content.reference != before.content.reference
    }
}
