extension Result where Failure == any Error {
    /// What became of `body`, for a test that has to tidy up in any case.
    package init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
