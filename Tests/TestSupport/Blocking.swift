import EventLoop

/// These threads never end, since the kernel stops a server when the thread that started it ends.
private let threads: BlockingPool = orDie { try BlockingPool(name: "test", threads: 8, waiting: 100_000) }

/// Runs blocking work without holding a thread that other tests need.
public func blocking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await threads.run(work)
}

/// Makes a value that tests cannot do without.
func orDie<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { fatalError("\(error)") }
}
