import API
import Deliveries
import People
import Crypto
import Domain
import EventLoop
import Postgres

/// Fills an empty database with stores, couriers and weeks of history, so that there is something to look at.
package struct Demo: Sendable {
    /// Somebody who can sign in.
    package struct Account: Sendable {
        /// The e-mail address or number to sign in with.
        package let login: String
        /// The name of the store or courier.
        package let name: String
        /// A store or a courier.
        package let kind: AccountKind
        /// Its id.
        let id: ID
    }

    /// Everybody's password.
    package static let password = "kurir vozi svaki dan"
    private static let weeks = 6

    private let database: Database
    private let hasher: PasswordHasher
    private let committer: Committer

    init(_ database: Database, _ hasher: PasswordHasher, _ committer: Committer) {
        self.database = database
        self.hasher = hasher
        self.committer = committer
    }

    /// Fills the database, and gives the accounts; nil if there were accounts already. `progress` is told of every
    /// fifth that is done.
    package func fill(
        seed: UInt64, on group: EventLoopGroup, progress: @escaping @Sendable (_ made: Int, _ of: Int) -> Void
    ) async throws -> [Account]? {
        try await Task(executorPreference: group.loops[0]) { try await fill(seed, progress) }.value
    }

    private func fill(_ seed: UInt64, _ progress: @Sendable (Int, Int) -> Void) async throws -> [Account]? {
        guard try await database.run(NobodyIsThere()).first == true else { return nil }
        var chance = Chance(seed: seed)
        let people = DemoPeople(&chance)
        let now = Timestamp.now
        let since = Timestamp(microseconds: now.microseconds - Int64(Self.weeks * 7 + 1) * 86_400_000_000)
        try await database.run(
            RegisterDemoPeople(people: people, passwordHash: try await hasher.hash(Self.password), since: since))
        let history = DemoHistory(of: people, weeks: Self.weeks, until: now, chance)
        try await commit(history.deliveries.flatMap(\.steps).sorted { $0.at < $1.at }, progress)
        return people.stores.map { Account(login: $0.email, name: $0.name, kind: .store, id: $0.id) }
            + people.couriers.map {
                Account(login: $0.phone, name: "\($0.firstName) \($0.lastName)", kind: .courier, id: $0.id)
            }
    }

    /// Commits the steps in the order of time, as many at once as concern different deliveries.
    private func commit(_ steps: [Commit], _ progress: @Sendable (Int, Int) -> Void) async throws {
        var rest = steps[...]
        while !rest.isEmpty {
            var deliveries: Set<ID> = []
            let together = rest.prefix(64).prefix { deliveries.insert($0.change.after.id).inserted }
            rest = rest.dropFirst(together.count)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for step in together { group.addTask { try await committer.commit(step) == .made } }
                for try await isMade in group where !isMade { throw PostgresError.unexpected("a step of the demo") }
            }
            let made = steps.count - rest.count
            if made * 5 / steps.count > (made - together.count) * 5 / steps.count { progress(made, steps.count) }
        }
    }
}
