import CLinux
import EventLoop
import Glibc

/// A process, held by a descriptor that always means this process, even if its number is given to another.
package final class ServerProcess: Sendable {
    /// Its number.
    package let number: pid_t
    private let file: Int32

    /// Holds a running process; nil when there is none with that number.
    init?(number: pid_t) {
        file = pidfd_open(number, 0)
        guard file >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(file)
    }

    /// Starts a program by its full path. It has its own process group, so that the terminal's Ctrl-C does not reach
    /// it, default signals, no input, its output in `log`, and `directory` as descriptor 3.
    package static func start(_ command: [String], directory: Int32? = nil, log: Int32? = nil) throws -> ServerProcess {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        arrangeFiles(&actions, directory: directory, log: log)
        arrangeSignals(&attributes)
        var number: pid_t = 0
        let result = withCStrings(command) { arguments in
            withCStrings(["LC_ALL=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin"]) { environment in
                posix_spawn(&number, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw SystemError("starting \(command[0])", number: result) }
        guard let process = ServerProcess(number: number) else { throw SystemError("watching \(command[0])") }
        return process
    }

    /// Sends a signal; if the process has ended, nothing happens.
    package func signal(_ signal: Int32) {
        pidfd_send_signal(file, signal, nil, 0)
    }

    /// Waits until it ends, or `event` can be read, or the time is over; a negative time means for ever.
    package func wait(orFor event: Int32 = -1, milliseconds: Int32 = -1) -> Waited {
        var files = [pollfd(fd: file, events: Int16(POLLIN), revents: 0)]
        files.append(pollfd(fd: event, events: Int16(POLLIN), revents: 0))
        poll(&files, 2, milliseconds)
        if files[0].revents != 0 { return .ended }
        return files[1].revents != 0 ? .event : .timeout
    }

    /// How a wait ended.
    package enum Waited {
        case ended, event, timeout
    }

    /// Stops a child that is a PostgreSQL server: first fast, then at once, then by force.
    package func shutDown() {
        for (order, milliseconds) in [(SIGINT, Int32(10_000)), (SIGQUIT, 5_000), (SIGKILL, -1)] {
            signal(order)
            if wait(milliseconds: milliseconds) == .ended { break }
        }
        reap()
    }

    /// Waits for a child's end and says how it ended.
    @discardableResult
    package func reap() -> ExitStatus {
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
        return ExitStatus(raw: status)
    }

    private static func arrangeFiles(_ actions: inout posix_spawn_file_actions_t, directory: Int32?, log: Int32?) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, log ?? 0, 1)
        posix_spawn_file_actions_adddup2(&actions, log ?? 0, 2)
        if let directory { posix_spawn_file_actions_adddup2(&actions, directory, 3) }
        // PostgreSQL changes back to where it was started, and its user might not be allowed to enter that.
        clinux_spawn_chdir(&actions, "/")
    }

    private static func arrangeSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    private static func withCStrings<Answer>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Answer
    ) -> Answer {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}

/// How a process ended.
package struct ExitStatus: Sendable, CustomStringConvertible {
    let raw: Int32

    /// Whether it ended by itself and successfully.
    package var isSuccess: Bool { raw == 0 }

    package var description: String {
        let signal = raw & 0x7f
        return signal == 0 ? "exit code \(raw >> 8 & 0xff)" : "signal \(signal)"
    }
}
