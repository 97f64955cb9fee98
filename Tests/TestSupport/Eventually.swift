/// Waits for something that sends no event. Only a condition that never holds takes the whole time.
///
/// What takes long is asked for less and less often, since asking takes from what is waited for.
public func eventually(within bound: Duration = .seconds(300), _ condition: () async throws -> Bool) async throws {
    struct NeverCame: Error {}
    let began = ContinuousClock.now
    while ContinuousClock.now < began + bound {
        if try await condition() { return }
        let waited = ContinuousClock.now - began
        try await Task.sleep(for: min(max(waited / 8, .milliseconds(10)), .milliseconds(250)))
    }
    throw NeverCame()
}
