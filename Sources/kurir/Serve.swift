import Glibc

/// `kurir serve`: from the start of the process to its end.
enum Serve {
    /// Serves until a signal asks to stop: the first asks kindly, a second one ends the process at once.
    static func run(_ configuration: Configuration) -> Never {
        raiseFileLimit()
        // Before there is any other thread: threads inherit which signals they leave to the one that waits.
        let signals = StopSignals()
        let start = Task.detached { await started(configuration) }
        let signal = signals.wait()
        Task.detached {
            await start.value.stop(because: signal)
            exit(EXIT_SUCCESS)
        }
        _ = signals.wait()
        _exit(EXIT_FAILURE)
    }

    private static func started(_ configuration: Configuration) async -> Application {
        do {
            let application = try await Application.start(configuration)
            print("Kurir listens on http://\(application.address)")
            fflush(nil)
            return application
        } catch {
            Kurir.fail("\(error)", code: EXIT_FAILURE)
        }
    }

    /// Every connection is a file; the usual soft limit is far below what the machine allows.
    private static func raiseFileLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The signals that ask the process to end.
private struct StopSignals {
    private var signals = sigset_t()

    init() {
        signal(SIGPIPE, SIG_IGN)
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next one, and tells its name.
    func wait() -> String {
        var (signals, number) = (signals, Int32(0))
        while sigwait(&signals, &number) != 0 {}
        return number == SIGINT ? "SIGINT" : "SIGTERM"
    }
}
