import Domain
import EventLoop
import Postgres

/// Follows all feeds on behalf of those who wait for one, and wakes them when there is something for them.
///
/// It asks the database now and then, which tells of other nodes' events too; what this node commits makes it ask at
/// once. It knows only that there is something: what it is, everybody reads from the database itself.
public final class FeedTail: Sendable {
    private let database: Database
    private let loop: EventLoop
    private let waiting: LoopLocal<Waiting>
    private let bell: LoopBound<Bell>
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// How long other nodes' events may go unnoticed.
    private static let pause = Duration.milliseconds(100)
    /// How soon it looks again while a transaction somewhere holds events back.
    private static let shortPause = Duration.milliseconds(5)

    init(_ database: Database, on group: EventLoopGroup) async throws {
        self.database = database
        loop = group.loops[0]
        waiting = try await LoopLocal(group) { Waiting(on: $0) }
        bell = await loop.run { [loop] in LoopBound(Bell(on: loop), to: loop) }
        task.withLock { $0 = Task(executorPreference: loop) { await self.follow() } }
    }

    /// Something was committed here.
    func ring() {
        loop.execute { [bell] in bell.value.ring() }
    }

    /// Waits until there may be something new in an account's feed since the last call of ``listen(to:)`` for it, the
    /// time is over, or everything ends.
    func wait(_ listener: Listener, atMost bound: Duration) async throws {
        try await listener.wait(atMost: bound)
    }

    /// Begins to listen to an account's feed on this loop.
    func listen(to account: ID) -> Listener {
        guard let waiting = waiting.current else { preconditionFailure("feeds are read on the loops") }
        ring()
        return waiting.listen(to: account)
    }

    /// Ends all waiting, now and from now on.
    func stop() async {
        task.withLock { $0 }?.cancel()
        await waiting.onEach { $0.stop() }
    }

    private func follow() async {
        var since: Int64?
        while !Task.isCancelled {
            let isAwaited = await waiting.onEach { !$0.isEmpty }.contains(true)
            var pause = Self.pause
            if !isAwaited {
                // Nobody listens: whoever comes next reads for itself first.
                since = nil
            } else if let new = try? await database.run(FindNewEvents(since: since ?? .max)).first {
                since = new.end
                if new.isHeldUp { pause = Self.shortPause }
                let accounts = new.accounts
                if !accounts.isEmpty { await waiting.onEach { $0.wake(accounts) } }
            }
            try? await bell.value.wait(atMost: pause)
        }
    }
}

/// Somebody who follows one account's feed, on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
final class Listener: @unchecked Sendable {
    let account: ID
    private let loop: EventLoop
    private weak var owner: Waiting?
    private var promise: Promise<Void>?
    private var isWoken = false

    fileprivate init(to account: ID, on loop: EventLoop, owner: Waiting) {
        self.account = account
        self.loop = loop
        self.owner = owner
    }

    /// Whether nothing will come any more because the server stops.
    var isOver: Bool { owner?.isStopped ?? true }

    func wait(atMost bound: Duration) async throws {
        defer { isWoken = false }
        guard !isWoken, !isOver else { return }
        let promise = Promise<Void>(on: loop)
        self.promise = promise
        let timer = loop.schedule(after: bound) { promise.fulfil(.success(())) }
        defer { timer.cancel() }
        try await promise.value()
    }

    fileprivate func wake() {
        isWoken = true
        promise?.fulfil(.success(()))
    }

    /// Ends listening.
    func close() {
        owner?.remove(self)
    }
}

/// Who listens on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Waiting: @unchecked Sendable {
    private let loop: EventLoop
    private var listeners: [ID: [ObjectIdentifier: Listener]] = [:]
    private(set) var isStopped = false

    init(on loop: EventLoop) { self.loop = loop }

    var isEmpty: Bool { listeners.isEmpty }

    func listen(to account: ID) -> Listener {
        let listener = Listener(to: account, on: loop, owner: self)
        listeners[account, default: [:]][ObjectIdentifier(listener)] = listener
        return listener
    }

    func remove(_ listener: Listener) {
        listeners[listener.account]?[ObjectIdentifier(listener)] = nil
        if listeners[listener.account]?.isEmpty == true { listeners[listener.account] = nil }
    }

    func wake(_ accounts: [ID]) {
        for account in accounts { listeners[account]?.values.forEach { $0.wake() } }
    }

    func stop() {
        isStopped = true
        for listener in listeners.values.flatMap(\.values) { listener.wake() }
    }
}

/// What the tail sleeps by, so that it can be woken.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Bell: @unchecked Sendable {
    private let loop: EventLoop
    private var promise: Promise<Void>?
    private var isRung = false

    init(on loop: EventLoop) { self.loop = loop }

    func ring() {
        isRung = true
        promise?.fulfil(.success(()))
    }

    func wait(atMost bound: Duration) async throws {
        defer { isRung = false }
        guard !isRung else { return }
        let promise = Promise<Void>(on: loop)
        self.promise = promise
        let timer = loop.schedule(after: bound) { promise.fulfil(.success(())) }
        defer { timer.cancel() }
        try await promise.value()
    }
}
