import EventLoop

/// Numbers for names that must differ.
final class Counter: Sendable {
    private let last = Locked(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
