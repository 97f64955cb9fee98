import EventLoop
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct PoolTests {
    @Test func `statements spread over the connections`() async throws {
        try await withDatabase(poolSize: 4) { database, _ in
            let backends = try await together(64) { _ in try await database.run(BackendPID())[0] }
            let uses = Dictionary(grouping: backends) { $0 }.mapValues(\.count)
            #expect(uses.count == 4)
            #expect(uses.values.allSatisfy { $0 == 16 })
        }
    }

    @Test func `statements beyond the bounds are turned away, and the rest are served`() async throws {
        var limits = DatabaseLimits()
        limits.statementsPerConnection = 3
        limits.waitingStatements = 5
        try await withDatabase(poolSize: 2, limits: limits) { database, _ in
            let served = try await together(40) { number in
                do {
                    return try await database.run(Echo(number: Int64(number))) == [Int64(number)]
                } catch PostgresError.unavailable {
                    return false
                }
            }
            #expect(served.count { $0 } == 2 * 3 + 5)
            let statistics = await database.statistics()
            #expect(statistics.inFlight == 0)
            #expect(statistics.waiting == 0)
            #expect(statistics.waits == 5)
            #expect(statistics.waitedNanoseconds > 0)
        }
    }

    /// With few connections everybody would hold one and wait for another.
    @Test func `who holds a connection gets no second one`() async throws {
        var limits = DatabaseLimits()
        limits.allowsNesting = false
        try await withDatabase(poolSize: 2, limits: limits) { database, _ in
            try await database.transaction { transaction in
                await #expect(throws: PostgresError.self) { _ = try await database.run(Echo(number: 1)) }
                await #expect(throws: PostgresError.self) { try await database.transaction { _ in } }
                // One that is begun beside it waits for nobody who waits for it.
                let beside = try await Task.detached { try await database.run(Echo(number: 2)) }.value
                let within = try await transaction.run(Echo(number: 3))
                #expect(beside == [2] && within == [3])
            }
            #expect(try await database.run(Echo(number: 4)) == [4])
        }
    }

    @Test func `reads go on over the next connection where others hang`() async throws {
        try await withDatabase(poolSize: 3) { database, group in
            let hasEnded = Locked(false)
            let hanging = try await database.transaction { holder in
                _ = try await holder.run(Lock())
                let hanging = Task(executorPreference: group.loops[0]) {
                    defer { hasEnded.withLock { $0 = true } }
                    _ = try await database.run(ReadLocked())
                }
                try await eventually { try await holder.run(CountWaiting()) == [1] }
                for number in 0..<200 {
                    #expect(try await database.run(SharedEcho(number: Int64(number))) == [Int64(number)])
                }
                #expect(!hasEnded.withLock { $0 })
                return hanging
            }
            try await hanging.value
        }
    }

    /// One connection waits for a lock. The other has more to do, whenever a write comes.
    @Test func `a write does not wait behind one that hangs while another connection goes on`() async throws {
        try await withDatabase(poolSize: 2) { database, group in
            let holder = try TestDatabase.current.connect()
            try holder.execute("SELECT pg_advisory_lock(4711)")
            let hanging = Task(executorPreference: group.loops[0]) { _ = try await database.run(Lock()) }
            try await untilStuck(hanging: 1, holder)
            for _ in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for number in 0..<8 as Range<Int64> {
                        tasks.addTask(executorPreference: group.loops[0]) {
                            _ = try await database.run(SharedEcho(number: number))
                        }
                    }
                    tasks.addTask(executorPreference: group.loops[0]) { _ = try await database.run(Echo(number: 1)) }
                    try await tasks.waitForAll()
                }
            }
            try holder.execute("SELECT pg_advisory_unlock(4711)")
            try await hanging.value
        }
    }

    @Test func `where all hang, a write waits behind what has hung for less long`() async throws {
        try await withDatabase(poolSize: 2) { database, group in
            let (first, second) = (try TestDatabase.current.connect(), try TestDatabase.current.connect())
            try first.execute("SELECT pg_advisory_lock(4711)")
            try second.execute("SELECT pg_advisory_lock(4712)")
            let long = Task(executorPreference: group.loops[0]) { _ = try await database.run(Lock()) }
            try await untilStuck(hanging: 1, first)
            let short = (0..<3).map { _ in
                Task(executorPreference: group.loops[0]) { _ = try await database.run(OtherLock()) }
            }
            try await eventually { await database.statistics().inFlight == 4 }
            try await untilStuck(hanging: 2, first)
            let write = Task(executorPreference: group.loops[0]) { _ = try await database.run(Echo(number: 1)) }
            try await eventually { await database.statistics().inFlight == 5 }
            try second.execute("SELECT pg_advisory_unlock(4712)")
            try await write.value
            for task in short { try await task.value }
            try first.execute("SELECT pg_advisory_unlock(4711)")
            try await long.value
        }
    }

    /// Waits until so many sessions hang, and have for longer than is taken for a moment.
    private func untilStuck(hanging: Int64, _ session: BlockingConnection) async throws {
        try await eventually {
            try session.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event = 'advisory' AND datname = current_database()
                AND clock_timestamp() - query_start > interval '250 milliseconds'
                """) == [["\(hanging)"]]
        }
    }

    /// As many writes are under way at any time as the connections take.
    @Test func `reads go on beside writes that never end`() async throws {
        var limits = DatabaseLimits()
        limits.statementsPerConnection = 4
        try await withDatabase(poolSize: 2, limits: limits) { database, group in
            let isOver = Locked(false)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<32 {
                    tasks.addTask(executorPreference: group.loops[0]) {
                        while !isOver.withLock({ $0 }) { _ = try await database.run(Echo(number: 1)) }
                    }
                }
                for number in 0..<500 {
                    #expect(try await database.run(SharedEcho(number: Int64(number))) == [Int64(number)])
                }
                isOver.withLock { $0 = true }
                try await tasks.waitForAll()
            }
        }
    }

    @Test func `what waits longest goes first`() async throws {
        var limits = DatabaseLimits()
        (limits.statementsPerConnection, limits.readsTogether) = (1, 1)
        // The connection is busy for as long as it takes to have all others wait.
        limits.statementTimeout = .seconds(300)
        try await withDatabase(poolSize: 1, limits: limits) { database, group in
            let holder = try TestDatabase.current.connect()
            try holder.execute("SELECT pg_advisory_lock(4711)")
            let done = Locked<(reads: [Int64], writes: [Int64])>(([], []))
            var tasks = [Task(executorPreference: group.loops[0]) { _ = try await database.run(Lock()) }]
            func untilAllAreThere() async throws {
                let count = tasks.count
                try await eventually {
                    let statistics = await database.statistics()
                    return statistics.inFlight + statistics.waiting == count
                }
            }
            for number in 0..<50 as Range<Int64> {
                try await untilAllAreThere()
                tasks.append(
                    Task(executorPreference: group.loops[0]) {
                        _ = try await database.run(SharedEcho(number: number))
                        done.withLock { $0.reads.append(number) }
                    })
                try await untilAllAreThere()
                tasks.append(
                    Task(executorPreference: group.loops[0]) {
                        _ = try await database.run(Echo(number: number))
                        done.withLock { $0.writes.append(number) }
                    })
            }
            try await untilAllAreThere()
            try holder.execute("SELECT pg_advisory_unlock(4711)")
            for task in tasks { try await task.value }
            let order = done.withLock { $0 }
            #expect(order.reads == Array(0..<50) && order.writes == Array(0..<50))
        }
    }

    @Test func `tasks that gave up waiting make room`() async throws {
        var limits = DatabaseLimits()
        limits.statementsPerConnection = 1
        limits.waitingStatements = 1
        try await withDatabase(poolSize: 1, limits: limits) { database, group in
            // This takes long enough that the other one is seen waiting.
            let busy = Task(executorPreference: group.loops[0]) { try await database.run(Sleep(seconds: 4)) }
            try await eventually { await database.statistics().inFlight > 0 }
            let impatient = Task(executorPreference: group.loops[0]) { try await database.run(Echo(number: 1)) }
            try await eventually { await database.statistics().waiting > 0 }
            impatient.cancel()
            await #expect(throws: CancellationError.self) { try await impatient.value }
            let patient = try await database.run(Echo(number: 2))
            #expect(patient == [2])
            _ = try await busy.value
        }
    }

    @Test func `a loop that gets no connection is told from a database out of reach`() async throws {
        let role = "\(TestDatabase.current.name)_role"
        try TestDatabase.current.connect().execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1")
        let url = TestDatabase.current.url.replacing("kurir@", with: "\(role)@")
        // The server may turn away both connections that come at once: each is counted before it is checked.
        var description = ""
        try await eventually {
            let error = await #expect(throws: PostgresError.self) {
                try await withDatabase(url: url, loops: 2, poolSize: 1) { _, _ in }
            }
            description = try #require(error).description
            return description.contains("only 1 of 2 connections")
        }
        #expect(description.contains("--pool-size"))
        #expect(description.contains("too many connections for role"))
    }

    @Test func `stopping lets statements under way finish, and refuses the rest`() async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.stop() }
        let database = try await Database(url: TestDatabase.current.url, group: group)
        // This takes long enough to be seen.
        let underWay = Task(executorPreference: group.loops[0]) { try await database.run(Sleep(seconds: 3)) }
        try await eventually { await database.statistics().inFlight > 0 }
        await database.stop()
        _ = try await underWay.value
        await expectUnavailable { try await database.run(Echo(number: 1)) }
        #expect(await database.statistics().open == 0)
    }

    @Test func `stopping does not wait for ever`() async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.stop() }
        let database = try await Database(url: TestDatabase.current.url, group: group)
        let underWay = Task(executorPreference: group.loops[0]) { try await database.run(Sleep(seconds: 12)) }
        try await eventually { await database.statistics().inFlight > 0 }
        await database.stop(within: .milliseconds(50))
        await #expect(throws: PostgresError.self) { try await underWay.value }
    }
}

private struct Lock: Statement {
    static let sql = "SELECT pg_advisory_xact_lock(4711)::text"
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

private struct OtherLock: Statement {
    static let sql = "SELECT pg_advisory_xact_lock(4712)::text"
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

private struct CountWaiting: Statement {
    /// The locks of other tests' databases are seen, too.
    static let sql = """
        SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database AND datname = current_database()
        WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted
        """
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

private struct ReadLocked: Statement {
    static let sql = Lock.sql
    static let isReadOnly = true
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// Expects that nothing was sent because there is no connection.
func expectUnavailable(_ work: () async throws -> some Any) async {
    do {
        _ = try await work()
        Issue.record("it should have been turned away")
    } catch PostgresError.unavailable {
    } catch {
        Issue.record(error)
    }
}
