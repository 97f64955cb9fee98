import API
import Domain
import EventLoop
import Feed
import Postgres

/// Tells couriers who listen on this node what is new on the road near them.
///
/// The database announces what is new. A few times a second the node asks which of that is near whom, some at a time, and lets those who
/// are told of it take it before it asks for more: where nobody listens, nothing is asked.
package final class RoadTail: NewsTail {
    /// Where new reports are announced, by ids one behind the other.
    package static let channel = "kurir_roads"
    private static let pause = Duration.milliseconds(400)
    /// How long readers have to take what was found before more of it is asked for.
    private static let breath = Duration.milliseconds(50)

    private let database: Database
    private let group: EventLoopGroup
    private let kinds: [RoadKind]
    private let board = Locked(RoadBoard())
    private let waiting: LoopLocal<Waiting<ID>>
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// Begins. `failed` is told of failures.
    package init(
        _ database: Database, on group: EventLoopGroup, withRadars: Bool,
        failed: @escaping @Sendable (any Error) -> Void
    ) async throws {
        (self.database, self.group) = (database, group)
        kinds = RoadKind.all(withRadars: withRadars)
        waiting = try await LoopLocal(group) { Waiting<ID>(on: $0) }
        task.withLock { $0 = Task(executorPreference: group.loops[0]) { await self.follow(failed) } }
    }

    private func follow(_ failed: @escaping @Sendable (any Error) -> Void) async {
        await group.loops[0].repeating(every: Self.pause, failed: failed) { [self] in try await tell() }
    }

    /// Notes what is new, as it was announced.
    package func note(_ announced: String) { board.withLock { $0.note(announced) } }

    /// Ends all listening, now and from now on.
    package func stop() async {
        task.withLock { $0 }?.cancel()
        await waiting.onEach { $0.stop() }
    }

    private func tell() async throws {
        while let due = board.withLock({ $0.due() }) {
            let woken: Set<ID>
            do {
                let found = try await database.run(
                    FindRoadHearers(couriers: due.couriers, reports: due.reports, kinds: kinds))
                woken = board.withLock { $0.take(found) }
            } catch {
                board.withLock { $0.askAgain(due.reports) }
                throw error
            }
            if woken.isEmpty { continue }
            await waiting.onEach { $0.wake(woken) }
            try await group.loops[0].sleep(for: Self.breath)
        }
    }

    // MARK: Listening

    package func begin(_ courier: ID) -> (listener: Listener<ID>, place: Int) {
        guard let waiting = waiting.current else { preconditionFailure("couriers listen on the loops") }
        return (waiting.listen(to: courier), board.withLock { $0.begin(courier) })
    }

    package func end(_ listener: Listener<ID>, of courier: ID) {
        listener.close()
        board.withLock { $0.end(courier) }
    }

    package func news(for courier: ID, after place: inout Int) -> [UInt8] {
        let news = board.withLock { [place] in $0.news(for: courier, after: place) }
        place = news.place
        return news.lines
    }
}
