import Foundation
import TestSupport
import Testing

/// `GET /openapi.json` describes what really happens: programs that know nothing else can use it.
///
/// `make test` installs those programs. The tests run one after the other, since password hashes wait for everything
/// else.
@Suite(.database, .serialized) struct DescriptionTests {
    @Test func `every answer is as the description has it`() async throws {
        try await serving { kurir in
            let made = try await Kurir.run(
                "gateway-key", "create", "--name", "walker", "--channel", "sms,push,email", "--database",
                TestDatabase.current.url)
            let key = made.said.trimmingCharacters(in: .newlines)
            let examples = ProcessInfo.processInfo.environment["KURIR_TEST_EXAMPLES"].map { [$0] } ?? []
            try await Python.run("python", [Self.scripts + "/conformance.py", kurir.address, key] + examples)
        }
    }

    @Test func `a client made from the description registers, signs in, invites and redeems`() async throws {
        try await serving { kurir in
            let directory = TemporaryDirectory.path("client")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let making = try await Python.run(
                "openapi-python-client",
                [
                    "generate", "--url", kurir.address + "/openapi.json", "--meta", "none", "--fail-on-warning",
                    "--config", Self.scripts + "/client.yaml",
                    "--output-path", directory + "/kurir_client",
                ])
            #expect(!making.lowercased().contains("warning"), "\(making)")
            try await Python.run(
                "python", [Self.scripts + "/client.py", kurir.address], environment: ["PYTHONPATH": directory])
        }
    }

    private func serving(_ body: (Kurir) async throws -> Void) async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--weather", "open-meteo:" + far.url(),
                environment: ["KURIR_THROTTLE": "off"], body)
        }
    }

    private static let scripts = Python.root + "/Tests/OpenAPI"
}
