import Product
import Domain
import EventLoop
import Glibc

/// `kurir serve`: from the start of the process to its end.
enum Serve {
    /// Serves until a signal asks to stop: the first asks kindly, a later one ends the process at once.
    static func run(_ configuration: Configuration) -> Never {
        occupyStandardFiles()
        raiseFileLimit()
        FreedMemory.keepSome()
        // Before there is any other thread: threads inherit which signals they leave to the one that waits.
        let signals = StopSignals()
        FreedMemory.giveBackEveryMinute()
        let start = Task.detached { await started(configuration) }
        let signal = signals.wait()
        Task.detached {
            await start.value.stop(because: signal)
            exit(EXIT_SUCCESS)
        }
        // Whatever hangs, the process does not: neither in a start that was cut short nor in a stop.
        signals.waitForAnother(within: configuration.shutdownGrace + .seconds(10))
        _exit(EXIT_FAILURE)
    }

    private static func started(_ configuration: Configuration) async -> Application {
        do {
            let application = try await Application.start(configuration)
            print("Kurir listens on http://\(application.address)")
            fflush(nil)
            if case .temporary = configuration.database { try await demonstrate(application) }
            return application
        } catch {
            Kurir.fail("\(error)", code: EXIT_FAILURE)
        }
    }

    /// Fills the trial's database, says who can sign in, and keeps them all busy.
    private static func demonstrate(_ application: Application) async throws {
        let seed: UInt64 = 2026
        guard let accounts = try await application.fillDemo(seed: seed) else { return }
        print("\nAll of these have the password: \(Demo.password)\n")
        for account in accounts { print("  \(account.kind.rawValue)  \(account.login)  \(account.name)") }
        fflush(nil)
        try DemoTraffic.begin(at: "\(application.address)", accounts, seed: seed)
    }

    /// A closed standard file's number would be given to a socket, and what is printed would go there.
    private static func occupyStandardFiles() {
        while true {
            let file = open("/dev/null", O_RDWR)
            guard file >= 0, file <= STDERR_FILENO else {
                close(file)
                return
            }
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
