import Postgres
import Testing

/// A database that one test has to itself.
public struct TestDatabase: Sendable {
    /// Its name.
    public let name: String
    /// The URL by which libpq reaches it.
    public let url: String
    private let connections: KeptConnections

    init(name: String, url: String) {
        (self.name, self.url) = (name, url)
        connections = KeptConnections(url: url)
    }

    /// The database of the test that runs.
    public static var current: TestDatabase {
        guard let task else { fatalError("a test that uses a database needs the trait .database") }
        return task
    }

    @TaskLocal fileprivate static var task: TestDatabase?

    /// Another, empty database while `body` runs.
    public static func withAnother<Answer: Sendable>(
        _ body: (TestDatabase) async throws -> Answer
    ) async throws -> Answer {
        let another = try await blocking { try TestCluster.shared.makeDatabase(migrated: false) }
        let result: Result<Answer, any Error>
        do { result = .success(try await body(another)) } catch { result = .failure(error) }
        try await blocking { try TestCluster.shared.drop(another) }
        return try result.get()
    }

    /// A connection to it, to prepare and to look from outside.
    public func connect() throws -> BlockingConnection {
        try BlockingConnection(url: url)
    }

    /// Runs one statement in a session that nothing is left of afterwards.
    public func query(_ statement: String) throws -> [[String?]] {
        try connections.use { try $0.query(statement) }
    }
}

/// Gives each test, and each case of one, a database of its own: made before it, dropped after it.
public struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    /// Each test of a suite gets its own database.
    public let isRecursive = true
    fileprivate let migrated: Bool

    /// Runs a test with its database.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let database = try await blocking { [migrated] in
            try TestCluster.shared.makeDatabase(migrated: migrated)
        }
        let result = await TestDatabase.$task.withValue(database) { await attempt(function) }
        try await blocking { try TestCluster.shared.drop(database) }
        try result.get()
    }

    private func attempt(_ function: @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await function()) } catch { return .failure(error) }
    }
}

extension Trait where Self == DatabaseTrait {
    /// A database with the product's schema.
    public static var database: Self { DatabaseTrait(migrated: true) }
    /// A database with nothing in it.
    public static var emptyDatabase: Self { DatabaseTrait(migrated: false) }
}
