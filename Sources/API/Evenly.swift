import EventLoop

/// Does something and ends no sooner than after a fixed time, so that the time tells nothing of what was done.
package func evenly<Result: Sendable>(
    over time: Duration = .milliseconds(100), _ body: () async throws -> Result
) async throws -> Result {
    let end = Instant.now + time
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    let left = end.nanoseconds(since: .now)
    if left > 0 { try await EventLoop.current?.sleep(for: .nanoseconds(left)) }
    return try result.get()
}
