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

    @Test func `every migration is embedded in order`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted()
        #expect(Schema.migrations.map(\.file) == files)
        for (file, sql) in Schema.migrations {
            #expect(try String(contentsOf: directory.appending(path: file), encoding: .utf8) == sql, "\(file)")
        }
    }

    /// Each file defines its functions in a form that can be run again and again.
    @Test func `every file of functions is embedded and replaces what there is`() throws {
        let directory = directory.deletingLastPathComponent().appending(path: "functions")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted()
        #expect(Schema.functions.map(\.file) == files.map { "functions/\($0)" })
        for (file, sql) in Schema.functions {
            let name = String(file.dropFirst("functions/".count))
            #expect(try String(contentsOf: directory.appending(path: name), encoding: .utf8) == sql, "\(file)")
            let defining = sql.split(separator: "\n").filter { $0.hasPrefix("CREATE") }
            #expect(defining.allSatisfy { $0.hasPrefix("CREATE OR REPLACE ") }, "\(file)")
        }
    }

    /// After a change of the functions, both the revision and this checksum must change.
    @Test(.database) func `every change of functions has a number`() throws {
        let text = Schema.functions.map(\.sql).joined(separator: "\n")
        let checksum = try TestDatabase.current.connect().query(
            "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [text])
        #expect(Schema.functionsRevision == 16)
        #expect(checksum == [["1079e348cd514de63cc729830fbdcfaf8c00fa3e439f2b318e57bd656a17bc9a"]])
    }

    @Test(.database) func `every function is defined once and is not for everybody to call`() throws {
        let names = Schema.functions.flatMap {
            $0.sql.matches(of: #/CREATE OR REPLACE FUNCTION (\w+)/#).map { String($0.1) }
        }
        #expect(Set(names).count == names.count)
        let known = try TestDatabase.current.connect().query(
            "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")
        // Older nodes still call these.
        let former: Set = ["routes_of"]
        #expect(Set(known.compactMap { $0[0] }).subtracting(former) == Set(names))
        let anybodys = try TestDatabase.current.connect().query(
            """
            SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
                AND has_function_privilege('public', oid, 'EXECUTE')
            """)
        #expect(anybodys == [])
    }

    /// A copy would be another text of the same, which whoever changes the function does not see. Older migrations have some.
    @Test func `no migration copies a function any more`() throws {
        func defined(_ sql: String) -> Set<String> {
            let definition = #/CREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s+(?:public\.)?"?(\w+)/#.ignoresCase()
            return Set(sql.matches(of: definition).map { $0.1.lowercased() })
        }
        let held = Schema.functions.reduce(into: Set<String>()) { $0.formUnion(defined($1.sql)) }
        let copied = Schema.migrations.map { defined($0.sql).intersection(held) }
        #expect(copied.prefix(31).filter { !$0.isEmpty }.count > 10)
        for (migration, copied) in zip(Schema.migrations, copied).dropFirst(31) {
            #expect(copied == [], "\(migration.file)")
        }
    }

    @Test func `migrations are numbered from one without a gap`() throws {
        #expect(try Migrator(.all).newest == Schema.migrations.count)
        for (place, migration) in Schema.migrations.enumerated() {
            #expect(migration.file.wholeMatch(of: /(\d{4})_[a-z0-9_]+\.sql/)?.1.drop { $0 == "0" } == "\(place + 1)")
        }
    }

    /// Otherwise the migration and its record would not be one transaction.
    @Test func `no migration ends its transaction`() throws {
        for (file, sql) in Schema.migrations {
            let end = #/^\s*(COMMIT|ROLLBACK|ABORT|START TRANSACTION|BEGIN)( WORK| TRANSACTION)?\s*;/#
            #expect(sql.uppercased().split(separator: "\n").allSatisfy { $0.firstMatch(of: end) == nil }, "\(file)")
        }
    }

    @Test(.database) func `history refuses to be rewritten`() throws {
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
