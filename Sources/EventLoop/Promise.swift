/// A value that a task of this loop waits for and something else on the loop provides, once.
///
/// Waiting ends at once with a `CancellationError` when the task is cancelled. A value that comes later is dropped.
///
/// Unchecked, because all of it happens on the loop's thread, which is asserted.
public final class Promise<Value: Sendable>: @unchecked Sendable {
    private let loop: EventLoop
    private var state = State.empty

    private enum State {
        case empty
        case awaited(UnsafeContinuation<Value, any Error>)
        case kept(Result<Value, any Error>)
        case taken
    }

    /// A promise to a task on `loop`.
    public init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Whether nobody will take a value any more: there is one already, or the task was cancelled.
    public var isOver: Bool {
        switch state {
        case .empty, .awaited: false
        case .kept, .taken: true
        }
    }

    /// Provides the value; only the first call counts.
    public func fulfil(_ result: Result<Value, any Error>) {
        assert(loop.isCurrent)
        switch state {
        case .empty: state = .kept(result)
        case .awaited(let continuation):
            state = .taken
            continuation.resume(with: result)
        case .kept, .taken: break
        }
    }

    /// Waits for the value; to be called once.
    public func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                precondition(loop.isCurrent, "a promise is awaited on its own loop")
                switch state {
                case .empty: state = .awaited(continuation)
                case .kept(let result):
                    state = .taken
                    continuation.resume(with: result)
                case .awaited, .taken: preconditionFailure("a promise is awaited once")
                }
            }
        } onCancel: {
            loop.execute { self.fulfil(.failure(CancellationError())) }
        }
    }
}
