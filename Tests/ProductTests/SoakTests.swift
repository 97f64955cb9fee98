import Postgres
import TestSupport
import Testing

/// `make soak` says which tables may grow while it works, and which must not.
@Suite(.database) struct SoakTests {
    @Test func `the soak knows of each table whether it may grow`() async throws {
        let database = TestDatabase.current
        let tables = try await blocking {
            try database.connect().query(
                """
                SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
                    AND relnamespace = 'public'::regnamespace ORDER BY 1
                """)
        }
        let known = try await Python.run(
            "python", ["-c", "import soak; print(*sorted(soak.KEPT + soak.FLAT), sep='\\n')"],
            environment: ["PYTHONPATH": Python.root + "/Tests/Bench"]
        ).split(separator: "\n").map(String.init)
        #expect(!known.isEmpty && known == tables.compactMap { $0[0] })
    }
}
