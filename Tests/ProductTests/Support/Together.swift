import Postgres
import Testing

/// Does something many times at once, and gives all the answers.
func together<Answer: Sendable>(
    _ count: Int, _ body: @escaping @Sendable () async throws -> Answer
) async throws -> [Answer] {
    try await together(Array(0..<count)) { _ in try await body() }
}

/// Does something with all of these at once, and gives all the answers.
func together<Item: Sendable, Answer: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Answer
) async throws -> [Answer] {
    try await withThrowingTaskGroup(of: Answer.self) { group in
        for item in items { group.addTask { try await body(item) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension ServedProduct {
    /// Runs a race two hundred times, and expects everything to be consistent afterwards. Twenty are run at once, so that they also
    /// race for what they share: couriers, stores, and the committer's batches.
    func race(_ body: @escaping @Sendable () async throws -> Void) async throws {
        for _ in 0..<10 { _ = try await together(20, body) }
        try await expectConsistency()
    }
}

/// Expects the database to refuse by that constraint.
func expectRefusal(by constraint: String, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("nothing refused it")
    } catch PostgresError.refused(let error) {
        #expect(error.constraint == constraint)
    } catch {
        Issue.record("\(error)")
    }
}
