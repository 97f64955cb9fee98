import CLibpq
import Glibc

/// What the environment tells libpq, and through it the server, about connections.
enum ClientEnvironment {
    /// Variables that libpq heeds without counting them among its settings.
    private static let uncounted = ["PGSERVICEFILE", "PGSYSCONFDIR", "PGDATESTYLE", "PGTZ", "PGGEQO"]

    /// Forgets it all, in this process: who works on a server of their own means no other, and a URL cannot overrule
    /// every variable. To be called before other threads use libpq.
    static func forget() {
        // First of all, because libpq gives no settings where the service that this names cannot be found.
        unsetenv("PGSERVICE")
        for variable in uncounted { unsetenv(variable) }
        let settings = PQconndefaults()
        defer { PQconninfoFree(settings) }
        guard var setting = settings else { return }
        while setting.pointee.keyword != nil {
            if let variable = setting.pointee.envvar { unsetenv(variable) }
            setting += 1
        }
    }
}
