import EventLoop
import Glibc
import Postgres
import TestSupport
import Testing

/// The tests run one after the other, because most make a server of their own and hurt it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DatabaseOutageTests {
    /// This is far more than the promised two seconds until the service returns, for machines that have much else to
    /// do.
    private static let bound: Int64 = 5_000_000_000

    @Test func `a server killed under load fails fast, and is used again when back`() async throws {
        try await PrivateCluster.with { cluster in
            let journal = Journal()
            try await withDatabase(url: cluster.url, loops: 2, observe: journal.add) { database, group in
                let load = (0..<50).map { number in
                    Task(executorPreference: group.loops[number % 2]) { try await Load.slowest(on: database) }
                }
                while await database.statistics().inFlight == 0 { await Task.yield() }
                try await cluster.kill9()
                while await database.statistics().open > 0 { await Task.yield() }
                await expectUnavailable { try await database.run(Echo(number: 1)) }
                await expectUnavailable { try await database.transaction { _ in } }
                try await cluster.start()
                #expect(try await Load.wait(for: database) < Self.bound)
                for task in load { task.cancel() }
                for task in load { #expect(try await task.value < Self.bound) }
                while await database.statistics().open < 4 { await Task.yield() }
                while await database.statistics().inFlight > 0 { await Task.yield() }
                #expect(await database.statistics().waiting == 0)
                #expect(await database.statistics().losses >= 4)
            }
            #expect(journal.all.contains { if case .lost = $0 { true } else { false } })
            #expect(journal.all.contains { if case .connectFailed = $0 { true } else { false } })
        }
    }

    @Test func `an unreachable server is reported once a loop, however often it is tried`() async throws {
        let journal = Journal()
        await #expect(throws: PostgresError.self) {
            let url = "postgresql://kurir@127.0.0.1:1/nothing"
            try await withDatabase(url: url, loops: 2, poolSize: 8, observe: journal.add) { _, _ in }
        }
        #expect(journal.all.count == 2)
        #expect(journal.all.allSatisfy { if case .connectFailed = $0 { true } else { false } })
    }

    @Test(.emptyDatabase) func `a lost connection has what the server said as its reason`() async throws {
        let journal = Journal()
        try await withDatabase(poolSize: 1, observe: journal.add) { database, _ in
            let backend = try await database.run(BackendPID())[0]
            _ = try TestDatabase.current.connect().query("SELECT pg_terminate_backend(\(backend))")
            while await database.statistics().losses == 0 { await Task.yield() }
        }
        let reasons = journal.all.compactMap { if case .lost(let reason) = $0 { reason } else { nil } }
        #expect(reasons == ["terminating connection due to administrator command"])
    }

    @Test func `a server that stands still is given up, and used again when it moves`() async throws {
        var limits = DatabaseLimits()
        limits.statementTimeout = .milliseconds(300)
        limits.answerGrace = .milliseconds(200)
        limits.connectTimeout = .seconds(2)
        try await PrivateCluster.with { [limits] cluster in
            try await withDatabase(url: cluster.url, limits: limits) { database, _ in
                cluster.signal(SIGSTOP)
                await #expect(throws: PostgresError.self) { try await database.run(Echo(number: 1)) }
                await #expect(throws: PostgresError.self) { try await database.run(Echo(number: 1)) }
                while await database.statistics().open > 0 {
                    _ = try await Load.attempt(on: database)
                }
                await expectUnavailable { try await database.run(Echo(number: 1)) }
                cluster.signal(SIGCONT)
                while try await Load.attempt(on: database) == false { await Task.yield() }
            }
        }
    }

    /// No statement time-out ends the waiting here.
    private static var impatient: DatabaseLimits {
        var limits = DatabaseLimits()
        limits.statementTimeout = .seconds(600)
        (limits.silence, limits.pingTimeout) = (.milliseconds(200), .milliseconds(500))
        return limits
    }

    @Test func `a server that hangs is given up by all connections, though one alone waits for it`() async throws {
        try await PrivateCluster.with { cluster in
            try await withDatabase(url: cluster.url, loops: 2, limits: Self.impatient) { database, _ in
                while await database.statistics().open < 4 { await Task.yield() }
                cluster.signal(SIGSTOP)
                await #expect {
                    try await database.run(Echo(number: 1))
                } throws: { error in
                    if case PostgresError.connectionLost("the server does not answer") = error { true } else { false }
                }
                while await database.statistics().open > 0 { await Task.yield() }
                await expectUnavailable { try await database.run(Echo(number: 1)) }
                cluster.signal(SIGCONT)
                while try await Load.attempt(on: database) == false { await Task.yield() }
            }
        }
    }

    /// That another server answers is no sign of life.
    @Test func `a leader that hangs is given up though its follower answers`() async throws {
        let (follower, leader) = (try ReservedPort(), try ReservedPort())
        let url = "postgresql://kurir@127.0.0.1:\(follower.number),127.0.0.1:\(leader.number)/postgres"
        try await PrivateCluster.with(on: follower) { following in
            try await PrivateCluster.with(on: leader) { leading in
                try administer(following, "ALTER DATABASE postgres SET default_transaction_read_only = on")
                try await withDatabase(url: url, limits: Self.impatient) { database, _ in
                    let reached = try await database.run(ServerPort())
                    #expect(reached == [Int32(leader.number)])
                    leading.signal(SIGSTOP)
                    try administer(following, "ALTER DATABASE postgres RESET default_transaction_read_only")
                    while (try? await database.run(ServerPort())) != [Int32(follower.number)] { await Task.yield() }
                }
            }
        }
    }

    /// It is silent for longer than a server may be that leaves a question open.
    @Test(.emptyDatabase) func `a slow statement of a healthy server is waited for`() async throws {
        var limits = DatabaseLimits()
        limits.silence = .milliseconds(50)
        try await withDatabase(limits: limits) { database, _ in
            _ = try await database.run(Sleep(seconds: 5))
            #expect(await database.statistics().losses == 0)
        }
    }

    @Test(.emptyDatabase)
    func `a transaction that idles too long is lost, and its connection replaced`() async throws {
        let url = TestDatabase.current.url + "?options=-c%20idle_in_transaction_session_timeout%3D50ms"
        try await withDatabase(url: url, poolSize: 1) { database, _ in
            try await database.run(CreateNotes())
            await #expect {
                try await database.transaction { transaction in
                    try await transaction.run(AddNote(id: 1))
                    while await database.statistics().losses == 0 { await Task.yield() }
                    try await transaction.run(AddNote(id: 2))
                }
            } throws: { error in
                if case PostgresError.connectionLost = error { true } else { false }
            }
            while await database.statistics().open == 0 { await Task.yield() }
            #expect(try await database.run(CountNotes()) == [0])
            try await database.transaction { _ = try await $0.run(AddNote(id: 1)) }
            #expect(try await database.run(CountNotes()) == [1])
        }
    }

    @Test(.emptyDatabase, arguments: ["%2Fnowhere", "127.0.0.1:1"])
    func `a dead first host is passed over`(host: String) async throws {
        let url = TestDatabase.current.url.replacing("@", with: "@\(host),")
        let answer = try await withDatabase(url: url) { database, _ in try await database.run(Echo(number: 1)) }
        #expect(answer == [1])
    }

    @Test func `a server that takes no writes, or no longer, is passed over`() async throws {
        let (new, old) = (try ReservedPort(), try ReservedPort())
        let hosts = [1, new.number, old.number].map { "127.0.0.1:\($0)" }.joined(separator: ",")
        let url = "postgresql://kurir@\(hosts)/postgres"
        try await PrivateCluster.with(on: new) { newCluster in
            try await PrivateCluster.with(on: old) { oldCluster in
                try administer(newCluster, "ALTER DATABASE postgres SET default_transaction_read_only = on")
                try await withDatabase(url: url) { database, _ in
                    #expect(try await database.run(ServerPort()) == [Int32(old.number)])
                    try await database.run(Write())
                    let migrating = try BlockingConnection(url: url).query("SELECT inet_server_port()")
                    #expect(migrating == [["\(old.number)"]])
                    try administer(newCluster, "ALTER DATABASE postgres RESET default_transaction_read_only")
                    try administer(oldCluster, "ALTER SYSTEM SET default_transaction_read_only = on")
                    try administer(oldCluster, "SELECT pg_reload_conf()")
                    while (try? await database.run(ServerPort())) != [Int32(new.number)] {
                        _ = try? await database.run(Write())
                        await Task.yield()
                    }
                    try await database.run(Write())
                }
            }
        }
    }

    /// Uses a session that may write whatever the default is.
    private func administer(_ cluster: PrivateCluster, _ sql: String) throws {
        try BlockingConnection(url: cluster.url + "?options=-c%20default_transaction_read_only%3Doff").execute(sql)
    }

    @Test(.emptyDatabase) func `settings of the URL stand beside ours`() async throws {
        let url = TestDatabase.current.url
        let some = try await settings(url + "?application_name=mine&options=-c%20work_mem%3D5MB")
        #expect(some == ["mine", "5MB", "15s", "30s", "UTF8"])
        let others = try await settings(url + "?options=-c%20statement_timeout%3D7s")
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
        try await PrivateCluster.with(on: ReservedPort()) { cluster in
            try BlockingConnection(url: cluster.url).execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
            let guarded = cluster.url.replacing("kurir@", with: "guarded:right@")
            let answer = try await withDatabase(url: guarded) { database, _ in try await database.run(Echo(number: 1)) }
            #expect(answer == [1])
            #expect(try await refusalToConnect(guarded.replacing("right", with: "s3cret")).contains("password"))
            #expect(try await refusalToConnect(guarded + "-absent").contains("does not exist"))
        }
        #expect(try await refusalToConnect("postgresql://guarded:s3cret@127.0.0.1:1/postgres").contains("refused"))
    }

    @Test(arguments: [
        "s3cret%zz", "s3cret@s3cret", "s3cret/s3cret", "s3cret/1@s3cret", "p@/s3cret", "p@s3cret/p",
    ])
    func `a password that is not encoded is never quoted`(password: String) async throws {
        let reason = try await refusalToConnect("postgresql://guarded:\(password)@localhost/test")
        #expect(reason.contains("percent-encoded"))
    }

    private func refusalToConnect(_ url: String) async throws -> String {
        let journal = Journal()
        let error = await #expect(throws: (any Error).self) {
            try await withDatabase(url: url, observe: journal.add) { _, _ in }
        }
        let reason = "\(try #require(error))"
        #expect(!"\(reason) \(journal.all)".contains("s3cret"))
        return reason
    }
}

private struct ServerPort: Statement {
    static let sql = "SELECT inet_server_port()"
    static func decode(_ row: inout RowReader) throws -> Int32 { try row.read() }
}

private struct Write: Statement {
    static let sql = "CREATE TABLE IF NOT EXISTS written ()"
}

/// Statements one after the other, as in a busy service.
private enum Load {
    /// Whether the database answered. Throws if it failed in another way than by being away.
    static func attempt(on database: Database) async throws -> Bool {
        do {
            return try await database.run(SharedEcho(number: 1)) == [1]
        } catch PostgresError.unavailable {
            return false
        } catch PostgresError.connectionLost {
            return false
        }
    }

    /// How long it took until the database answered again. It is printed, because two seconds are promised.
    static func wait(for database: Database) async throws -> Int64 {
        let began = Instant.now
        while try await !attempt(on: database) { try await EventLoop.current?.sleep(for: .milliseconds(5)) }
        let waited = Instant.now.nanoseconds(since: began)
        print("service is back \(waited / 1_000_000) ms after the database")
        return waited
    }

    /// Runs until it is cancelled, and gives the time of the slowest statement.
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
