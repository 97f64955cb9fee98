import TestSupport
import HTTP
import Testing

/// Debian's `slowhttptest` in its four modes, beside a client that only wants its answers.
@Suite(.enabled(if: !isOverTLS, "these programs come without TLS"), .timeLimit(.minutes(10)))
struct SlowAttackTests {
    struct Mode: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let arguments: [String]
        /// The status with which the server answers it.
        var status = 408
        var route: String?
    }

    private static let connections = 300

    @Test(arguments: [
        Mode(testDescription: "slow head", path: "/ping", arguments: ["-H", "-i", "1", "-t", "GET"]),
        Mode(
            testDescription: "slow body", path: "/echo", arguments: ["-B", "-i", "1", "-s", "8192", "-t", "POST"],
            route: "/echo"),
        // The ranges fill many kilobytes of the head.
        Mode(testDescription: "ranges", path: "/ping", arguments: ["-R", "-a", "10", "-b", "3000"], status: 431),
        Mode(
            testDescription: "slow reading", path: "/bytes/200000",
            arguments: ["-X", "-w", "10", "-y", "20", "-n", "1", "-z", "32", "-k", "3"], status: 200,
            route: "/bytes/{count}"),
    ])
    func `healthy clients go on being served during a slow attack`(_ mode: Mode) async throws {
        try await withServer(loops: 2) { configuration in
            configuration.limits.headTimeout = .seconds(2)
            configuration.limits.bodyTimeout = .seconds(2)
            configuration.limits.writeTimeout = .seconds(2)
        } _: { server in
            let common = ["-c", "\(Self.connections)", "-r", "150", "-l", "6", "-p", "5"]
            let url = "http://127.0.0.1:\(server.port)\(mode.path)"
            async let attack = Program.run("slowhttptest", mode.arguments + common + ["-u", url])
            let kept = try await server.client()
            for _ in 0..<40 {
                #expect(try await kept.get("/ping").text == "pong")
                #expect(try await server.client().get("/ping").text == "pong")
                try await Task.sleep(for: .milliseconds(100))
            }
            kept.close()
            #expect(try await attack.said.contains("Exit status"))
            try await server.hasOpen(0)
            // It was a real attack: most of its connections came, and were answered as it wanted.
            for _ in 0..<Self.connections / 2 {
                while try await server.answered(mode.status).route != mode.route {}
            }
        }
    }
}
