import EventLoop

/// Tells a gateway, from any thread, that there may be messages.
public final class GatewayBell: Sendable {
    private struct State {
        var wake: (@Sendable () -> Void)?
        var hasRung = false
    }

    private let state: Locked<State> = Locked(State())

    /// A bell that nobody hears yet.
    public init() {}

    /// Wakes the gateway, unless it was told already and has not looked since.
    public func ring() {
        state.withLock { state in
            guard !state.hasRung else { return }
            state.hasRung = true
            state.wake?()
        }
    }

    func hang(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }
    func isStill() { state.withLock { $0.hasRung = false } }
    func takeDown() { state.withLock { $0.wake = nil } }
}
