import CLibpq

/// The only owner of a libpq connection. Unchecked, because one thread at a time uses it: first the one that connects,
/// then for ever the one of its loop or its ``BlockingConnection``.
final class Wire: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The server's message when it ended the session while nothing was under way.
    private var farewell: String?

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        let receiver: PQnoticeReceiver = { wire, notice in
            guard let wire, ErrorField.severity.value(in: notice) == "FATAL" else { return }
            Unmanaged<Wire>.fromOpaque(wire).takeUnretainedValue().farewell = ErrorField.message.value(in: notice)
        }
        PQsetNoticeReceiver(pointer, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        PQfinish(pointer)
    }

    /// Lets many statements be under way at once, without waiting for any.
    func enterPipeline() throws {
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else {
            throw PostgresError.unavailable(lastError)
        }
    }

    /// Begins to hear, with what the session says of itself first.
    func begin(_ hearing: Hearing) throws {
        for command in hearing.opening + hearing.channels.map({ "LISTEN \($0)" }) {
            let result = PQexec(pointer, command)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw PostgresError.unavailable(lastError)
            }
        }
    }

    /// Where the server is that was reached.
    var place: ServerPlace {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return ServerPlace(
            host: text(PQhost(pointer)), address: text(PQhostaddr(pointer)), port: text(PQport(pointer)))
    }

    /// The reason why the connection is over, or libpq's last complaint, on one line. It never quotes the password of a
    /// URL that passed the check.
    var lastError: String {
        (farewell ?? String(cString: PQerrorMessage(pointer))).onOneLine
    }
}

extension String {
    /// The same words, separated by single spaces.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
