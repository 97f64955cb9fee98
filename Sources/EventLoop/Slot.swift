/// A task waits here for its work, which is answered once, from whichever thread comes first.
package final class Slot<Answer: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Answer, any Error>)
        case over
    }

    private let state = Locked(State.empty)

    /// Has the calling task wait for what `begin` gives to the slot; at once it stops waiting when it is cancelled.
    package static func wait(_ begin: @Sendable (Slot) -> Void) async throws -> Answer {
        let slot = Slot()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if slot.take(continuation) { begin(slot) }
            }
        } onCancel: {
            slot.finish(.failure(CancellationError()))
        }
    }

    /// False when the task was cancelled before it came to wait.
    private func take(_ continuation: CheckedContinuation<Answer, any Error>) -> Bool {
        let early: Bool = state.withLock { state in
            if case .over = state { return true }
            state = .awaited(continuation)
            return false
        }
        if early { continuation.resume(throwing: CancellationError()) }
        return !early
    }

    /// Whether the task still waits.
    package var isAwaited: Bool {
        state.withLock { state in
            if case .awaited = state { true } else { false }
        }
    }

    /// Gives the answer, or why there is none; only the first call counts.
    package func finish(_ result: Result<Answer, any Error>) {
        let continuation: CheckedContinuation<Answer, any Error>? = state.withLock { state in
            defer { state = .over }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
