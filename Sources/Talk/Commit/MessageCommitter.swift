import API
import Domain
import EventLoop
import Postgres

/// Commits messages. Those that come up on a loop while its last commit is under way go together.
package final class MessageCommitter: Sendable {
    private let gatherers: LoopLocal<Gatherer>

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        gatherers = try await LoopLocal(group) { Gatherer(database, on: $0) }
    }

    /// Commits a message. One that is under way is committed whether or not somebody still waits for it.
    func commit(_ utterance: Utterance) async throws -> Utterance.Outcome {
        guard let gatherer = gatherers.current else { preconditionFailure("messages come on the loops") }
        return try await gatherer.submit(utterance).value()
    }
}

/// The messages that wait to be committed on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Gatherer: @unchecked Sendable {
    private static let mostTogether = 256
    private static let mostAlone = 4
    private static let mostWaiting = 4096

    private let database: Database
    private let loop: EventLoop
    private var waiting: [Entry] = []
    private var isCommitting = false
    /// Messages go alone whose conversation somebody holds, or that were refused together with others. They hold up
    /// nobody else, but later ones of their conversation.
    private var alone: [Entry] = []
    private var aloneUnderWay: Set<ID> = []

    private struct Entry: Sendable {
        let utterance: Utterance
        let promise: Promise<Utterance.Outcome>
    }

    /// Some key was taken after all, and nothing was committed.
    private struct KeysTaken: Error {}

    init(_ database: Database, on loop: EventLoop) { (self.database, self.loop) = (database, loop) }

    func submit(_ utterance: Utterance) throws -> Promise<Utterance.Outcome> {
        guard waiting.count + alone.count < Self.mostWaiting else {
            throw PostgresError.unavailable("too many messages wait to be committed")
        }
        let promise = Promise<Utterance.Outcome>(on: loop)
        waiting.append(Entry(utterance: utterance, promise: promise))
        goOn()
        return promise
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
        while aloneUnderWay.count < Self.mostAlone,
            let place = alone.firstIndex(where: { !aloneUnderWay.contains($0.utterance.conversation) })
        {
            let entry = alone.remove(at: place)
            aloneUnderWay.insert(entry.utterance.conversation)
            Task(executorPreference: loop) {
                await self.commitAlone(entry)
                self.aloneUnderWay.remove(entry.utterance.conversation)
                self.goOn()
            }
        }
    }

    /// The next messages. Those of conversations where one goes alone come after it.
    private func takeBatch() -> [Entry] {
        let behind = Set(alone.map(\.utterance.conversation)).union(aloneUnderWay)
        var (batch, left): ([Entry], [Entry]) = ([], [])
        for entry in waiting where !entry.promise.isOver {
            if behind.contains(entry.utterance.conversation) {
                alone.append(entry)
            } else if batch.count < Self.mostTogether {
                batch.append(entry)
            } else {
                left.append(entry)
            }
        }
        waiting = left
        return batch
    }

    private func commitTogether() async {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        do {
            let outcomes = try await commit(batch, PassOverHeld.self)
            for (entry, outcome) in zip(batch, outcomes) {
                if let outcome { entry.promise.fulfil(.success(outcome)) } else { alone.append(entry) }
            }
        } catch is KeysTaken {
            alone += batch
        } catch PostgresError.refused {
            alone += batch
        } catch {
            for entry in batch { entry.promise.fulfil(.failure(error)) }
        }
    }

    private func commitAlone(_ entry: Entry) async {
        do {
            let outcome = try await commit([entry], WaitForHeld.self).first ?? nil
            entry.promise.fulfil(.success(outcome ?? .notFound))
        } catch is KeysTaken {
            entry.promise.fulfil(.success(.keyTaken))
        } catch PostgresError.refused(let error) where error.constraint == "unknown_file" {
            entry.promise.fulfil(.success(.unknownFile))
        } catch {
            entry.promise.fulfil(.failure(error))
        }
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
