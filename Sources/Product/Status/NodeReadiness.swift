import EventLoop
import Postgres

/// Whether this node can serve: the database answers, its schema is what this binary needs, and nobody asked to stop.
package final class NodeReadiness: Sendable {
    private let database: Database
    private let wanted: (migration: Int, functions: Int)
    private let isLeaving = Locked(false)

    /// The database must have `newestMigration` and `functionsRevision`.
    package init(database: Database, newestMigration: Int, functionsRevision: Int) {
        self.database = database
        wanted = (newestMigration, functionsRevision)
    }

    /// From now on the node is not ready, so that whoever spreads requests over nodes leaves it out.
    package func leave() { isLeaving.withLock { $0 = true } }

    /// How ready the node is. Whoever asks wants to know now, so a database that is silent for a second counts as away.
    package func report() async -> Report {
        var report = Report(
            isLeaving: isLeaving.withLock { $0 }, database: "away", migration: nil, functions: nil, wanted: wanted)
        do {
            let has = try await database.run(SchemaState(), within: .seconds(1)).first
            (report.migration, report.functions) = (has?.migration.map(Int.init), has?.functions.map(Int.init))
            report.database = report.isUpToDate ? "ready" : "outdated"
        } catch PostgresError.refused(let refusal) where refusal.state == .undefinedTable {
            report.database = "outdated"
        } catch {}
        return report
    }

    /// What an operator wants to know of it.
    package struct Report: Sendable {
        let isLeaving: Bool
        /// `ready`, `outdated` or `away`.
        var database: String
        var migration, functions: Int?
        let wanted: (migration: Int, functions: Int)

        fileprivate var isUpToDate: Bool {
            (migration ?? 0) >= wanted.migration && (functions ?? 0) >= wanted.functions
        }

        /// Whether requests can be served.
        package var isReady: Bool { !isLeaving && database == "ready" }
    }
}
