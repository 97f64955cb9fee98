import Synchronization

/// Numbers for names that must differ.
final class Counter: Sendable {
    private let last = Atomic(0)

    func next() -> Int {
        last.add(1, ordering: .relaxed).newValue
    }
}
