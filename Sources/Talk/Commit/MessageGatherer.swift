import API
import Domain
import EventLoop
import Postgres

/// The messages that wait to be committed on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
final class MessageGatherer: @unchecked Sendable {
    private static let mostTogether = 256
    /// So few that there is a connection left for all others.
    private static let mostApart = 2
    private static let mostWaiting = 4096

    private let database: Database
    private let loop: EventLoop
    private var waiting: [Entry] = []
    private var isCommitting = false
    /// Messages go apart, a conversation at a time and each in its turn, if somebody holds their conversation, or if
    /// they were refused together with others. They hold up nobody else, but later ones of their conversation.
    private var apart: [Entry] = []
    private var apartUnderWay: Set<ID> = []
    private var counts = MessageCounts()

    private struct Entry: Sendable {
        let utterance: Utterance
        let promise: Promise<Utterance.Outcome>
        /// One of those with which it was refused is bad. It goes alone, so that the others do not suffer from it.
        var isSuspect = false
    }

    /// Some key was taken after all, and nothing was committed.
    private struct KeysTaken: Error {}

    init(_ database: Database, on loop: EventLoop) { (self.database, self.loop) = (database, loop) }

    var allCounts: MessageCounts {
        var counts = counts
        counts.waiting = waiting.count + apart.count
        return counts
    }

    func submit(_ utterance: Utterance) throws -> Promise<Utterance.Outcome> {
        if waiting.count + apart.count >= Self.mostWaiting { forgetAbandoned() }
        guard waiting.count + apart.count < Self.mostWaiting else {
            counts.add(.turnedAway)
            throw PostgresError.unavailable("too many messages wait to be committed")
        }
        let promise = Promise<Utterance.Outcome>(on: loop)
        waiting.append(Entry(utterance: utterance, promise: promise))
        goOn()
        return promise
    }

    private func forgetAbandoned() {
        waiting.removeAll { $0.promise.isOver }
        apart.removeAll { $0.promise.isOver }
    }

    private func goOn() {
        if !isCommitting, !waiting.isEmpty {
            isCommitting = true
            // What else comes up in this turn goes along.
            Task(executorPreference: loop) {
                await self.commitTogether()
                self.isCommitting = false
                self.goOn()
            }
        }
        while apartUnderWay.count < Self.mostApart, let batch = takeApart() {
            let conversation = batch[0].utterance.conversation
            apartUnderWay.insert(conversation)
            Task(executorPreference: loop) {
                await self.commitApart(batch)
                self.apartUnderWay.remove(conversation)
                self.goOn()
            }
        }
    }

    /// The next messages. Those of conversations that go apart come after what is there of them.
    private func takeBatch() -> [Entry] {
        let behind = Set(apart.map(\.utterance.conversation)).union(apartUnderWay)
        var (batch, left): ([Entry], [Entry]) = ([], [])
        for entry in waiting where !entry.promise.isOver {
            if behind.contains(entry.utterance.conversation) {
                apart.append(entry)
            } else if batch.count < Self.mostTogether {
                batch.append(entry)
            } else {
                left.append(entry)
            }
        }
        waiting = left
        return batch
    }

    /// The next messages of one conversation that goes apart; nil when none can.
    private func takeApart() -> [Entry]? {
        apart.removeAll { $0.promise.isOver }
        guard
            let conversation = apart.lazy.map(\.utterance.conversation).first(where: { !apartUnderWay.contains($0) })
        else { return nil }
        let own = apart.indices.filter { apart[$0].utterance.conversation == conversation }
        let taken =
            apart[own[0]].isSuspect ? own.prefix(1) : own.prefix(Self.mostTogether).prefix { !apart[$0].isSuspect }
        let batch = taken.map { apart[$0] }
        let places = Set(taken)
        apart = apart.indices.filter { !places.contains($0) }.map { apart[$0] }
        return batch
    }

    private func commitTogether() async {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        do {
            for (entry, outcome) in zip(batch, try await commit(batch, PassOverHeld.self)) {
                if let outcome { settle(entry, .success(outcome)) } else { apart.append(entry) }
            }
        } catch PostgresError.refused(let error) where error.isPassing {
            // It is nobody's fault, and nothing was committed.
            apart.insert(contentsOf: batch, at: 0)
        } catch {
            settle(batch, error)
        }
    }

    private func commitApart(_ batch: [Entry]) async {
        do {
            for (entry, outcome) in zip(batch, try await commit(batch, WaitForHeld.self)) {
                settle(entry, .success(outcome ?? .notFound))
            }
        } catch PostgresError.refused(let error) where error.state == .lockNotAvailable {
            // Others have their turn. What came later in the conversation stays behind these.
            let conversation = batch[0].utterance.conversation
            let later = apart.filter { $0.utterance.conversation == conversation }
            apart.removeAll { $0.utterance.conversation == conversation }
            apart += batch + later
        } catch {
            settle(batch, error)
        }
    }

    private func settle(_ batch: [Entry], _ error: any Error) {
        if batch.count > 1, Self.isOfOne(error) {
            apart.insert(
                contentsOf: batch.map { Entry(utterance: $0.utterance, promise: $0.promise, isSuspect: true) }, at: 0)
        } else {
            for entry in batch { settle(entry, Self.outcome(of: error)) }
        }
    }

    /// Whether one of those that were to be committed is to blame, and others can be.
    private static func isOfOne(_ error: any Error) -> Bool {
        if case PostgresError.refused(let refused) = error { !refused.isPassing } else { error is KeysTaken }
    }

    private static func outcome(of error: any Error) -> Result<Utterance.Outcome, any Error> {
        switch error {
        case is KeysTaken: .success(.keyTaken)
        case PostgresError.refused(let refused) where refused.constraint == "unknown_file": .success(.unknownFile)
        default: .failure(error)
        }
    }

    private func settle(_ entry: Entry, _ result: Result<Utterance.Outcome, any Error>) {
        counts.add(result)
        entry.promise.fulfil(result)
    }

    /// Commits these messages. There is no outcome for those whose conversation is not there, or was passed over.
    private func commit<Locks: WhenHeld>(
        _ entries: [Entry], _ locks: Locks.Type
    ) async throws -> [Utterance.Outcome?] {
        let utterances = entries.map(\.utterance)
        return try await database.transaction { transaction in
            let ids = Array(Set(utterances.map(\.conversation)))
            let held = try await transaction.run(HoldConversations<Locks>(ids: ids))
            let keys = utterances.compactMap { said in said.key.map { TakenKey(account: said.author, key: $0) } }
            let found = try await transaction.run(FindTakenKeys(keys: keys))
            let saying = Saying(
                utterances, in: held, taken: Set(found.compactMap(\.taken)), at: found.first?.now ?? .now)
            if !saying.said.isEmpty {
                let kept = try await transaction.run(WriteMessages(saying: saying)).first ?? 0
                guard kept == saying.said.count(where: { $0.record != nil }) else { throw KeysTaken() }
            }
            return saying.outcomes
        }
    }
}
