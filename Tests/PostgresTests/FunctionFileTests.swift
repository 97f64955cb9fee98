import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct FunctionFileTests {
    private let table = Migration(
        file: "0001_functions.sql",
        sql: """
            CREATE TABLE schema_functions (
                file text PRIMARY KEY, checksum text NOT NULL, revision integer NOT NULL,
                replaced_at timestamptz NOT NULL DEFAULT now())
            """)

    private var url: String { TestDatabase.current.url }

    private func file(_ name: String, _ answer: String) -> FunctionFile {
        FunctionFile(
            file: "functions/\(name).sql",
            sql: """
                CREATE OR REPLACE FUNCTION \(name)() RETURNS text LANGUAGE sql AS $$
                    SELECT '\(answer)'
                $$;
                """)
    }

    /// Gives the files that were replaced.
    private func migrate(_ functions: [FunctionFile], revision: Int = 1) throws -> [String] {
        var replaced: [String] = []
        try Migrator([table], functions: functions, revision: revision).migrate(
            url, replaced: { replaced.append($0.file) })
        return replaced
    }

    private func answer(_ name: String) throws -> String? {
        try TestDatabase.current.connect().query("SELECT \(name)()").first?.first ?? nil
    }

    @Test func `a file is replaced when it has changed and only then`() throws {
        #expect(try migrate([file("one", "1"), file("two", "2")]) == ["functions/one.sql", "functions/two.sql"])
        #expect(try migrate([file("one", "1"), file("two", "2")]) == [])
        #expect(try migrate([file("one", "1"), file("two", "zwei")]) == ["functions/two.sql"])
        #expect(try answer("one") == "1")
        #expect(try answer("two") == "zwei")
    }

    /// One function calls another, which comes later or does not exist yet.
    @Test func `the order of the files does not matter`() throws {
        let calling = FunctionFile(
            file: "functions/a.sql",
            sql: "CREATE OR REPLACE FUNCTION a() RETURNS text LANGUAGE sql AS $$ SELECT b() $$;")
        #expect(try migrate([calling, file("b", "b")]).count == 2)
        #expect(try answer("a") == "b")
    }

    @Test func `functions of a later revision stay`() throws {
        #expect(try migrate([file("one", "new")], revision: 10) == ["functions/one.sql"])
        #expect(try migrate([file("one", "old")], revision: 9) == [])
        #expect(try answer("one") == "new")
        let old = try Migrator([table], functions: [file("one", "old")], revision: 9)
        #expect(try old.outdatedFunctions(url) == [])
        #expect(try migrate([file("one", "newer")], revision: 10) == ["functions/one.sql"])
    }

    @Test func `a refused file leaves all as it was`() throws {
        #expect(try migrate([file("one", "1")]) == ["functions/one.sql"])
        for sql in [
            "CREATE OR REPLACE FUNKTION two() RETURNS text;",
            "CREATE OR REPLACE FUNCTION two() RETURNS text LANGUAGE sql AS 'SELEKT';",
        ] {
            let bad = FunctionFile(file: "functions/two.sql", sql: "-- Fine.\n" + sql)
            let error = #expect(throws: MigrationError.self) { try migrate([file("one", "eins"), bad]) }
            #expect(try #require(error).description.hasPrefix("migration functions/two.sql failed"))
        }
        #expect(try answer("one") == "1")
        let migrator = try Migrator([table], functions: [file("one", "eins")], revision: 1)
        #expect(try migrator.outdatedFunctions(url).map(\.file) == ["functions/one.sql"])
    }
}
