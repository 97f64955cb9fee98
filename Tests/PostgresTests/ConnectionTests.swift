import EventLoop
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct ConnectionTests {
    @Test func `a failing write among a hundred of one turn harms none of the others`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            let refused = try await together(100) { number in
                try await refusal { _ = try await database.run(AddNote(id: Int64(number == 50 ? 49 : number))) }
            }
            #expect(refused.count { $0 == .uniqueViolation } == 1)
            #expect(refused.count { $0 == nil } == 99)
            #expect(try await database.run(CountNotes()) == [99])
        }
    }

    @Test func `a failing read among a hundred of one turn harms none of the others`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            let answers = try await together(100) { number -> Int64? in
                var answer: Int64?
                let state = try await refusal {
                    answer = try await database.run(Divide(by: Int64(number % 10))).first
                }
                #expect(state == (number % 10 == 0 ? .divisionByZero : nil))
                return answer
            }
            let expected = (0..<100).map { number -> Int64? in number % 10 == 0 ? nil : Int64(100 / (number % 10)) }
            #expect(answers == expected)
            #expect(await database.statistics().inFlight == 0)
        }
    }

    @Test func `a statement that cannot be prepared harms none of the others`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            let right = try await together(90) { number -> Bool in
                let state = try await refusal {
                    switch number % 3 {
                    case 0: _ = try await database.run(SharedEcho(number: Int64(number)))
                    case 1: _ = try await database.run(ReadMissingTable())
                    default: _ = try await database.run(WriteMissingTable())
                    }
                }
                return state == (number % 3 == 0 ? nil : .undefinedTable)
            }
            #expect(right.allSatisfy { $0 })
        }
    }

    @Test func `a violation that only the commit finds fails the statement`() async throws {
        try await withDatabase(poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            let refused = try await together(3) { number in
                try await refusal {
                    _ = try await database.run(AddNote(id: Int64(number), parent: number == 1 ? 77 : nil))
                }
            }
            #expect(refused == [nil, .foreignKeyViolation, nil])
            #expect(try await database.run(CountNotes()) == [2])
        }
    }

    @Test func `ten thousand statements over several loops each get their own answer`() async throws {
        try await withDatabase(loops: 3, poolSize: 2) { database, group in
            let wrong = try await together(200) { task in
                try await group.loops[task % 3].run {
                    var wrong = 0
                    for number in 0..<50 {
                        let number = Int64(task * 50 + number)
                        let answer =
                            task % 2 == 0
                            ? try await database.run(SharedEcho(number: number))
                            : try await database.run(Echo(number: number))
                        if answer != [number] { wrong += 1 }
                    }
                    return wrong
                }
            }
            #expect(wrong.reduce(0, +) == 0)
            let statistics = await database.statistics()
            #expect(statistics.inFlight == 0)
            #expect(statistics.waiting == 0)
            #expect(statistics.open == 6)
        }
    }

    @Test func `a cancelled task stops waiting at once, and the connection goes on`() async throws {
        try await withDatabase(poolSize: 1) { database, group in
            let began = Instant.now
            let task = Task(executorPreference: group.loops[0]) { try await database.run(Sleep(seconds: 1)) }
            while await database.statistics().inFlight == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(Instant.now.nanoseconds(since: began) < 900_000_000)
            let answer = try await database.run(Echo(number: 7))
            #expect(answer == [7])
            #expect(await database.statistics().inFlight == 0)
        }
    }

    @Test func `a statement cancelled before it was sent is never sent`() async throws {
        try await withDatabase(poolSize: 1) { database, group in
            try await database.run(CreateNotes())
            let task = Task(executorPreference: group.loops[0]) { try await database.run(AddNote(id: 1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await database.run(CountNotes()) == [0])
        }
    }

    @Test func `a changed table is prepared again behind the scenes`() async throws {
        struct ReadNotes: Statement {
            static let sql = "SELECT * FROM notes"
            static let isReadOnly = true
        }
        struct Widen: Statement {
            static let sql = "ALTER TABLE notes ADD COLUMN more text"
        }
        struct Forget: Statement {
            static let sql = "DEALLOCATE ALL"
        }
        try await withDatabase(poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            try await database.run(ReadNotes())
            try await database.run(Widen())
            try await database.run(ReadNotes())
            try await database.run(Forget())
            try await database.run(ReadNotes())
            #expect(await database.statistics().losses == 0)
        }
    }

    @Test func `a column of another type than expected fails the call alone`() async throws {
        struct Mistaken: Statement {
            static let sql = "SELECT 1::int4"
            static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
        }
        try await withDatabase(poolSize: 1) { database, _ in
            await #expect(throws: PostgresError.self) { try await database.run(Mistaken()) }
            let answer = try await database.run(Echo(number: 1))
            #expect(answer == [1])
        }
    }

    @Test func `large values go through in both directions at once`() async throws {
        struct Mirror: Statement {
            static let sql = "SELECT $1::text"
            var text: String
            func bind(into parameters: inout Parameters) { parameters.add(text) }
            static func decode(_ row: inout RowReader) throws -> String { try row.read() }
        }
        try await withDatabase(poolSize: 1) { database, _ in
            let same = try await together(16) { number in
                let text = String(repeating: "\(number % 10)", count: 1 << 20)
                return try await database.run(Mirror(text: text)) == [text]
            }
            #expect(same.allSatisfy { $0 })
        }
    }

    @Test func `a task that is on no loop is served`() async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.stop() }
        let database = try await Database(url: TestDatabase.current.url, group: group)
        #expect(try await database.run(Echo(number: 3)) == [3])
        #expect(try await database.transaction { try await $0.run(Echo(number: 4)) } == [4])
        await database.stop()
    }

    @Test func `a statement that takes too long is ended by the server`() async throws {
        var limits = DatabaseLimits()
        limits.statementTimeout = .milliseconds(100)
        try await withDatabase(poolSize: 1, limits: limits) { database, _ in
            let state = try await refusal { try await database.run(Sleep(seconds: 30)) }
            #expect(state == .queryCanceled)
            #expect(try await database.run(Echo(number: 1)) == [1])
        }
    }
}

/// Runs so many tasks on the current loop, all begun in one turn, and gives their results in order.
func together<Answer: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Answer
) async throws -> [Answer] {
    try await withThrowingTaskGroup(of: (Int, Answer).self) { tasks in
        for number in 0..<count { tasks.addTask { (number, try await work(number)) } }
        var answers: [Int: Answer] = [:]
        for try await (number, answer) in tasks { answers[number] = answer }
        return (0..<count).map { answers[$0]! }
    }
}
