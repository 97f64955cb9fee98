import EventLoop

/// Lets only so many in at once, since each takes connections and threads, of which the machine has a limited number.
package final class Turnstile: Sendable {
    private let state: Locked<State>

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    package init(_ places: Int) {
        state = Locked(State(free: places))
    }

    /// Does something once there is room for it.
    package func pass<Answer>(_ body: () async throws -> Answer) async rethrows -> Answer {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
