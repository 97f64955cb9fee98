import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(10))) struct EmbeddedServerRecoveryTests {
    private let home = EmbeddedHome()

    @Test func `a server takes over from a process that was killed`() async throws {
        let holder = try await start("the holder of a directory serves until it is killed")
        while (try? EmbeddedServer.url(ofRunning: home.path)) == nil { try await Task.sleep(for: .milliseconds(10)) }
        let held = await #expect(throws: EmbeddedServerError.self) { try await home.start() }
        #expect(String(describing: held).contains("process \(holder.number) serves"))

        let main = try #require(home.cluster().readyServer.flatMap { ServerProcess(number: $0) })
        holder.signal(SIGKILL)
        holder.reap()
        #expect(try await blocking { main.wait(milliseconds: 30_000) } == .ended, "the server outlived its process")

        let server = try await home.start()
        try home.write("taken over", server)
        try await home.stop(server)
    }

    @Test func `a start stops a server that outlived its process`() async throws {
        let server = try await home.start()
        try home.write("kept", server)
        try await home.stop(server)
        let survivor = try await startSurvivor()
        let events = Events()
        let next = try await home.start(events)
        #expect(await events.next() == "stopping the PostgreSQL that was left behind (process \(survivor.number))")
        #expect(survivor.reap().isSuccess)
        #expect(try home.read(next) == "kept")
        try await home.stop(next)
    }

    /// Any process may have the number in a stale `postmaster.pid` by now, such as another cluster's server.
    @Test(.emptyDatabase) func `a server starts beside a process that has its old number`() async throws {
        try await home.stop(home.start())
        let stranger = try TestDatabase.current.connect()
        let number = try #require(stranger.query("SELECT pg_backend_pid()")[0][0])
        try home.write("\(number)\n/proc/self/fd/3\n1\n5432\n.\n\n1 1\nready\n", to: "postgres/postmaster.pid")
        #expect(throws: EmbeddedServerError.self) { try EmbeddedServer.url(ofRunning: home.path) }
        let server = try await home.start()
        try home.write("started", server)
        try await home.stop(server)
        #expect(try stranger.query("SELECT 1") == [["1"]])
    }

    /// This is the case of root in a container, which may not look into another user's process.
    @Test(.enabled(if: geteuid() == 0)) func `a start stops a server that it cannot look into`() async throws {
        try await home.stop(home.start())
        let survivor = try await startSurvivor()
        defer { survivor.signal(SIGKILL) }
        let successor = try await start("the blind successor takes over from the server it finds", by: Self.blind)
        try #require(await blocking { successor.reap() }.isSuccess)
        #expect(try await blocking { survivor.reap() }.isSuccess)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a start beside a server that does not stop is refused`() async throws {
        try await home.stop(home.start())
        let survivor = try await startSurvivor()
        defer { survivor.signal(SIGKILL) }
        survivor.signal(SIGSTOP)
        let successor = try await start("the refused successor leaves a server that does not stop", by: Self.blind)
        try #require(await blocking { successor.reap() }.isSuccess)
        #expect(try home.cluster().readyServer == survivor.number)
        survivor.signal(SIGCONT)
        #expect(try await blocking { survivor.reap() }.isSuccess)
    }

    @Test func `a server recovers from a process that ended while it started`() async throws {
        let quitter = try await start("the quitter ends before its start is over")
        #expect(try await blocking { quitter.reap() }.isSuccess)
        let server = try await home.start()
        try home.write("recovered", server)
        try await home.stop(server)
    }

    @Test func `a server does not heed what the environment tells libpq`() async throws {
        let settings = [
            "PGHOST=nowhere", "PGHOSTADDR=192.0.2.1", "PGPORT=1", "PGSERVICE=none", "PGOPTIONS=-c no=1", "PGTZ=none",
            "PGSSLMODE=none", "PGGSSENCMODE=require", "PGREQUIREPEER=nobody", "PGTARGETSESSIONATTRS=standby",
        ]
        let process = try await start(
            "the visitor is served whatever its environment says", by: ["/usr/bin/env"] + settings)
        #expect(try await blocking { process.reap() }.isSuccess)
    }

    /// A server that is tied to no process.
    private func startSurvivor() async throws -> ServerProcess {
        let cluster = try home.cluster()
        let postgres = try ServerBinaries.find(version: cluster.version).postgres
        let command = [postgres, "-D", "/proc/self/fd/3", "-c", "listen_addresses=", "-c", "unix_socket_directories=."]
        let user = try ServerUser(owning: cluster.directory)
        return try await blocking {
            let server = try ServerProcess.start(
                user.command(dyingWith: "clear", command), directory: cluster.directory)
            while !cluster.isReady(server) { try #require(server.wait(milliseconds: 5) == .timeout) }
            return server
        }
    }

    /// Starts this test binary once more, to run the test of that name in a process of its own.
    private func start(_ test: String, by starter: [String] = []) async throws -> ServerProcess {
        let binary = try FileSystem.absolute("/proc/self/exe")
        let arguments = ["--testing-library", "swift-testing", "--filter", "EmbeddedServerChild/`\(test)`"]
        let tied = [
            "/usr/bin/setpriv", "--pdeathsig=KILL", "/usr/bin/env", "\(EmbeddedHome.variable)=\(home.path)",
        ]
        return try await blocking { try ServerProcess.start(tied + starter + [binary] + arguments) }
    }

    private static let blind = ["/usr/bin/setpriv", "--bounding-set=-sys_ptrace"]
}
