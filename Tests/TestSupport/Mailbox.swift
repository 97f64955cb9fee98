/// Values that anybody leaves and one task waits for, in order.
public struct Mailbox<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let entry: AsyncStream<Value>.Continuation

    /// An empty one.
    public init() {
        (stream, entry) = AsyncStream.makeStream()
    }

    /// Leaves a value.
    public func put(_ value: Value) {
        entry.yield(value)
    }

    /// Waits for the next value.
    public func next() async throws -> Value {
        for await value in stream { return value }
        throw CancellationError()
    }

    /// Waits for so many values.
    public func next(_ count: Int) async throws -> [Value] {
        var values: [Value] = []
        while values.count < count { values.append(try await next()) }
        return values
    }
}
