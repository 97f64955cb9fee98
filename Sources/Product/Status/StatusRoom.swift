import API
import HTTP
import Postgres

/// The calls for operators: whether Kurir lives, whether it can work, and its figures.
package struct StatusRoom: Room {
    private let database: Database
    private let wanted: (migration: Int, functions: Int)
    private let metrics: @Sendable () async -> String

    /// The database must have `newestMigration` and `functionsRevision`. `metrics` writes the figures for Prometheus.
    package init(
        database: Database, newestMigration: Int, functionsRevision: Int,
        metrics: @escaping @Sendable () async -> String
    ) {
        self.database = database
        wanted = (newestMigration, functionsRevision)
        self.metrics = metrics
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/healthz", for: .anyone, "Whether the process lives", room: "Status", answers: [Self.fine])
            { _ in
                Self.status("ok")
            },
            // The caller wants to know now, so an answer that does not come in time counts as an answer, too.
            Endpoint(
                .get, "/readyz", for: .anyone, "Whether requests can be served", room: "Status", answers: [Self.fine],
                refuses: [Self.notMigrated], deadline: .seconds(2)
            ) { _ in
                try await readiness()
            },
            Endpoint(
                .get, "/metrics", for: .anyone, "The figures, for Prometheus", room: "Status",
                answers: [.text(Self.prometheus, "The text format, version 0.0.4.")]
            ) { _ in
                Response(.ok, body: .bytes(Array(await metrics().utf8), type: Self.prometheus))
            },
        ]
    }

    private static let prometheus = "text/plain; version=0.0.4"
    private static let fine = Endpoint.Answer.ok(.object("Health", [.init("status", .string())]), "Yes.")

    private func readiness() async throws -> Response {
        do {
            guard let has = try await database.run(SchemaState()).first, let migration = has.migration,
                let functions = has.functions, migration >= wanted.migration, functions >= wanted.functions
            else { throw Self.notMigrated }
            return Self.status("ready")
        } catch PostgresError.refused(let refusal) where refusal.state == .undefinedTable {
            throw Self.notMigrated
        }
    }

    private static let notMigrated = Problem(
        .unavailable, "unavailable", wording: "not_migrated", headers: [Response.Header("Retry-After", "5")])

    private static func status(_ status: String) -> Response {
        var json = JSONWriter()
        json.object { $0.field("status", status) }
        return .json(json.bytes)
    }
}
