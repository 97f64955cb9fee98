import API
import Deliveries
import People
import Crypto
import Domain
import EventLoop
import Postgres
import Simulation

/// Fills an empty database with stores, couriers and weeks of history, so that there is something to look at.
package struct Demo: Sendable {
    private static let weeks = 6
    /// The town of its people.
    package static let map = TownTiles.map

    private let database: Database
    private let hasher: PasswordHasher
    private let committer: Committer
    private let key: SigningKey

    init(_ database: Database, _ hasher: PasswordHasher, _ committer: Committer, key: SigningKey) {
        self.key = key
        self.database = database
        self.hasher = hasher
        self.committer = committer
    }

    /// Fills the database, and gives its people; nil if there were accounts already. `progress` is told of every
    /// fifth that is done.
    package func fill(
        seed: UInt64, on group: EventLoopGroup, progress: @escaping @Sendable (_ made: Int, _ of: Int) -> Void
    ) async throws -> Cast? {
        try await Task(executorPreference: group.loops[0]) { try await fill(seed, progress) }.value
    }

    private func fill(_ seed: UInt64, _ progress: @Sendable (Int, Int) -> Void) async throws -> Cast? {
        guard try await database.run(NobodyIsThere()).first == true else { return nil }
        var chance = Chance(seed: seed)
        let cast = Cast.ofDemo(&chance)
        let ids = Dictionary(
            uniqueKeysWithValues: cast.everybody.map {
                ($0, ID.version7(milliseconds: 1_700_000_000_000, random: (chance.next(), chance.next())))
            })
        let now = Timestamp.now
        let since = Timestamp(microseconds: now.microseconds - Int64(Self.weeks * 7 + 1) * 86_400_000_000)
        try await database.run(
            RegisterDemoPeople(
                cast: cast, ids: ids, passwordHash: try await hasher.hash(Cast.password), since: since))
        try await commit(
            DemoHistory(of: cast, ids, weeks: Self.weeks, until: now, chance, signedBy: key).steps, progress)
        return cast
    }

    /// Commits the steps in the order of time, as many at once as concern different deliveries.
    private func commit(_ steps: [Commit], _ progress: @Sendable (Int, Int) -> Void) async throws {
        var rest = steps[...]
        while !rest.isEmpty {
            var deliveries: Set<ID> = []
            let together = rest.prefix(64).prefix { deliveries.insert($0.change.after.id).inserted }
            rest = rest.dropFirst(together.count)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for step in together {
                    group.addTask {
                        if try await committer.commit(step) == .made { return true }
                        // Somebody looks at what is due among what is past already.
                        return try await committer.commit(step, patiently: true) == .made
                    }
                }
                for try await isMade in group where !isMade { throw PostgresError.unexpected("a step of the demo") }
            }
            let made = steps.count - rest.count
            if made * 5 / steps.count > (made - together.count) * 5 / steps.count { progress(made, steps.count) }
        }
    }
}
