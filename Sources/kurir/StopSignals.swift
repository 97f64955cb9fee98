import EventLoop
import Glibc

/// The signals that ask the process to end.
struct StopSignals {
    private static let names = [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"]
    private var signals = sigset_t()

    init() {
        signal(SIGPIPE, SIG_IGN)
        sigemptyset(&signals)
        for number in Self.names.keys { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next signal, and gives its name.
    func wait() -> String {
        var (signals, number) = (signals, Int32(0))
        while sigwait(&signals, &number) != 0 {}
        return Self.names[number] ?? "a signal"
    }

    /// Whether a signal has come that nobody has waited for.
    func haveCome() -> Bool {
        var (signals, now) = (signals, timespec())
        return sigtimedwait(&signals, nil, &now) > 0
    }

    /// Waits for one more signal, or until the time is up. A signal within a second counts as the first one repeated,
    /// since for example a terminal and make both pass a Ctrl-C on. SIGHUP is none: whoever wants files read again, or closes a
    /// terminal, breaks nothing off.
    func waitForAnother(within bound: Duration) {
        let began = Instant.now
        var signals = signals
        sigdelset(&signals, SIGHUP)
        while Instant.now < began + bound {
            var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
            let isSignal = sigtimedwait(&signals, nil, &pause) > 0
            if isSignal, began + .seconds(1) < Instant.now { return }
        }
    }
}
