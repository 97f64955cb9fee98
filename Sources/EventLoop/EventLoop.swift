import CLinux
import Glibc

/// One thread that waits on epoll and runs everything that belongs to it: files, timers and Swift tasks.
///
/// A task that prefers this loop as its executor runs on the loop's thread and nowhere else, so what
/// belongs to a loop needs no lock. Everything but ``execute(_:)``, ``enqueue(_:)`` and ``stop()`` is to be
/// called on the loop's own thread.
///
/// Unchecked, because only the loop's thread touches the stored state; the inbox, which others write, is locked.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The loop's place in its group, from zero.
    public let index: Int

    /// The time at which this turn began: exact enough for deadlines, and free.
    public internal(set) var now = Instant.now

    /// How long turns took, for the metrics.
    public private(set) var turns = TurnStatistics()

    let epoll: Int32
    var files: [FileSlot] = []
    var freeFiles: [Int] = []
    var timers = TimerHeap()

    private let wakeUp: Int32
    private let inbox = Locked(Inbox())
    private var ready: [UnownedJob] = []
    private var flushes: [any TurnEnd] = []
    private var stopping = false

    /// The work that other threads have left for this loop.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var works: [@Sendable () -> Void] = []
        var asleep = false
        var isEmpty: Bool { jobs.isEmpty && works.isEmpty }
    }

    init(index: Int) throws {
        self.index = index
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, wakeUp >= 0 else { throw SystemError("epoll") }
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: .max))
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
    }

    deinit {
        close(epoll)
        close(wakeUp)
    }

    /// The loop whose thread this is, if any.
    public static var current: EventLoop? {
        clinux_thread_value().map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether this is the loop's own thread.
    public var isCurrent: Bool {
        clinux_thread_value() == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: Work

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            deliver { $0.jobs.append(job) }
        }
    }

    /// Runs `work` on the loop's thread: at once when this is it, soon otherwise.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            work()
        } else {
            deliver { $0.works.append(work) }
        }
    }

    /// Calls `flush` once at the end of this turn, so that its output leaves in one system call.
    public func atEndOfTurn(_ flush: any TurnEnd) {
        flushes.append(flush)
    }

    private func deliver(_ leave: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            leave(&inbox)
            defer { inbox.asleep = false }
            return inbox.asleep
        }
        if mustWake { eventfd_write(wakeUp, 1) }
    }

    // MARK: Turns

    /// Turns until ``stop()``.
    func run() {
        clinux_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
        clinux_be_prompt()
        defer { clinux_set_thread_value(nil) }
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !stopping || !ready.isEmpty || !flushes.isEmpty {
            let count = events.withUnsafeMutableBufferPointer { wait(for: $0) }
            now = .now
            let began = now
            for place in 0..<count { deliver(events[place]) }
            takeInbox()
            for timer in timers.takeDue(now) { timer.fire() }
            runReady()
            endTurn()
            now = .now
            turns.add(nanoseconds: now.nanoseconds(since: began))
        }
    }

    /// Ends the loop after the turn under way; jobs that are ready still run.
    func stop() {
        execute { self.stopping = true }
    }

    private func wait(for events: UnsafeMutableBufferPointer<epoll_event>) -> Int {
        let mustNotSleep = inbox.withLock { inbox in
            inbox.asleep = inbox.isEmpty && ready.isEmpty && flushes.isEmpty
            return !inbox.asleep
        }
        let timeout = mustNotSleep ? 0 : timers.millisecondsToNext(from: now)
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout)
        return max(0, Int(count))
    }

    private func deliver(_ event: epoll_event) {
        guard event.data.u64 != .max else {
            var value: eventfd_t = 0
            eventfd_read(wakeUp, &value)
            return
        }
        deliver(FileReadiness(rawValue: event.events), to: FileToken(rawValue: event.data.u64))
    }

    private func takeInbox() {
        let taken = inbox.withLock { inbox in
            inbox.asleep = false
            guard !inbox.isEmpty else { return Inbox() }
            defer {
                inbox.jobs.removeAll()
                inbox.works.removeAll()
            }
            return inbox
        }
        ready.append(contentsOf: taken.jobs)
        for work in taken.works { work() }
    }

    /// Runs what is ready and what that makes ready. It stops after a while, because files and timers need their turn.
    private func runReady() {
        var next = 0
        let bound = 4096
        while next < ready.count, next < bound {
            ready[next].runSynchronously(on: asUnownedTaskExecutor())
            next += 1
        }
        if next == ready.count {
            ready.removeAll(keepingCapacity: true)
        } else {
            ready.removeFirst(next)
        }
    }

    /// Objects that register again meanwhile wait for the end of the next turn, or they could starve the rest.
    private func endTurn() {
        let count = flushes.count
        for place in 0..<count { flushes[place].turnEnded() }
        flushes.removeFirst(count)
    }
}

/// Something that gathers output during a turn of the loop and releases it at the end.
public protocol TurnEnd: AnyObject {
    /// Called once, at the end of the turn in which ``EventLoop/atEndOfTurn(_:)`` was called.
    func turnEnded()
}

/// How many turns a loop made and how long they took, which is how long other work may have had to wait.
public struct TurnStatistics: Sendable {
    /// Upper bounds of the buckets, in nanoseconds; one more bucket holds what was longer.
    public static let bounds: [Int64] = [100_000, 1_000_000, 5_000_000, 25_000_000, 100_000_000, 500_000_000]
    /// Turns by bucket, not cumulative.
    public private(set) var buckets = [Int](repeating: 0, count: bounds.count + 1)
    /// Time spent in turns.
    public private(set) var totalNanoseconds: Int64 = 0

    mutating func add(nanoseconds: Int64) {
        totalNanoseconds += nanoseconds
        let place = Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
        buckets[place] += 1
    }
}

/// A failed system call: what it was for and what the system said.
public struct SystemError: Error, CustomStringConvertible {
    /// The number of the error.
    public let number: Int32
    /// What was tried.
    public let attempt: String

    /// The error that the last system call of this thread left behind.
    public init(_ attempt: String, number: Int32 = errno) {
        self.attempt = attempt
        self.number = number
    }

    public var description: String {
        "\(attempt): \(String(cString: strerror(number)))"
    }
}
