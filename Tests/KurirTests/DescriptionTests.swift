import Foundation
import TestSupport
import Testing

/// What `GET /openapi.json` says is what is done: programs that know nothing else find their way by it.
///
/// `make test` installs those programs. One after the other, since password hashes wait for everything else.
@Suite(.database, .serialized) struct DescriptionTests {
    @Test func noAnswerIsOtherThanItIsDescribed() async throws {
        try await serving { kurir in
            let made = try await Kurir.run(
                "gateway-key", "create", "--name", "walker", "--channel", "sms,push,email", "--database",
                TestDatabase.current.url)
            let key = made.said.trimmingCharacters(in: .newlines)
            try await run("python", [Self.scripts + "/conformance.py", kurir.address, key])
        }
    }

    @Test func aClientMadeFromItRegistersSignsInInvitesAndRedeems() async throws {
        try await serving { kurir in
            let directory = TemporaryDirectory.path("client")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let making = try await run(
                "openapi-python-client",
                [
                    "generate", "--url", kurir.address + "/openapi.json", "--meta", "none", "--fail-on-warning",
                    "--output-path", directory + "/kurir_client",
                ])
            #expect(!making.lowercased().contains("warning"), "\(making)")
            try await run(
                "python", [Self.scripts + "/client.py", kurir.address], environment: ["PYTHONPATH": directory])
        }
    }

    private func serving(_ body: (Kurir) async throws -> Void) async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"], body)
    }

    /// Runs a program of the virtual environment, which must succeed, and gives what it said.
    @discardableResult
    private func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let surroundings = [
            "PATH": Self.programs + ":/usr/local/bin:/usr/bin:/bin", "HOME": TemporaryDirectory.path("home"),
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        let program = try Program(
            "timeout", ["300", Self.programs + "/" + name] + arguments,
            environment: surroundings.merging(environment) { $1 })
        let code = try await program.end()
        let output = program.said + program.complained
        #expect(code == 0, "\(name): \(output)")
        return output
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL.path
    private static let scripts = root + "/Tests/OpenAPI"
    private static let programs = root + "/.build/venv/bin"
}
