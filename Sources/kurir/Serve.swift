import Product
import EventLoop
import Glibc
import HTTP
import Papers
import Postgres
import Simulation

/// `kurir serve`: from the start of the process to its end.
enum Serve {
    /// What happens in a demo is the same each time.
    private static let seed: UInt64 = 2026

    /// Serves until a signal asks to stop. The first signal stops in good order, a later one ends the process at once.
    static func run(_ configuration: Configuration) -> Never {
        giveUpRoot(configuration)
        occupyStandardFiles()
        raiseFileLimit()
        FreedMemory.keepSome()
        // This comes before other threads start, since they inherit which signals are left to the waiting one.
        let signals = StopSignals()
        FreedMemory.giveBackEveryMinute()
        let start = Task.detached { await started(configuration) }
        var signal = signals.wait()
        // Without files that are read again, a closed terminal is an end.
        while signal == "SIGHUP", !configuration.papers.areNone {
            Task.detached { await start.value.reread() }
            signal = signals.wait()
        }
        Task.detached {
            await start.value.stop(because: signal)
            exit(EXIT_SUCCESS)
        }
        // The process ends even if a part hangs, in an interrupted start or in a stop.
        signals.waitForAnother(within: configuration.drain + configuration.shutdownGrace + configuration.timeToStop)
        TemporaryDirectory.removeAtOnce()
        _exit(EXIT_FAILURE)
    }

    /// With a database of its own Kurir is who PostgreSQL is. With another one it is whoever starts it: units and images
    /// name a user.
    private static func giveUpRoot(_ configuration: Configuration) {
        do {
            let directory: String?
            switch configuration.database {
            case .url: return
            case .directory(let path): directory = path
            case .temporary: directory = nil
            }
            try EmbeddedServer.giveUpRoot(dataDirectory: directory) { try Application.tryOut(configuration) }
        } catch {
            Kurir.fail(Kurir.words(of: error), code: EXIT_FAILURE)
        }
    }

    private static func started(_ configuration: Configuration) async -> Application {
        do {
            let application = try await Application.start(configuration)
            // A demo is looked at as soon as its address is known, and is there by then.
            let cast = configuration.isDemo ? try await application.fillDemo(seed: seed) : nil
            print("Kurir listens on \(configuration.server.tls == nil ? "http" : "https")://\(application.address)")
            fflush(nil)
            if let cast { try demonstrate(application, cast) }
            return application
        } catch {
            TemporaryDirectory.removeAtOnce()
            Kurir.fail(Kurir.words(of: error), code: EXIT_FAILURE)
        }
    }

    /// Says who can sign in to the demo, and keeps everybody busy.
    private static func demonstrate(_ application: Application, _ cast: Cast) throws {
        print("\nAll of these have the password: \(Cast.password)\n")
        for shop in cast.stores { print("  store  \(shop.email)  \(shop.name)") }
        for rider in cast.couriers { print("  courier  \(rider.phone)  \(rider.name)") }
        fflush(nil)
        try DemoTraffic.begin(at: "\(application.address)", cast, seed: seed)
    }

    /// Opens closed standard files. A socket would otherwise get the number of one, and printed text would go there.
    private static func occupyStandardFiles() {
        while true {
            let file = open("/dev/null", O_RDWR)
            guard file >= 0, file <= STDERR_FILENO else {
                close(file)
                return
            }
        }
    }

    /// Raises the limit on open files. Every connection is one, and the usual soft limit is low.
    private static func raiseFileLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
