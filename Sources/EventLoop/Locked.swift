import Glibc

/// A value that threads share, one at a time, and a bell that wakes those who wait for it to change.
///
/// It replaces `Synchronization.Mutex`, which does not support waiting, and whose locking the thread sanitizer cannot
/// see. Unchecked, because the system's mutex guards every access.
public final class Locked<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let bell = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Puts a value under lock.
    public init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(bell, nil)
    }

    deinit {
        pthread_cond_destroy(bell)
        pthread_mutex_destroy(mutex)
        bell.deallocate()
        mutex.deallocate()
    }

    /// Looks at the value, or changes it, while nobody else does.
    public func withLock<Answer>(_ body: (inout Value) throws -> Answer) rethrows -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits until `take` gives something. It is called again after each ``wake()``.
    package func wait<Answer>(for take: (inout Value) -> Answer?) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = take(&value) { return answer }
            pthread_cond_wait(bell, mutex)
        }
    }

    /// Lets those who wait look again.
    package func wake() {
        pthread_cond_broadcast(bell)
    }
}
