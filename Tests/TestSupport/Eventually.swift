/// Waits for something that sends no event. Only a condition that never holds takes the whole time.
public func eventually(within bound: Duration = .seconds(300), _ condition: () async throws -> Bool) async throws {
    struct NeverCame: Error {}
    let end = ContinuousClock.now + bound
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NeverCame()
}
