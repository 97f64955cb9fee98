import EventLoop

/// Threads that never end: the kernel stops a server when the thread that started it does.
private let threads: BlockingPool = orDie { try BlockingPool(name: "test", threads: 8, waiting: 100_000) }

/// Does what blocks without holding a thread that other tests need.
public func blocking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await threads.run(work)
}

/// What a test cannot do without.
func orDie<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { fatalError("\(error)") }
}
