/// A value that belongs to one loop. It may be passed around, but looked at only on that loop.
///
/// Unchecked, because the precondition keeps every access on one thread.
public struct LoopBound<Value>: @unchecked Sendable {
    /// The loop that owns the value.
    public let loop: EventLoop
    private let stored: Value

    /// Binds a value to the loop that may use it.
    public init(_ value: Value, to loop: EventLoop) {
        stored = value
        self.loop = loop
    }

    /// The value, on its loop.
    public var value: Value {
        precondition(loop.isCurrent, "touched from outside its loop")
        return stored
    }
}

/// One value for each loop of a group: state for the hot path that needs no lock.
public struct LoopLocal<Value>: Sendable {
    private let values: [LoopBound<Value>]

    /// Makes a value for each loop, on that loop.
    public init(_ group: EventLoopGroup, make: @escaping @Sendable (EventLoop) throws -> Value) async throws {
        values = try await group.onEachLoop { loop in LoopBound(try make(loop), to: loop) }
    }

    /// This loop's value; nil on a thread that is not one of the group's.
    public var current: Value? {
        guard let loop = EventLoop.current, loop.index < values.count, values[loop.index].loop === loop else {
            return nil
        }
        return values[loop.index].value
    }

    /// Calls `body` with every loop's value, each on its own loop and all at once, and collects the answers.
    @discardableResult
    public func onEach<Answer: Sendable>(
        _ body: @escaping @Sendable (Value) async throws -> Answer
    ) async rethrows -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for (index, bound) in values.enumerated() {
                group.addTask(executorPreference: bound.loop) { (index, try await body(bound.value)) }
            }
            var answers: [(Int, Answer)] = []
            for try await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension EventLoop {
    /// Runs `work` on this loop and gives the answer to a task on any thread.
    public func run<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async rethrows -> Answer {
        try await withTaskExecutorPreference(self) { try await work() }
    }

    /// The same for work that does not wait. The `async` form would run a plain function off the loop, because the
    /// compiler's bridge between the two forms does not know the loop.
    public func run<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async rethrows -> Answer {
        try await withTaskExecutorPreference(self) { try work() }
    }
}
