import EventLoop
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct TransactionTests {
    private struct Mistake: Error {}

    @Test func `a transaction that returns is committed, and one that throws is rolled back`() async throws {
        try await withDatabase { database, _ in
            try await database.run(CreateNotes())
            let seen = try await database.transaction { transaction in
                try await transaction.run(AddNote(id: 1))
                let outside = try await database.run(CountNotes())
                return (inside: try await transaction.run(CountNotes()), outside: outside)
            }
            #expect(seen.inside == [1])
            #expect(seen.outside == [0])
            await #expect(throws: Mistake.self) {
                try await database.transaction { transaction in
                    try await transaction.run(AddNote(id: 2))
                    throw Mistake()
                }
            }
            let count = try await database.run(CountNotes())
            #expect(count == [1])
        }
    }

    @Test func `a cancelled transaction is rolled back and its connection used again`() async throws {
        try await withDatabase(poolSize: 1) { database, group in
            try await database.run(CreateNotes())
            let backend = try await database.run(BackendPID())
            let task = Task(executorPreference: group.loops[0]) {
                try await database.transaction { transaction in
                    try await transaction.run(AddNote(id: 1))
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await transaction.run(AddNote(id: 2))
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            let count = try await database.run(CountNotes())
            #expect(count == [0])
            #expect(try await database.run(BackendPID()) == backend)
        }
    }

    @Test func `an error that was swallowed does not pass for a commit`() async throws {
        try await withDatabase { database, _ in
            let state = try await refusal {
                try await database.transaction { transaction in
                    _ = try? await transaction.run(WriteMissingTable())
                }
            }
            #expect(state == SQLState("25P02"))
            #expect(try await database.run(Echo(number: 1)) == [1])
        }
    }

    @Test func `a commit that fails throws, and leaves the connection clean`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            let state = try await refusal {
                _ = try await database.transaction { try await $0.run(AddNote(id: 1, parent: 77)) }
            }
            #expect(state == .foreignKeyViolation)
            #expect(try await database.run(CountNotes()) == [0])
            #expect(await database.statistics().losses == 0)
        }
    }

    @Test func `reads that are sent again never run inside a transaction begun meanwhile`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            let counts = try await together(40) { number -> Int64? in
                switch number {
                case 0: _ = try? await database.run(Divide(by: 0))
                case 20:
                    _ = try? await database.transaction { transaction in
                        try await transaction.run(AddNote(id: 1))
                        try await transaction.run(WriteMissingTable())
                    }
                default: return try await database.run(CountNotes()).first
                }
                return nil
            }
            #expect(counts.compactMap { $0 } == [Int64](repeating: 0, count: 38))
        }
    }

    @Test(arguments: [
        (Isolation.readCommitted, "read committed"), (.repeatableRead, "repeatable read"),
        (.serializable, "serializable"),
    ])
    func `the isolation is the one asked for`(isolation: Isolation, name: String) async throws {
        try await withDatabase { database, _ in
            let setting = try await database.transaction(isolation) {
                try await $0.run(Setting(name: "transaction_isolation"))
            }
            #expect(setting == [name])
        }
    }

    @Test func `all connections but one can be leased, and others wait in order`() async throws {
        var limits = DatabaseLimits()
        limits.waitingTransactions = 2
        try await withDatabase(poolSize: 3, limits: limits) { [limits] database, group in
            let gates = (0..<2).map { _ in Promise<Void>(on: group.loops[0]) }
            let order = Order()
            let leased = gates.map { gate in
                Task(executorPreference: group.loops[0]) {
                    try await database.transaction { _ in try await gate.value() }
                }
            }
            let waiting = (0..<limits.waitingTransactions).map { number in
                Task(executorPreference: group.loops[0]) {
                    try await database.transaction { _ in order.add(number) }
                }
            }
            try await eventually { await database.statistics().waiting >= 2 }
            await expectUnavailable { try await database.transaction { _ in } }
            #expect(try await database.run(Echo(number: 1)) == [1])
            gates[0].fulfil(.success(()))
            for task in waiting { try await task.value }
            gates[1].fulfil(.success(()))
            for task in leased { try await task.value }
            #expect(order.numbers == [0, 1])
        }
    }

    @Test func `a cancelled wait for a connection ends, and hurts nobody`() async throws {
        try await withDatabase(poolSize: 1) { database, group in
            try await database.transaction { _ in
                let waiting = Task(executorPreference: group.loops[0]) { try await database.transaction { _ in } }
                try await eventually { await database.statistics().waiting > 0 }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
            try await database.transaction { _ in }
        }
    }

    @Test func `a connection whose session is gone ends the transaction, and is replaced`() async throws {
        struct Terminate: Statement {
            static let sql = "SELECT pg_terminate_backend($1)"
            var pid: Int32
            func bind(into parameters: inout Parameters) { parameters.add(pid) }
        }
        try await withDatabase(poolSize: 2) { database, _ in
            await #expect(throws: PostgresError.self) {
                try await database.transaction { transaction in
                    let pid = try await transaction.run(BackendPID())[0]
                    try await database.run(Terminate(pid: pid))
                    try await transaction.run(Sleep(seconds: 5))
                }
            }
            try await eventually { await database.statistics().open >= 2 }
            try await database.transaction { _ in }
        }
    }
}

/// The order in which they came. Unchecked, because only one loop uses it.
private final class Order: @unchecked Sendable {
    private(set) var numbers: [Int] = []

    func add(_ number: Int) { numbers.append(number) }
}
