import EventLoop
import Glibc
import Postgres
import Testing

/// One after the other, because each makes a server of its own and hurts it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct OutageTests {
    @Test func `a server killed under load fails fast, and is used again when it is back`() async throws {
        let cluster = try TestCluster()
        let journal = Journal()
        try await withDatabase(
            url: cluster.url(), loops: 2, poolSize: 2, observe: journal.add
        ) { database, group in
            let load = (0..<50).map { number in
                Task(executorPreference: group.loops[number % 2]) { try await Load.slowest(on: database) }
            }
            while await database.statistics().inFlight == 0 { await Task.yield() }
            cluster.kill()
            while await database.statistics().open > 0 { await Task.yield() }
            await expectUnavailable { try await database.run(Echo(number: 1)) }
            await expectUnavailable { try await database.transaction { _ in } }
            try cluster.start()
            let back = Instant.now
            while try await !Load.attempt(on: database) { try await group.loops[0].sleep(for: .milliseconds(5)) }
            #expect(Instant.now.nanoseconds(since: back) < 2_000_000_000)
            for task in load { task.cancel() }
            for task in load { #expect(try await task.value < 1_000_000_000) }
            while await database.statistics().open < 4 { await Task.yield() }
            while await database.statistics().inFlight > 0 { await Task.yield() }
            #expect(await database.statistics().waiting == 0)
            #expect(await database.statistics().losses >= 4)
        }
        #expect(journal.all.contains { if case .lost = $0 { true } else { false } })
        #expect(journal.all.contains { if case .connectFailed = $0 { true } else { false } })
    }

    @Test func `a server that stands still is given up, and used again when it moves`() async throws {
        let cluster = try TestCluster()
        var limits = DatabaseLimits()
        limits.statementTimeout = .milliseconds(300)
        limits.answerGrace = .milliseconds(200)
        limits.connectTimeout = .seconds(2)
        try await withDatabase(url: cluster.url(), limits: limits) { database, _ in
            try cluster.signal(SIGSTOP)
            await #expect(throws: PostgresError.self) { try await database.run(Echo(number: 1)) }
            await #expect(throws: PostgresError.self) { try await database.run(Echo(number: 1)) }
            while await database.statistics().open > 0 {
                _ = try await Load.attempt(on: database)
            }
            await expectUnavailable { try await database.run(Echo(number: 1)) }
            try cluster.signal(SIGCONT)
            while try await Load.attempt(on: database) == false { await Task.yield() }
        }
    }

    @Test func `a dead first host is passed over`() async throws {
        let url = try await freshDatabaseURL().replacing("?host=", with: "?host=/nowhere,")
        let answer = try await withDatabase(url: url) { database, _ in try await database.run(Echo(number: 1)) }
        #expect(answer == [1])
    }

    @Test func `a server that takes no writes is passed over, also when it stops taking them`() async throws {
        let first = try TestCluster()
        let second = try TestCluster()
        let hosts = first.url().replacing("?host=", with: "?host=\(second.directory),")
        let url = hosts + "&target_session_attrs=read-write"
        try second.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        try second.execute("SELECT pg_reload_conf()")
        struct CreateTable: Statement {
            static let sql = "CREATE TABLE IF NOT EXISTS written ()"
        }
        struct Directory: Statement {
            static let sql = "SELECT current_setting('unix_socket_directories')"
            static func decode(_ row: inout RowReader) throws -> String { try row.read() }
        }
        try await withDatabase(url: url) { database, _ in
            #expect(try await database.run(Directory()) == [first.directory])
            try await database.run(CreateTable())
            try second.execute("ALTER SYSTEM RESET default_transaction_read_only")
            try second.execute("SELECT pg_reload_conf()")
            try first.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            try first.execute("SELECT pg_reload_conf()")
            while (try? await database.run(Directory())) != [second.directory] {
                _ = try? await database.run(CreateTable())
                await Task.yield()
            }
            try await database.run(CreateTable())
        }
    }

    @Test func `settings of the URL stand beside ours`() async throws {
        let url = try await freshDatabaseURL()
        let some = try await settings(url + "&application_name=mine&options=-c%20work_mem%3D5MB")
        #expect(some == ["mine", "5MB", "15s", "30s", "UTF8"])
        let others = try await settings(url + "&options=-c%20statement_timeout%3D7s")
        #expect(others == ["kurir", "4MB", "7s", "30s", "UTF8"])
    }

    private func settings(_ url: String) async throws -> [String] {
        let names = [
            "application_name", "work_mem", "statement_timeout", "idle_in_transaction_session_timeout",
            "client_encoding",
        ]
        return try await withDatabase(url: url) { database, _ in
            var settings: [String] = []
            for name in names { settings += try await database.run(Setting(name: name)) }
            return settings
        }
    }

    @Test func `refusals to connect say why, and never the password`() async throws {
        let url = try await freshDatabaseURL()
        try TestCluster.shared.get().execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        let guarded = url.replacing("postgres@", with: "guarded:right@")
        let answer = try await withDatabase(url: guarded) { database, _ in try await database.run(Echo(number: 1)) }
        #expect(answer == [1])
        #expect(try await refusalToConnect(guarded.replacing("right", with: "s3cret")).contains("password"))
        #expect(try await refusalToConnect(url.replacing("/test", with: "/absent")).contains("does not exist"))
        for wrong in ["s3cret%zz", "s3cret@s3cret", "s3cret/s3cret"] {
            _ = try await refusalToConnect("postgres://guarded:\(wrong)@localhost/test")
        }
    }

    private func refusalToConnect(_ url: String) async throws -> String {
        let journal = Journal()
        do {
            try await withDatabase(url: url, observe: journal.add) { _, _ in }
            Issue.record("it should not have connected")
            return ""
        } catch let error as PostgresError {
            #expect(!"\(error) \(journal.all)".contains("s3cret"))
            return "\(error)"
        }
    }
}

/// Statements one after the other, as a busy service has them.
private enum Load {
    /// Whether the database answered; throws when it failed in another way than by not being there.
    static func attempt(on database: Database) async throws -> Bool {
        do {
            return try await database.run(SharedEcho(number: 1)) == [1]
        } catch PostgresError.unavailable {
            return false
        } catch PostgresError.connectionLost {
            return false
        }
    }

    /// Goes on until cancelled, and says how long the slowest took.
    static func slowest(on database: Database) async throws -> Int64 {
        var slowest: Int64 = 0
        while !Task.isCancelled {
            let began = Instant.now
            do {
                let succeeded = try await attempt(on: database)
                slowest = max(slowest, Instant.now.nanoseconds(since: began))
                if !succeeded { try await EventLoop.current?.sleep(for: .milliseconds(5)) }
            } catch is CancellationError {
                break
            }
        }
        return slowest
    }
}
