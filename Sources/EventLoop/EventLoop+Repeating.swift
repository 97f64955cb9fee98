extension EventLoop {
    /// Does work again and again, with a pause between, until the task is cancelled.
    ///
    /// `failed` is told of the first failure, and of the next one only after the work has succeeded again: what lasts for an
    /// hour is one line in the log.
    public nonisolated(nonsending) func repeating(
        every pause: Duration, failed: (any Error) -> Void, _ work: nonisolated(nonsending) () async throws -> Void
    ) async {
        var hasFailed = false
        while !Task.isCancelled {
            do {
                try await work()
                hasFailed = false
            } catch {
                if !hasFailed, !(error is CancellationError) { failed(error) }
                hasFailed = true
            }
            try? await sleep(for: pause)
        }
    }
}
