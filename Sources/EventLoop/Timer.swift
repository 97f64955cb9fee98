/// An action that runs on the loop at a set time, unless it is cancelled before.
public final class Timer {
    fileprivate(set) var deadline: Instant
    private var action: (() -> Void)?

    init(deadline: Instant, action: @escaping () -> Void) {
        self.deadline = deadline
        self.action = action
    }

    /// Keeps the action from running.
    public func cancel() {
        action = nil
    }

    var isCancelled: Bool { action == nil }

    func fire() {
        let due = action
        action = nil
        due?()
    }
}

/// Timers by deadline: a binary heap, from which cancelled ones are swept when they are the majority.
struct TimerHeap {
    private(set) var timers: [Timer] = []
    private var insertionsUntilSweep = 64

    var next: Instant? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        insertionsUntilSweep -= 1
        if insertionsUntilSweep == 0 { sweep() }
        timers.append(timer)
        siftUp(timers.count - 1)
    }

    /// How long epoll may wait; -1 is for ever. It is rounded up, or the loop would spin through the last millisecond.
    func millisecondsToNext(from now: Instant) -> Int32 {
        guard let next else { return -1 }
        let wait = next.nanoseconds(since: now)
        guard wait > 0 else { return 0 }
        return Int32(min(60_000, (wait + 999_999) / 1_000_000))
    }

    /// Takes out all due timers. Timers that their actions add wait for the next turn, or they could starve the rest.
    mutating func takeDue(_ now: Instant) -> [Timer] {
        var due: [Timer] = []
        while let first = timers.first, first.deadline <= now { due.append(removeFirst(first)) }
        return due
    }

    private mutating func removeFirst(_ first: Timer) -> Timer {
        let last = timers.removeLast()
        if !timers.isEmpty {
            timers[0] = last
            siftDown(0)
        }
        return first
    }

    private mutating func sweep() {
        timers.removeAll { $0.isCancelled }
        for place in stride(from: timers.count / 2 - 1, through: 0, by: -1) { siftDown(place) }
        insertionsUntilSweep = max(64, timers.count)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            timers.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].deadline < timers[least].deadline { least = child }
            }
            guard least != parent else { return }
            timers.swapAt(parent, least)
            parent = least
        }
    }
}

extension EventLoop {
    /// Does `action` on this loop after `delay`, unless the timer is cancelled.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Timer {
        let timer = Timer(deadline: Instant.now + delay, action: action)
        timers.insert(timer)
        return timer
    }

    /// Suspends the task for a while; throws at once when it is cancelled.
    public func sleep(for delay: Duration) async throws {
        let promise = Promise<Void>(on: self)
        let timer = schedule(after: delay) { promise.fulfil(.success(())) }
        defer { timer.cancel() }
        try await promise.value()
    }
}
