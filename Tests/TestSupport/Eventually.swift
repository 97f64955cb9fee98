/// Waits for something that sends no event, for half a minute at the most, or as long as is said.
public func eventually(within bound: Duration = .seconds(30), _ condition: () async throws -> Bool) async throws {
    struct NeverCame: Error {}
    let end = ContinuousClock.now + bound
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NeverCame()
}
