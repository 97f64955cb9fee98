import API
import EventLoop
import Postgres

/// Wakes gateways that wait when there may be a message: at once after a commit of this node, and by asking the
/// database now and then for those of others.
package final class OutboxTail: Sendable {
    private static let pause = Duration.milliseconds(10)

    private let database: Database
    private let loop: EventLoop
    private let waiting: LoopLocal<Waiting<String>>
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        self.database = database
        loop = group.loops[0]
        waiting = try await LoopLocal(group) { Waiting<String>(on: $0) }
        task.withLock { $0 = Task(executorPreference: loop) { await self.follow() } }
    }

    /// Tells that something was committed on this loop, perhaps with messages.
    package func ring() {
        waiting.current?.wake(Set(GatewayKey.allChannels))
    }

    /// Begins to wait for messages of a channel on this loop.
    func listen(to channel: String) -> Listener<String> {
        guard let waiting = waiting.current else { preconditionFailure("gateways are served on the loops") }
        return waiting.listen(to: channel)
    }

    /// Ends all waiting, now and from now on.
    package func stop() async {
        task.withLock { $0 }?.cancel()
        await waiting.onEach { $0.stop() }
    }

    private func follow() async {
        while !Task.isCancelled {
            try? await loop.sleep(for: Self.pause)
            let awaited = Set(await waiting.onEach { $0.subjects }.joined())
            guard !awaited.isEmpty else { continue }
            guard let ready = try? await database.run(FindReadyChannels(channels: Array(awaited))) else { continue }
            if !ready.isEmpty { await waiting.onEach { $0.wake(Set(ready)) } }
        }
    }
}

/// Which of these channels have a message that could be taken.
struct FindReadyChannels: Statement {
    static let sql = "SELECT ready_channels($1)"
    static let isReadOnly = true
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
