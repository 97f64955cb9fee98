import EventLoop
import Postgres

/// Commits messages. Those that come up on a loop while its last commit is under way go together.
package final class MessageCommitter: Sendable {
    private let gatherers: LoopLocal<MessageGatherer>

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        gatherers = try await LoopLocal(group) { MessageGatherer(database, on: $0) }
    }

    /// What became of messages so far, and how many wait.
    package var counts: MessageCounts {
        get async { await gatherers.onEach { $0.allCounts }.reduce(MessageCounts()) { $0.adding($1) } }
    }

    /// Commits a message. One that is under way is committed whether or not somebody still waits for it.
    func commit(_ utterance: Utterance) async throws -> Utterance.Outcome {
        guard let gatherer = gatherers.current else { preconditionFailure("messages come on the loops") }
        return try await gatherer.submit(utterance).value()
    }
}
