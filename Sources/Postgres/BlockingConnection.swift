import CLibpq
import EventLoop
import Glibc

/// A connection that makes its thread wait: for what runs once and may take its time, such as migrating.
///
/// The sole owner of its `PGconn`, to be used on one thread at a time, and never on a loop's.
public final class BlockingConnection {
    private let connection: OpaquePointer

    /// Where in the script the server found the fault of the last refusal: characters, counted from one.
    private(set) var faultPosition: Int?

    /// Connects within `timeout`, all hosts of the URL taken together.
    ///
    /// Of several hosts it takes the one that can be written to, unless the URL says otherwise.
    public init(url: String, timeout: Duration = .seconds(10)) throws {
        _ = try DatabaseURL.settings(in: url)
        let defaults = [("client_encoding", "UTF8"), ("target_session_attrs", "read-write"), ("dbname", url)]
        let keywords = defaults.map { strdup($0.0) } + [nil]
        let values = defaults.map { strdup($0.1) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let started = keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let started else { throw PostgresError.unavailable("no memory for a connection") }
        connection = started
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        try finishConnecting(until: Instant.now + timeout)
    }

    deinit {
        PQfinish(connection)
    }

    /// Runs a script of any number of statements; where it begins no transaction of its own, all or none take effect.
    public func execute(_ script: String) throws {
        _ = try answer(PQexec(connection, script))
    }

    /// Runs one statement with parameters `$1…`, all as text, and gives its rows as text.
    public func query(_ statement: String, _ parameters: [String?] = []) throws -> [[String?]] {
        let texts = parameters.map { $0.map { strdup($0) } ?? nil }
        defer { for text in texts { free(text) } }
        let result = texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
            PQexecParams(connection, statement, Int32(values.count), nil, values.baseAddress, nil, nil, 0)
        }
        return try answer(result)
    }

    private func finishConnecting(until deadline: Instant) throws {
        var step = PQconnectPoll(connection)
        while step != PGRES_POLLING_OK {
            guard step != PGRES_POLLING_FAILED else { throw PostgresError.unavailable(lastMessage) }
            let interest = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
            let remaining = deadline.nanoseconds(since: .now) / 1_000_000
            var file = pollfd(fd: PQsocket(connection), events: Int16(interest), revents: 0)
            guard remaining > 0, poll(&file, 1, Int32(clamping: remaining)) > 0 || errno == EINTR else {
                throw PostgresError.unavailable("the database did not answer in time")
            }
            step = PQconnectPoll(connection)
        }
    }

    private func answer(_ result: OpaquePointer?) throws -> [[String?]] {
        defer { PQclear(result) }
        faultPosition = nil
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_TUPLES_OK: return rows(of: result)
        default: throw failure(of: result)
        }
    }

    private func rows(of result: OpaquePointer?) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    private func failure(of result: OpaquePointer?) -> PostgresError {
        guard PQstatus(connection) == CONNECTION_OK, let state = ErrorField.state.value(in: result) else {
            return .connectionLost(lastMessage)
        }
        faultPosition = ErrorField.position.value(in: result).flatMap { Int($0) }
        let message = ErrorField.message.value(in: result) ?? "no message"
        let constraint = ErrorField.constraint.value(in: result)
        return .refused(ServerError(state: SQLState(state), message: message, constraint: constraint))
    }

    /// The letters of PG_DIAG_…, character macros that Swift does not import.
    private enum ErrorField: Unicode.Scalar {
        case state = "C"
        case message = "M"
        case position = "P"
        case constraint = "n"

        func value(in result: OpaquePointer?) -> String? {
            PQresultErrorField(result, Int32(rawValue.value)).map { String(cString: $0) }
        }
    }

    /// What libpq says of the connection; it never quotes the password of a URL that passed the check.
    private var lastMessage: String {
        var message = String(cString: PQerrorMessage(connection))
        while message.last?.isWhitespace == true { message.removeLast() }
        return message
    }
}
