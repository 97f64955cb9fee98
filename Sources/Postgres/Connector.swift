import CLibpq
import EventLoop
import Glibc

/// Opens connections. It blocks (names are looked up, passwords are hashed), so it belongs on a thread of its own.
struct Connector: Sendable {
    private let parameters: [(keyword: String, value: String)]

    /// Whether only a server that takes writes will do.
    let wantsWritable: Bool

    /// `timeout` is shared among the hosts, and `options` are what a session begins with; what the URL says of either
    /// comes first. Throws ``DatabaseURL/Invalid`` for a URL that cannot be used.
    init(url: String, timeout: Duration, options: String = "") throws {
        let given = try DatabaseURL.settings(in: url)
        let effective = DatabaseURL.settingsOfEnvironment().merging(given) { $1 }
        let hosts = 1 + (effective["hostaddr"] ?? effective["host"] ?? "").count { $0 == "," }
        // Of several hosts, all but one are standbys; a single one is to be read also while it takes no writes.
        let session = given["target_session_attrs"] ?? (hosts > 1 ? "read-write" : "any")
        wantsWritable = ["read-write", "primary"].contains(session)
        parameters =
            Self.defaults(timeout: timeout.components.seconds / Int64(hosts)) + [
                ("dbname", url),
                ("target_session_attrs", session),
                ("options", options + " " + (effective["options"] ?? "")),
                ("client_encoding", "UTF8"),
            ]
    }

    /// What stands before the URL is overridden by it. libpq gives each host the time-out for itself, which is two
    /// seconds or more.
    private static func defaults(timeout: Int64) -> [(keyword: String, value: String)] {
        [
            ("application_name", "kurir"),
            ("connect_timeout", "\(max(2, timeout))"),
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
        ]
    }

    /// Opens a connection, or says why that cannot be.
    func connect() throws -> Wire {
        var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        guard let pointer = PQconnectdbParams(&keywords, &values, 1) else { throw SystemError("connecting") }
        let wire = Wire(pointer)
        guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.unavailable(wire.lastError) }
        return wire
    }
}
