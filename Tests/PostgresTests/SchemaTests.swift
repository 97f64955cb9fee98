import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@Suite struct SchemaTests {
    /// The files as they are on disk, beside this source.
    private var directory: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../sql/migrations").standardized
    }

    @Test func everyFileIsEmbeddedInOrder() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted()
        #expect(Schema.migrations.map(\.file) == files)
        for (file, sql) in Schema.migrations {
            #expect(try String(contentsOf: directory.appending(path: file), encoding: .utf8) == sql, "\(file)")
        }
    }

    @Test func filesAreNumberedFromOneWithoutGap() throws {
        #expect(try Migrator(.all).newest == Schema.migrations.count)
        for (place, migration) in Schema.migrations.enumerated() {
            #expect(migration.file.wholeMatch(of: /(\d{4})_[a-z0-9_]+\.sql/)?.1.drop { $0 == "0" } == "\(place + 1)")
        }
    }

    /// Else the migration and the record of it would not be one.
    @Test func noFileEndsItsTransaction() throws {
        for (file, sql) in Schema.migrations {
            let end = #/^\s*(COMMIT|ROLLBACK|ABORT|START TRANSACTION|BEGIN)( WORK| TRANSACTION)?\s*;/#
            #expect(sql.uppercased().split(separator: "\n").allSatisfy { $0.firstMatch(of: end) == nil }, "\(file)")
        }
    }

    @Test(.database) func historyRefusesToBeRewritten() throws {
        let database = try TestDatabase.current.connect()
        try database.execute(
            """
            CREATE TABLE steps (seq integer);
            CREATE TRIGGER never_rewritten BEFORE UPDATE OR DELETE OR TRUNCATE ON steps
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
            INSERT INTO steps VALUES (1)
            """)
        for change in ["UPDATE steps SET seq = 2", "DELETE FROM steps WHERE false", "TRUNCATE steps"] {
            let error = #expect(throws: PostgresError.self) { try database.execute(change) }
            guard case .refused(let refusal) = error else {
                Issue.record("\(change): \(String(describing: error))")
                continue
            }
            #expect(refusal.state == SQLState("23001"))
            #expect(refusal.constraint == "steps_never_rewritten")
        }
        #expect(try database.query("SELECT seq FROM steps") == [["1"]])
    }
}
