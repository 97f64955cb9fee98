import API
import Domain
import EventLoop
import Postgres

/// Tells couriers who listen on this node what is new on the road near them.
///
/// The database announces what is new. A few times a second the node asks once which of that is near whom: where nobody listens,
/// nothing is asked.
package final class RoadTail: Sendable {
    /// Where new reports are announced, by ids one behind the other.
    package static let channel = "kurir_roads"
    private static let pause = Duration.milliseconds(400)

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
            do {
                let found = try await database.run(
                    FindRoadHearers(couriers: due.couriers, reports: due.reports, kinds: kinds))
                let woken = board.withLock { $0.take(found) }
                if !woken.isEmpty { await waiting.onEach { $0.wake(woken) } }
            } catch {
                board.withLock { $0.askAgain(due.reports) }
                throw error
            }
        }
    }

    // MARK: Listening

    /// A courier who listens on this loop, from that place on.
    struct Ear {
        let courier: ID
        let listener: Listener<ID>
        let place: Int
    }

    func begin(_ courier: ID) -> Ear {
        guard let waiting = waiting.current else { preconditionFailure("couriers listen on the loops") }
        return Ear(
            courier: courier, listener: waiting.listen(to: courier), place: board.withLock { $0.begin(courier) })
    }

    func end(_ ear: Ear) {
        ear.listener.close()
        board.withLock { $0.end(ear.courier) }
    }

    /// The events for a courier behind a place, and the place behind them.
    func news(for courier: ID, after place: Int) -> (lines: [UInt8], place: Int) {
        board.withLock { $0.news(for: courier, after: place) }
    }
}
