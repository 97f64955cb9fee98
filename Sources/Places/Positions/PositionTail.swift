import API
import Domain
import EventLoop
import Feed
import Postgres

/// Tells those who watch couriers on this node where these are.
///
/// The database announces who has moved. A few times a second the node asks once where those are, and which stores see them: that is
/// decided anew each time, and costs as much as there is to tell, however many watch.
package final class PositionTail: NewsTail {
    /// Where it is announced who has moved, by ids one behind the other.
    package static let channel = "kurir_positions"
    /// Whoever watches is told of a move within a second, on every node.
    static let pause = Duration.milliseconds(400)

    private let database: Database
    private let group: EventLoopGroup
    private let board = Locked(PositionBoard())
    private let waiting: LoopLocal<Waiting<ID>>
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// Begins. `failed` is told of failures.
    package init(
        _ database: Database, on group: EventLoopGroup, failed: @escaping @Sendable (any Error) -> Void
    ) async throws {
        (self.database, self.group) = (database, group)
        waiting = try await LoopLocal(group) { Waiting<ID>(on: $0) }
        task.withLock { $0 = Task(executorPreference: group.loops[0]) { await self.follow(failed) } }
    }

    private func follow(_ failed: @escaping @Sendable (any Error) -> Void) async {
        await group.loops[0].repeating(every: Self.pause, failed: failed) { [self] in try await tell() }
    }

    /// Notes who has moved, as it was announced.
    package func note(_ announced: String) { board.withLock { $0.note(announced) } }

    /// Notes that announcements may have been missed. Whoever watches looks at everybody once more.
    package func doubt() {
        board.withLock { $0.doubtAll() }
        Task { await waiting.onEach { $0.wakeAll() } }
    }

    /// Ends all watching, now and from now on.
    package func stop() async {
        task.withLock { $0 }?.cancel()
        await waiting.onEach { $0.stop() }
    }

    private func tell() async throws {
        let now = Instant.now
        let due = board.withLock { $0.due(at: now) }
        guard !due.isEmpty else { return }
        do {
            let found = try await database.run(FindSeen(couriers: due))
            let woken = board.withLock { $0.take(found, of: due, at: now) }
            guard !woken.isEmpty else { return }
            await waiting.onEach { $0.wake(woken) }
        } catch {
            board.withLock { $0.askAgain(due) }
            throw error
        }
    }

    // MARK: Watching

    /// How far a store has been told.
    package struct Place: Sendable {
        /// Behind which event; nil at the beginning.
        fileprivate var serial: Int?
        /// How often announcements may have been missed when everybody was shown last.
        fileprivate var doubts: Int?
    }

    package func begin(_ store: ID) -> (listener: Listener<ID>, place: Place) {
        guard let waiting = waiting.current else { preconditionFailure("couriers are watched on the loops") }
        board.withLock { $0.begin(store) }
        return (waiting.listen(to: store), Place())
    }

    package func end(_ listener: Listener<ID>, of store: ID) {
        listener.close()
        board.withLock { $0.end(store) }
    }

    package func news(for store: ID, after place: inout Place) async throws -> [UInt8] {
        // At first, and whenever it may not have been heard who has moved.
        let (doubts, last) = board.withLock { ($0.doubts, $0.serial) }
        // Who begins is shown those whom it sees now, whatever those beside it were shown before.
        let (begins, start) = (place.serial == nil, place.serial ?? last)
        var seen: Set<ID> = []
        if place.doubts != doubts {
            place.doubts = doubts
            seen = try await showAll(to: store)
        }
        let news = board.withLock { [seen] in $0.news(for: store, after: start, and: begins ? seen : []) }
        place.serial = news.place
        return news.lines
    }

    /// Shows a store all whom it sees, and gives who these are.
    private func showAll(to store: ID) async throws -> Set<ID> {
        var (after, seen): (ID?, Set<ID>) = (nil, [])
        repeat {
            let found = Found(try await database.run(ListPositions(store: store, after: after, limit: 200)))
            let now = Instant.now
            board.withLock { board in for position in found.items { board.show(position, to: store, at: now) } }
            seen.formUnion(found.items.map(\.courier))
            after = found.items.count == 200 ? found.items.last?.courier : found.edge.flatMap { ID($0[0]) }
        } while after != nil
        return seen
    }
}
