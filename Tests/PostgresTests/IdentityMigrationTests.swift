import Postgres
import Schema
import TestSupport
import Testing

@Suite(.emptyDatabase) struct IdentityMigrationTests {
    private static let all = Schema.migrations.map { Migration(file: $0.file, sql: $0.sql) }

    @Test func `whoever was there before anything had to be proven counts as proven`() async throws {
        let url = TestDatabase.current.url
        try await blocking {
            try Migrator(Array(Self.all.prefix(15))).migrate(url)
            let connection = try BlockingConnection(url: url)
            try connection.execute(Self.people(1, "12345678903"))
            try Migrator(
                Self.all, functions: Schema.functions.map { FunctionFile(file: $0.file, sql: $0.sql) }, revision: 1
            ).migrate(url)
            // A node of before registers somebody meanwhile.
            try connection.execute(Self.people(2, "12345678911"))
            #expect(try connection.query("SELECT phone_verified FROM couriers") == [["t"], ["t"]])
            #expect(try connection.query("SELECT email_verified FROM stores") == [["t"], ["t"]])
        }
    }

    private static func people(_ number: Int, _ taxID: String) -> String {
        let id = "00000000-0000-7000-8000-0000000000"
        let (store, courier) = ("\(id)0\(number)", "\(id)1\(number)")
        return """
            INSERT INTO accounts (id, kind, password_hash, language)
                VALUES ('\(store)', 'store', '$scrypt$none', 'hr'), ('\(courier)', 'courier', '$scrypt$none', 'hr');
            INSERT INTO stores (id, email, tax_id, name, address, phone)
                VALUES ('\(store)', 'a\(number)@example.com', '\(taxID)', 'Pekara', 'Ilica 1', '+38514828111');
            INSERT INTO couriers (id, first_name, last_name, phone)
                VALUES ('\(courier)', 'Ana', 'Anić', '+38591123456\(number)');
            """
    }
}
