import Domain
import EventLoop
import Postgres

/// Follows the feeds of those who wait for one, and wakes them when there is something for them.
///
/// It asks the database now and then, which tells of other nodes' events too; for whom this node committed something it
/// asks at once. It knows only that there is something: what it is, everybody reads from the database itself.
public final class FeedTail: Sendable {
    private let database: Database
    private let loop: EventLoop
    private let waiting: LoopLocal<Waiting<ID>>
    private let bell: LoopBound<Bell>
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// How long other nodes' events may go unnoticed.
    private static let pause = Duration.milliseconds(100)
    /// How soon it looks again for what was committed here: a transaction elsewhere may hold it back for a moment.
    private static let shortPause = Duration.milliseconds(5)

    init(_ database: Database, on group: EventLoopGroup) async throws {
        self.database = database
        loop = group.loops[0]
        waiting = try await LoopLocal(group) { Waiting<ID>(on: $0) }
        bell = await loop.run { [loop] in LoopBound(Bell(on: loop), to: loop) }
        task.withLock { $0 = Task(executorPreference: loop) { await self.follow() } }
    }

    /// Something was committed here that these accounts read of.
    func ring(for accounts: Set<ID>) {
        loop.execute { [bell] in bell.value.ring(for: accounts) }
    }

    /// Begins to listen to an account's feed on this loop.
    func listen(to account: ID) -> Listener<ID> {
        guard let waiting = waiting.current else { preconditionFailure("feeds are read on the loops") }
        return waiting.listen(to: account)
    }

    /// Ends all waiting, now and from now on.
    func stop() async {
        task.withLock { $0 }?.cancel()
        await waiting.onEach { $0.stop() }
    }

    private func follow() async {
        // Where feeds ended when everybody was last looked after; nil while nobody listens.
        var since: Int64?
        var lastRound = Instant.now
        while !Task.isCancelled {
            let began = Instant.now
            let listening = Set(await waiting.onEach { $0.subjects }.joined())
            let hot = bell.value.take(among: listening)
            let isRound = since == nil || began >= lastRound + Self.pause
            if listening.isEmpty {
                since = nil
            } else if isRound || !hot.isEmpty {
                let asked = isRound ? listening : hot
                if let new = try? await database.run(FindNewEvents(since: since ?? .max, accounts: Array(asked))).first
                {
                    // Who came while nobody listened may have read before the first look.
                    let woken = since == nil ? listening : Set(new.accounts)
                    await waiting.onEach { $0.wake(woken) }
                    bell.value.ring(for: hot.subtracting(woken), soon: false)
                    if isRound { (since, lastRound) = (new.end, began) }
                }
            }
            let cost = Duration.nanoseconds(Instant.now.nanoseconds(since: began))
            await bell.value.rest(atLeast: max(Self.shortPause, cost * 4), atMost: Self.pause)
        }
    }
}

/// What the tail sleeps by, and who it is to look after when it wakes.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Bell: @unchecked Sendable {
    /// Accounts that have something new are found again by the next round: more than this need not be remembered.
    private static let most = 10_000

    private let loop: EventLoop
    private var hot: Set<ID> = []
    private var promise: Promise<Void>?

    init(on loop: EventLoop) { self.loop = loop }

    func ring(for accounts: Set<ID>, soon: Bool = true) {
        guard hot.count < Self.most else { return }
        hot.formUnion(accounts)
        if soon { promise?.fulfil(.success(())) }
    }

    func take(among listening: Set<ID>) -> Set<ID> {
        defer { hot = [] }
        return hot.intersection(listening)
    }

    /// Sleeps a little in any case, and then until it rings.
    func rest(atLeast least: Duration, atMost most: Duration) async {
        try? await loop.sleep(for: least)
        guard hot.isEmpty, least < most else { return }
        let promise = Promise<Void>(on: loop)
        self.promise = promise
        let timer = loop.schedule(after: most - least) { promise.fulfil(.success(())) }
        try? await promise.value()
        timer.cancel()
    }
}
