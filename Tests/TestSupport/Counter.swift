import EventLoop

/// Numbers for names that must differ.
package final class Counter: Sendable {
    private let last = Locked(0)

    package init() {}

    package func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
