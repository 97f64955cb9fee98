/// Waits for something that sends no event, for half a minute at the most.
public func eventually(_ condition: () async throws -> Bool) async throws {
    struct NeverCame: Error {}
    for _ in 0..<3_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NeverCame()
}
