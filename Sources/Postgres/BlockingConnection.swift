import CLibpq
import Glibc

/// A connection that blocks its thread, for work that runs once and may take its time, such as migrating.
///
/// Use it on one thread at a time, and never on a loop's.
public final class BlockingConnection {
    private let wire: Wire

    /// Where in the script the server found the error of the last refusal: characters, counted from one.
    private(set) var faultPosition: Int?

    /// Connects within `timeout`, which the hosts of the URL share; each has at least two seconds.
    ///
    /// If there are several hosts it takes the one that accepts writes, unless the URL says otherwise.
    public init(url: String, timeout: Duration = .seconds(10)) throws {
        wire = try Connector(url: url, timeout: timeout).connect()
    }

    /// Runs a script of statements. Unless it begins a transaction of its own, all of them take effect or none.
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

    private var connection: OpaquePointer { wire.pointer }

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
        guard let error = ServerError(result) else { return .connectionLost(wire.lastError) }
        faultPosition = ErrorField.position.value(in: result).flatMap { Int($0) }
        return .refused(error)
    }
}
