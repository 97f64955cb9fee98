import EventLoop
import Synchronization

/// Hears what is announced in the database (`NOTIFY`), on a connection of its own, and knows how sure that is.
///
/// A connection that broke may have missed something, and one that is cut says nothing at all. So whoever remembers
/// something only as long as nobody announced otherwise asks ``mark``: it is there while the ear has just proven, by an
/// answer of the database, that it has heard whatever was announced until then.
public final class Ear: Sendable {
    /// For how long an answer of the database proves that nothing was missed.
    static let trust = Duration.milliseconds(80)
    private static let pause = Duration.milliseconds(20)
    private static let longPause = Duration.milliseconds(100)

    private let database: Database
    private let loop: EventLoop
    private let state: State
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    private final class State: Sendable {
        /// Up to when the newest proof reaches, in nanoseconds.
        let trustedUntil = Atomic<Int64>(0)
        /// Up to when somebody wants proofs.
        let wantedUntil = Atomic<Int64>(0)
        /// Counts connections: what was remembered over one is worth nothing over the next.
        let connections = Atomic<Int>(0)
        let isDeaf = Atomic<Bool>(true)
    }

    /// Begins to hear, on the group's first loop. `heard` gets each announcement with its channel; `changed` is called
    /// whenever it goes deaf, and whenever it hears again after something may have been missed.
    public init(
        url: String, group: EventLoopGroup, channels: [String],
        observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
        heard: @escaping @Sendable (_ text: String, _ channel: String) -> Void,
        changed: @escaping @Sendable () -> Void
    ) async throws {
        let state = State()
        var limits = DatabaseLimits()
        (limits.statementTimeout, limits.answerGrace) = (.seconds(1), .seconds(1))
        let hearing = Hearing(channels: channels, heard: heard) {
            state.connections.add(1, ordering: .sequentiallyConsistent)
            state.isDeaf.store(false, ordering: .sequentiallyConsistent)
            changed()
        } ended: {
            state.isDeaf.store(true, ordering: .sequentiallyConsistent)
            state.trustedUntil.store(0, ordering: .sequentiallyConsistent)
            changed()
        }
        database = try await Database(
            url: url, group: group.first, poolSize: 1, limits: limits, hearing: hearing, observe: observe)
        loop = group.loops[0]
        self.state = state
        task.withLock { $0 = Task(executorPreference: loop) { [self] in await prove() } }
    }

    /// The connection over which nothing was missed so far; nil while that is not sure. Asking keeps it sure.
    public var mark: Int? {
        let now = Instant.now.nanoseconds
        state.wantedUntil.store(now + 1_000_000_000, ordering: .relaxed)
        guard now < state.trustedUntil.load(ordering: .sequentiallyConsistent) else { return nil }
        return state.connections.load(ordering: .sequentiallyConsistent)
    }

    /// Whether there is no connection at the moment.
    public var isDeaf: Bool { state.isDeaf.load(ordering: .sequentiallyConsistent) }

    /// Ends hearing.
    public func stop() async {
        task.withLock { $0 }?.cancel()
        await database.stop(within: .zero)
    }

    /// Asks the database for a sign of life again and again, as long as somebody wants to know.
    private func prove() async {
        while !Task.isCancelled {
            let isWanted = Instant.now.nanoseconds < state.wantedUntil.load(ordering: .relaxed)
            if isWanted { await proveOnce() }
            try? await loop.sleep(for: isWanted ? Self.pause : Self.longPause)
        }
    }

    private func proveOnce() async {
        let (asked, connection) = (Instant.now, state.connections.load(ordering: .sequentiallyConsistent))
        guard (try? await database.run(SignOfLife())) != nil, !isDeaf,
            connection == state.connections.load(ordering: .sequentiallyConsistent)
        else { return }
        state.trustedUntil.store((asked + Self.trust).nanoseconds, ordering: .sequentiallyConsistent)
    }
}

/// Has the database answer: what was announced before comes before the answer.
private struct SignOfLife: Statement {
    static let sql = "SELECT"
    static let isReadOnly = true
}

/// What the connections of a pool listen to, and who is told.
struct Hearing: Sendable {
    let channels: [String]
    let heard: @Sendable (_ text: String, _ channel: String) -> Void
    /// It hears from now on.
    let began: @Sendable () -> Void
    /// It hears no more.
    let ended: @Sendable () -> Void
}
