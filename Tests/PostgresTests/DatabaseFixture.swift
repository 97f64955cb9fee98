import EventLoop
import Postgres
import TestSupport

/// A database with loops of its own, for the time of `body`, which runs on the first loop.
func withDatabase<Answer: Sendable>(
    url: String = TestDatabase.current.url, loops: Int = 1, poolSize: Int = 2,
    limits: DatabaseLimits = DatabaseLimits(),
    observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, EventLoopGroup) async throws -> Answer
) async throws -> Answer {
    let group = try EventLoopGroup(count: loops)
    defer { group.stop() }
    let database = try await Database(
        url: url, group: group, poolSize: poolSize, limits: limits, observe: observe)
    do {
        let answer = try await group.loops[0].run { try await body(database, group) }
        await database.stop()
        return answer
    } catch {
        await database.stop()
        throw error
    }
}

/// The state that the server refused a statement with; nil when it was not refused.
func refusal(_ work: () async throws -> Void) async throws -> SQLState? {
    do {
        try await work()
        return nil
    } catch PostgresError.refused(let error) {
        return error.state
    }
}

/// What happened, in order.
final class Journal: Sendable {
    private let events = Locked<[PostgresEvent]>([])

    var all: [PostgresEvent] { events.withLock { $0 } }

    func add(_ event: PostgresEvent) { events.withLock { $0.append(event) } }
}

struct Echo: Statement {
    static let sql = "SELECT $1::int8"
    var number: Int64
    func bind(into parameters: inout Parameters) { parameters.add(number) }
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

struct SharedEcho: Statement {
    static let sql = "SELECT $1::int8"
    static let isReadOnly = true
    var number: Int64
    func bind(into parameters: inout Parameters) { parameters.add(number) }
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

struct Divide: Statement {
    static let sql = "SELECT 100 / $1::int8"
    static let isReadOnly = true
    var by: Int64
    func bind(into parameters: inout Parameters) { parameters.add(by) }
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

struct ReadMissingTable: Statement {
    static let sql = "SELECT 1 FROM missing"
    static let isReadOnly = true
}

struct WriteMissingTable: Statement {
    static let sql = "INSERT INTO missing VALUES (1)"
}

struct Sleep: Statement {
    static let sql = "SELECT pg_sleep($1)"
    var seconds: Double
    func bind(into parameters: inout Parameters) { parameters.add(seconds) }
}

struct CreateNotes: Statement {
    static let sql = """
        CREATE TABLE notes (
            id int8 PRIMARY KEY, parent int8 REFERENCES notes DEFERRABLE INITIALLY DEFERRED, body text)
        """
}

struct AddNote: Statement {
    static let sql = "INSERT INTO notes (id, parent) VALUES ($1, $2)"
    var id: Int64
    var parent: Int64?
    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(parent)
    }
}

struct CountNotes: Statement {
    static let sql = "SELECT count(*) FROM notes"
    static let isReadOnly = true
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

struct BackendPID: Statement {
    static let sql = "SELECT pg_backend_pid()"
    static func decode(_ row: inout RowReader) throws -> Int32 { try row.read() }
}

struct Setting: Statement {
    static let sql = "SELECT current_setting($1)"
    var name: String
    func bind(into parameters: inout Parameters) { parameters.add(name) }
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
