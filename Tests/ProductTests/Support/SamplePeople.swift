import Crypto
import Domain
import HTTP
import Postgres
import TestSupport

/// Somebody who is signed in.
struct Person: Sendable {
    let id: String
    let token: String
    /// The name to sign in with: a store's e-mail address or a courier's number.
    let login: String
}

/// Makes people and their unique names.
enum SamplePeople {
    private static let counter = Counter()

    /// An OIB that no other test has.
    static func taxID() -> String {
        let digits = padded(counter.next(), 10)
        let remainder = digits.utf8.reduce(10) { remainder, digit in
            let sum = (remainder + Int(digit) - 0x30) % 10
            return (sum == 0 ? 10 : sum) * 2 % 11
        }
        return digits + String((11 - remainder) % 10)
    }

    /// A number that no other test has.
    static func phone() -> String { "+38591" + padded(counter.next(), 7) }
    static func email() -> String { "shop\(counter.next())@example.com" }
    static let password = "krumpir-na-tavi"

    static func storeForm() -> JSON {
        [
            "email": .string(email()), "password": .string(password), "name": "Pekara", "tax_id": .string(taxID()),
            "address": "Ilica 1, Zagreb", "phone": .string(phone()),
        ]
    }

    static func courierForm() -> JSON {
        ["first_name": "Ana", "last_name": "Anić", "phone": .string(phone()), "password": .string(password)]
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: width - text.count) + text
    }
}

extension ServedProduct {
    /// Inserts a store directly into the database, since registering takes a tenth of a second of hashing.
    func store(name: String = "Pekara", language: String = "en") async throws -> Person {
        let person = Person(id: Self.id(), token: Base64URL.encode(SecureRandom.bytes(32)), login: SamplePeople.email())
        try await insert(person, kind: "store", language)
        try await execute(
            """
            INSERT INTO stores (id, email, tax_id, name, address, phone)
            VALUES ('\(person.id)', '\(person.login)', '\(SamplePeople.taxID())', '\(name)', 'Ilica 1', '\(SamplePeople.phone())')
            """)
        return person
    }

    /// Inserts a courier, in the same way.
    func courier(name: (String, String) = ("Ana", "Anić"), language: String = "en") async throws -> Person {
        let person = Person(id: Self.id(), token: Base64URL.encode(SecureRandom.bytes(32)), login: SamplePeople.phone())
        try await insert(person, kind: "courier", language)
        try await execute(
            """
            INSERT INTO couriers (id, first_name, last_name, phone)
            VALUES ('\(person.id)', '\(name.0)', '\(name.1)', '\(person.login)')
            """)
        return person
    }

    /// Makes two people partners without an invite.
    func join(_ store: Person, _ courier: Person) async throws {
        try await execute("INSERT INTO partners (store_id, courier_id) VALUES ('\(store.id)', '\(courier.id)')")
    }

    /// Runs SQL like somebody with psql.
    @discardableResult
    func execute(_ sql: String) async throws -> [[String?]] {
        let database = TestDatabase.current
        return try await blocking { try database.query(sql) }
    }

    /// Makes the weeks of tables for what was so long ago: in the first hours of a week, that was in the one before.
    func makeWeeks(of tables: [String], ago interval: String) async throws {
        try await execute(
            """
            DO $$ DECLARE week date := date_trunc('week', (now() - interval '\(interval)') AT TIME ZONE 'UTC')::date; kept text; part text;
            BEGIN FOREACH kept IN ARRAY '{\(tables.joined(separator: ","))}'::text[] LOOP
                part := kept || to_char(week, '_YYYYMMDD');
                CONTINUE WHEN to_regclass(part) IS NOT NULL;
                EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, kept,
                    CASE WHEN kept LIKE 'file%' THEN first_uuid(week)::text ELSE week::text END,
                    CASE WHEN kept LIKE 'file%' THEN first_uuid(week + 7)::text ELSE (week + 7)::text END);
            END LOOP; END $$
            """)
    }

    /// Waits until somebody in this test's database waits for a lock.
    func untilSomebodyWaits() async throws {
        let waiting =
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        try await eventually { try await execute(waiting) != [] }
    }

    /// The same person in another session.
    func again(_ person: Person) async throws -> Person {
        let same = Person(id: person.id, token: Base64URL.encode(SecureRandom.bytes(32)), login: person.login)
        try await beginSession(same)
        return same
    }

    private func insert(_ person: Person, kind: String, _ language: String) async throws {
        try await execute(
            """
            INSERT INTO accounts (id, kind, password_hash, language)
            VALUES ('\(person.id)', '\(kind)', '$scrypt$nobody', '\(language)')
            """)
        try await beginSession(person)
    }

    private func beginSession(_ person: Person) async throws {
        let hash = SHA256.hash(person.token).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
        try await execute(
            """
            INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
            VALUES ('\(Self.id())', '\(person.id)', '\\x\(hash)', now() + interval '1 day', '127.0.0.1')
            """)
    }

    private static func id() -> String {
        ID(high: SecureRandom.word(), low: SecureRandom.word()).description
    }
}
