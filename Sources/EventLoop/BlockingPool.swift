import Glibc

/// A few threads for work that blocks or burns a core for long, with a bound on what may wait for them, and a fair line.
public final class BlockingPool: Sendable {
    /// The queue is full. Try again later.
    public struct Full: Error {}

    private let queue: WorkQueue
    private let threads: [Thread]

    /// The priority of the threads within the process.
    public enum Priority: Sendable {
        case usual
        /// The threads give way to others, because their work burns a core. They do not give way wholly: on a busy
        /// machine they could then hold a lock for long without running.
        case background
    }

    /// A pool of `threads`, for which at most `waiting` pieces of work may queue.
    public init(name: String, threads: Int, waiting: Int, priority: Priority = .usual) throws {
        let queue = WorkQueue(bound: waiting)
        self.queue = queue
        self.threads = try (0..<threads).map { number in
            try Thread(name: "\(name)-\(number)") {
                // On Linux each thread has a nice value of its own, and 0 stands for the calling thread.
                if priority == .background { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
                while let work = queue.take() { work() }
            }
        }
    }

    /// Runs `work` on a thread of the pool; the calling task waits without blocking its own thread.
    ///
    /// Work of several owners is done in turn, so that nobody waits behind all that somebody else wants.
    ///
    /// Throws ``Full`` when too much waits already. Work that still waits when its task is cancelled is dropped; work
    /// under way is finished, and its result dropped.
    public func run<Answer: Sendable>(
        for owner: any Hashable & Sendable = 0, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await Slot.wait { slot in
            let accepted = queue.put(for: owner) {
                guard slot.isAwaited else { return }
                slot.finish(Result { try work() })
            }
            if !accepted { slot.finish(.failure(Full())) }
        }
    }

    /// Leaves `work` to the pool without waiting for it; false when too much waits already.
    @discardableResult
    public func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        queue.put(for: 0, work)
    }

    /// How many pieces of work wait for a thread.
    public var waiting: Int { queue.count }

    /// Finishes the work that was accepted, and ends the threads.
    public func stop() {
        queue.close()
        for thread in threads { thread.join() }
    }
}

/// A bounded queue that threads wait on.
private final class WorkQueue: Sendable {
    private let bound: Int
    private let state = Locked(State())

    private struct State {
        var works = FairLine<AnyHashable, @Sendable () -> Void>()
        var isClosed = false
    }

    init(bound: Int) {
        self.bound = bound
    }

    var count: Int { state.withLock { $0.works.count } }

    func put(for owner: any Hashable, _ work: @escaping @Sendable () -> Void) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isClosed, state.works.count < bound else { return false }
            state.works.append(work, of: AnyHashable(owner))
            return true
        }
        if accepted { state.wake() }
        return accepted
    }

    /// The next piece of work; nil when the queue is closed and empty.
    func take() -> (@Sendable () -> Void)? {
        state.wait { state -> (@Sendable () -> Void)?? in
            if let work = state.works.next() { return work }
            return state.isClosed ? .some(nil) : nil
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wake()
    }
}
