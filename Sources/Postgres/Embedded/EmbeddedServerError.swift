/// Why the embedded server does not run. Each description says what to do.
public enum EmbeddedServerError: Error, CustomStringConvertible {
    /// There is no PostgreSQL, or not of the version that made the cluster.
    case notInstalled(version: Int?)
    /// There is no user that root could run PostgreSQL as.
    case noServerUser
    /// Another process holds the directory.
    case held(directory: String, by: String)
    /// No process serves from the directory.
    case notRunning(directory: String)
    /// The server of a process that was killed still runs on the cluster.
    case leftBehind(directory: String, process: Int32)
    /// The directory cannot be used.
    case unusable(directory: String, reason: String)
    /// PostgreSQL failed; with the path and the end of its log.
    case failed(String, log: String, tail: String)

    /// What to tell a person.
    public var description: String {
        switch self {
        case .notInstalled(nil):
            "PostgreSQL is not installed: install it (apt-get install postgresql), or use one of yours (--database URL)"
        case .notInstalled(let version?):
            "this data directory was made by PostgreSQL \(version), which is not installed:"
                + " install it (apt-get install postgresql-\(version)), or use another --data-dir"
        case .noServerUser:
            "PostgreSQL does not run as root, and there is no user \"postgres\" to run it:"
                + " install Debian's package (apt-get install postgresql), or do not start kurir as root"
        case .held(let directory, let holder):
            "process \(holder) serves from \(directory) already: stop it first, or use another --data-dir"
        case .notRunning(let directory):
            "no kurir serves from \(directory): start it (kurir serve --data-dir …), or use --database URL"
        case .leftBehind(let directory, let process):
            "process \(process), the PostgreSQL that an earlier kurir left behind in \(directory), does not stop:"
                + " look what it does, stop it (kill -INT \(process)), and start again"
        case .unusable(let directory, let reason):
            "the data directory \(directory) cannot be used (\(reason)): mend that, or name another one by --data-dir"
        case .failed(let what, let log, let tail):
            "PostgreSQL failed, \(what). The end of its log (\(log)):\n\(tail)"
        }
    }
}
