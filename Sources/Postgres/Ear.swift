import EventLoop
import Synchronization

/// Hears announcements in the database (`NOTIFY`), on a connection of its own, and knows whether it may have missed
/// any.
///
/// A broken connection may have missed something, and one that is cut says nothing at all. So a cache that is valid
/// until an announcement asks for ``mark``, which is there only while an answer of the database has just proven that
/// all announcements were heard.
public final class Ear: Sendable {
    /// How long an answer of the database proves that nothing was missed.
    static let trust = Duration.milliseconds(80)
    private static let pause = Duration.milliseconds(20)
    private static let longPause = Duration.milliseconds(100)
    private static let silence = Duration.seconds(15)

    private let database: Database
    private let loop: EventLoop
    private let state: State
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    private final class State: Sendable {
        /// The time until which the latest proof is good, in nanoseconds.
        let trustedUntil = Atomic<Int64>(0)
        /// The time until which somebody wants proofs.
        let wantedUntil = Atomic<Int64>(0)
        /// Counts connections. Values cached under one are invalid under the next.
        let connections = Atomic<Int>(0)
        let isDeaf = Atomic<Bool>(true)
    }

    /// Begins to hear, on the group's first loop. Each of its sessions begins with the commands of `opening`. `heard` gets
    /// each announcement with its channel. `changed` is called whenever it goes deaf, and when it hears again after it may
    /// have missed something: it says which.
    public init(
        url: String, group: EventLoopGroup, opening: [String] = [], channels: [String],
        observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
        heard: @escaping @Sendable (_ text: String, _ channel: String) -> Void,
        changed: @escaping @Sendable (_ hears: Bool) -> Void
    ) async throws {
        let state = State()
        var limits = DatabaseLimits()
        (limits.statementTimeout, limits.answerGrace) = (.seconds(1), .seconds(1))
        let hearing = Hearing(
            opening: ["SET idle_session_timeout = '\(Self.silence.components.seconds)s'"] + opening, channels: channels,
            heard: heard
        ) {
            state.connections.add(1, ordering: .sequentiallyConsistent)
            state.isDeaf.store(false, ordering: .sequentiallyConsistent)
            changed(true)
        } ended: {
            state.isDeaf.store(true, ordering: .sequentiallyConsistent)
            state.trustedUntil.store(0, ordering: .sequentiallyConsistent)
            changed(false)
        }
        database = try await Database(
            url: url, group: group.first, poolSize: 1, limits: limits, hearing: hearing, observe: observe)
        loop = group.loops[0]
        self.state = state
        task.withLock { $0 = Task(executorPreference: loop) { [self] in await prove() } }
    }

    /// The connection that has missed nothing so far; nil while that is not certain. Asking has it proven for a while.
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

    /// Asks the database for a sign of life again and again while somebody wants proofs, and else now and then: a database that hears
    /// nothing for ``silence`` ends the session, as of a node that hangs, or that no way leads to any more.
    private func prove() async {
        var proven = Instant.now
        while !Task.isCancelled {
            let isWanted = Instant.now.nanoseconds < state.wantedUntil.load(ordering: .relaxed)
            if isWanted || Instant.now >= proven + Self.silence / 5 {
                await proveOnce()
                proven = .now
            }
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

/// The database answers this after everything that was announced before.
private struct SignOfLife: Statement {
    static let sql = "SELECT"
    static let isReadOnly = true
}

/// The channels that the connections of a pool listen to, and the callbacks.
struct Hearing: Sendable {
    /// The commands that each session begins with.
    let opening: [String]
    let channels: [String]
    let heard: @Sendable (_ text: String, _ channel: String) -> Void
    /// Called when it begins to hear.
    let began: @Sendable () -> Void
    /// Called when it no longer hears.
    let ended: @Sendable () -> Void
}
