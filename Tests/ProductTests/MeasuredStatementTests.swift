import Foundation
import Postgres
import Product
import TestSupport
import Testing

/// What the bench has pgbench do is what the product does.
@Suite(.database) struct MeasuredStatementTests {
    /// Each parameter of each statement has what it takes, and nothing is left.
    @Test func `the database takes the scripts of the bench`() async throws {
        let measured = TemporaryDirectory.path("measured.json")
        try MeasuredStatements.json.write(toFile: measured, atomically: true, encoding: .utf8)
        let program = """
            import json, re, sys
            sys.path.insert(0, sys.argv[1])
            import deliveries
            for name, script in deliveries.scripts(json.load(open(sys.argv[2]))).items():
                lines = [line for line in script.splitlines() if not line.startswith("\\\\")]
                print(name, re.sub("(?<!:):[a-z]+", "1", " ".join(lines)))
            """
        let said = try await Python.run("python3", ["-c", program, Python.root + "/Tests/Bench", measured])
        let scripts = said.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        #expect(scripts.count == 7)
        let connection = try TestDatabase.current.connect()
        for script in scripts {
            #expect(throws: Never.self, "\(script[0])") { try connection.execute(script[1]) }
        }
    }
}
