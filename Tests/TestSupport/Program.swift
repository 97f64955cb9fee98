import EventLoop
import Glibc

/// A program that a test runs, with its two outputs.
///
/// It is not Foundation's `Process`, which notices the end by a socket that other programs may have inherited.
package final class Program: Sendable {
    package let number: pid_t
    private let output: String
    private let errors: String
    private let note: String
    private let code = Locked<Int32?>(nil)

    package struct Missing: Error, CustomStringConvertible {
        let name: String
        package var description: String { "\(name) is not installed; `make test` installs what the tests need" }
    }

    /// Starts a program by its name or path. Of the test's environment it gets only `PATH`.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], errors sink: Int32? = nil
    ) throws {
        output = TemporaryDirectory.path("output")
        errors = TemporaryDirectory.path("errors")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_CREAT | O_WRONLY, 0o600)
        if let sink {
            posix_spawn_file_actions_adddup2(&actions, sink, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_CREAT | O_WRONLY, 0o600)
        }
        let surroundings = ["PATH": Self.path].merging(environment) { $1 }.map { "\($0)=\($1)" }
        number = try Self.start(["env", name] + arguments, surroundings, &actions)
        note = TemporaryDirectory.note(running: number)
    }

    /// Runs a program to its end, and ends it after a minute.
    package static func run(
        _ name: String, _ arguments: [String]
    ) async throws -> (code: Int32, said: String, complained: String) {
        let program = try Program("timeout", ["-k", "5", "60", name] + arguments)
        let code = try await program.end()
        // `timeout` exits so for a program that does not exist.
        if code == 127 { throw Missing(name: name) }
        return (code, program.said, program.complained)
    }

    package var isRunning: Bool { reap() == nil }
    package var said: String { Self.text(output) }
    package var complained: String { Self.text(errors) }

    package func signal(_ signal: Int32) {
        kill(number, signal)
    }

    /// Waits for its end and gives its exit code, or the signal that ended it as shells do.
    @discardableResult
    package func end() async throws -> Int32 {
        while true {
            if let code = reap() { return code }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func reap() -> Int32? {
        code.withLock { code in
            var status: Int32 = 0
            guard code == nil, waitpid(number, &status, WNOHANG) == number else { return code }
            unlink(note)
            code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
            return code
        }
    }

    private static let path = "/usr/local/bin:/usr/bin:/bin"

    private static func start(
        _ words: [String], _ environment: [String], _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        let (arguments, surroundings) = (words.map { strdup($0) }, environment.map { strdup($0) })
        defer { for pointer in arguments + surroundings { free(pointer) } }
        var number: pid_t = 0
        let result = posix_spawn(&number, "/usr/bin/env", &actions, nil, arguments + [nil], surroundings + [nil])
        guard result == 0 else { throw SystemError("starting \(words[1])", number: result) }
        return number
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
