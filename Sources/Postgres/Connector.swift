import CLibpq
import EventLoop
import Glibc

/// Opens connections. It blocks (names are looked up, passwords are hashed), so it belongs on a thread of its own.
struct Connector: Sendable {
    private let parameters: [(keyword: String, value: String)]

    /// Whether only a server that takes writes will do.
    let wantsWritable: Bool

    /// Throws ``DatabaseURL/Invalid`` for a URL that cannot be used.
    init(url: String, limits: DatabaseLimits) throws {
        let given = try DatabaseURL.settings(in: url)
        wantsWritable = ["read-write", "primary"].contains(given["target_session_attrs"])
        let hosts = 1 + (given["host"] ?? "").count { $0 == "," }
        parameters =
            Self.defaults(limits, hosts: Int64(hosts)) + [
                ("dbname", url),
                ("options", Self.options(limits) + " " + (given["options"] ?? "")),
                ("client_encoding", "UTF8"),
            ]
    }

    /// What stands before the URL is overridden by it. libpq gives each host the time-out for itself.
    private static func defaults(_ limits: DatabaseLimits, hosts: Int64) -> [(keyword: String, value: String)] {
        [
            ("application_name", "kurir"),
            ("connect_timeout", "\(max(2, limits.connectTimeout.components.seconds / hosts))"),
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
        ]
    }

    private static func options(_ limits: DatabaseLimits) -> String {
        """
        -c statement_timeout=\(limits.statementTimeout.inNanoseconds / 1_000_000) \
        -c idle_in_transaction_session_timeout=\(limits.idleInTransactionTimeout.inNanoseconds / 1_000_000)
        """
    }

    /// Opens a connection, or says why that cannot be.
    func connect() throws -> Wire {
        var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        guard let pointer = PQconnectdbParams(&keywords, &values, 1) else { throw SystemError("connecting") }
        let wire = Wire(pointer)
        guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.unavailable(wire.lastError) }
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else {
            throw PostgresError.unavailable(wire.lastError)
        }
        return wire
    }
}

/// The one owner of a connection of libpq's. Unchecked, because it passes from the thread that connects to the loop
/// that uses it, and never back.
final class Wire: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfinish(pointer)
    }

    /// libpq's last complaint, on one line.
    var lastError: String {
        String(cString: PQerrorMessage(pointer)).onOneLine
    }
}

extension String {
    /// The same words with one space between them.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
