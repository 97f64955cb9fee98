import EventLoop
import Postgres
import Synchronization

/// Gives committed events their places in the feeds, soon after each commit.
///
/// Every node does that: at once for its own commits, and now and then for those that others left. The database lets
/// one at a time do it, so that no node need be chosen, and none is missed.
package final class EventNumbering: Sendable {
    /// How long events of a node that died may wait for their numbers.
    private static let pause = Duration.milliseconds(100)
    /// The pause between two rounds, so that events that come together are numbered together.
    private static let shortPause = Duration.milliseconds(15)
    /// How many events a round numbers at most.
    private static let most: Int32 = 4000

    private let database: Database
    private let loop: EventLoop
    private let bell: LoopBound<NumberingBell>
    /// Whether the bell has rung since the last round began. It rings once for all who commit until the next.
    private let isRung = Atomic(false)
    private let failed: @Sendable (any Error) -> Void
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// Begins. `database` is a connection for this alone; `failed` is told of failures.
    package init(_ database: Database, on loop: EventLoop, failed: @escaping @Sendable (any Error) -> Void) async {
        self.database = database
        self.loop = loop
        self.failed = failed
        bell = await loop.run { LoopBound(NumberingBell(on: loop), to: loop) }
        task.withLock { $0 = Task(executorPreference: loop) { await self.follow() } }
    }

    /// Tells that something was committed on this node.
    package func ring() {
        guard !isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [bell] in bell.value.ring() }
    }

    package func stop() {
        task.withLock { $0 }?.cancel()
    }

    private func follow() async {
        // The same failure is told once in a row.
        var told: String?
        while !Task.isCancelled {
            let began = Instant.now
            isRung.store(false, ordering: .sequentiallyConsistent)
            do {
                if try await hasMore() { bell.value.ring() }
                told = nil
            } catch {
                if told != "\(error)", !(error is CancellationError) { failed(error) }
                told = "\(error)"
            }
            let cost = Duration.nanoseconds(Instant.now.nanoseconds(since: began))
            await bell.value.rest(atLeast: max(Self.shortPause, cost * 2), atMost: Self.pause)
        }
    }

    /// Numbers what is there, and says whether there may be more.
    private func hasMore() async throws -> Bool {
        guard let answer = try await database.run(NumberEvents(most: Self.most)).first else { return false }
        // The node that is at it may have begun before the commit for which the bell rang.
        return answer ?? true
    }
}

/// A task sleeps by it until it rings.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class NumberingBell: @unchecked Sendable {
    private let loop: EventLoop
    private var hasRung = false
    private var promise: Promise<Void>?

    init(on loop: EventLoop) { self.loop = loop }

    func ring() {
        hasRung = true
        promise?.fulfil(.success(()))
    }

    /// Sleeps a little in any case, and then until it rings.
    func rest(atLeast least: Duration, atMost most: Duration) async {
        try? await loop.sleep(for: least)
        if !hasRung, least < most {
            let promise = Promise<Void>(on: loop)
            self.promise = promise
            let timer = loop.schedule(after: most - least) { promise.fulfil(.success(())) }
            try? await promise.value()
            timer.cancel()
        }
        hasRung = false
    }
}
