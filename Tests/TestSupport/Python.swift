import Foundation
import Testing

/// The tests' tools that are written in Python, in an environment that `make test` fills.
public enum Python {
    /// The sources.
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL.path
    /// Where the programs are.
    public static let programs = root + "/.build/venv/bin"

    /// Runs a program, which must succeed, and gives its output. It is ended after three quarters of an hour,
    /// in case it hangs: on a busy machine a quarter is not enough for what runs in browsers.
    @discardableResult
    public static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let surroundings = [
            "PATH": programs + ":/usr/local/bin:/usr/bin:/bin", "HOME": TemporaryDirectory.path("home"),
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        let program = try Program(
            "timeout", ["2700", programs + "/" + name] + arguments,
            environment: surroundings.merging(environment) { $1 })
        let code = try await program.end()
        let output = program.said + program.complained
        #expect(code == 0, "\(name): \(output)")
        return output
    }
}
