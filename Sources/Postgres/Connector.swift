import CLibpq
import EventLoop
import Glibc

/// Opens connections. It blocks (names are looked up, passwords are hashed), so it belongs on a thread of its own.
struct Connector: Sendable {
    private let parameters: [(keyword: String, value: String)]

    /// Whether the server must accept writes.
    let wantsWritable: Bool

    /// The hosts share `timeout`, and a session begins with `options`; the URL's own settings take precedence over
    /// both. Throws ``DatabaseURL/Invalid`` for a URL that cannot be used.
    init(url: String, timeout: Duration, options: String = "", isReplica: Bool = false) throws {
        let given = try DatabaseURL.settings(in: url)
        let effective = DatabaseURL.settingsOfEnvironment().merging(given) { $1 }
        let hosts = 1 + (effective["hostaddr"] ?? effective["host"] ?? "").count { $0 == "," }
        // Of several hosts only one takes writes. A single host may be read even while it takes none.
        let session = given["target_session_attrs"] ?? (hosts > 1 && !isReplica ? "read-write" : "any")
        wantsWritable = ["read-write", "primary"].contains(session)
        parameters =
            Self.defaults(timeout: timeout.components.seconds / Int64(hosts)) + [
                ("dbname", url),
                ("target_session_attrs", session),
                ("options", options + " " + (effective["options"] ?? "")),
                ("client_encoding", "UTF8"),
            ]
    }

    /// The URL overrides these settings. libpq gives each host the whole time-out, which is at least two seconds.
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

    /// Opens a connection, or throws the reason why it cannot.
    func connect() throws -> Wire {
        let opened = Self.withTexts(parameters) { PQconnectdbParams($0, $1, 1) }
        guard let pointer = opened else { throw SystemError("connecting") }
        let wire = Wire(pointer)
        guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.unavailable(wire.lastError) }
        return wire
    }

    /// Whether the server at this place answers a new connection, be it by a refusal. The kernel takes connections for
    /// a server that hangs, so the question has a bound, which libpq reads as two seconds at least.
    func isAnswered(at place: ServerPlace, within bound: Duration) -> Bool {
        let own = [("connect_timeout", "\(max(2, bound.components.seconds))"), ("target_session_attrs", "any")]
        return Self.withTexts(parameters + place.parameters + own) { PQpingParams($0, $1, 1) } != PQPING_NO_RESPONSE
    }

    private typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

    private static func withTexts<Answer>(
        _ parameters: [(keyword: String, value: String)], _ body: (_ keywords: Texts, _ values: Texts) -> Answer
    ) -> Answer {
        let keywords = parameters.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        let values = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        return body(keywords, values)
    }
}

/// A server as a connection has reached it. Of several hosts it is that one, and no name has to be looked up again.
struct ServerPlace: Hashable, Sendable {
    let host: String
    let address: String
    let port: String

    /// libpq passes over those without a value.
    fileprivate var parameters: [(keyword: String, value: String)] {
        [("host", host), ("hostaddr", address), ("port", port)]
    }
}
