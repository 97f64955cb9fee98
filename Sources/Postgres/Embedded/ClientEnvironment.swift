import CLibpq
import Glibc

/// The environment's settings for libpq, and so for the server.
enum ClientEnvironment {
    /// Variables that libpq reads without listing them among its settings.
    private static let uncounted = ["PGSERVICEFILE", "PGSYSCONFDIR", "PGDATESTYLE", "PGTZ", "PGGEQO"]

    /// Removes all of them from this process. A user of the embedded server means no other one, and a URL cannot
    /// overrule every variable. Call it before other threads use libpq.
    static func forget() {
        // This comes first, because libpq gives no settings at all if it cannot find the service that this names.
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
