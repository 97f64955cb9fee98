import TestSupport
import EventLoop
import Glibc

/// A program of the system, run to its end.
struct Program: Sendable {
    /// What it wrote, to both outputs.
    let output: String
    let status: Int32

    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not installed; `make test` installs what the tests need" }
    }

    /// Runs a program; it is ended when it takes longer than a minute.
    static func run(_ name: String, _ arguments: [String]) async throws -> Program {
        try await Client.threads.run { try runBlocking(name, arguments) }
    }

    private static func runBlocking(_ name: String, _ arguments: [String]) throws -> Program {
        var ends: [Int32] = [0, 0]
        // Not a pipe, because only sockets can be made such that programs started meanwhile do not inherit them.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("opening a pair of sockets") }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try start(["timeout", "-k", "5", "60", name] + arguments, writingTo: ends[1])
        }
        let output = readAll(ends[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : -1
        // What `timeout` and shells say of a program that is not there.
        guard code != 127 else { throw Missing(name: name) }
        return Program(output: output, status: code)
    }

    private static func start(_ words: [String], writingTo output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        let result = posix_spawnp(&process, words[0], &actions, nil, arguments, environ)
        guard result == 0 else { throw SystemError("starting \(words[0])", number: result) }
        return process
    }

    private static func readAll(_ file: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] }
            if count == 0 || count < 0 && errno != EINTR { return String(decoding: bytes, as: UTF8.self) }
        }
    }
}
