import CLibpq

/// The one owner of a connection of libpq's. Unchecked, because it is used on one thread at a time: first on the one
/// that connects, then for ever on the one of its loop or its ``BlockingConnection``.
final class Wire: @unchecked Sendable {
    let pointer: OpaquePointer

    /// What the server said when it ended the session while nothing was under way.
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

    /// Lets many statements be under way at once, none of which is waited for.
    func enterPipeline() throws {
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else {
            throw PostgresError.unavailable(lastError)
        }
    }

    /// Has the session hear what is announced on these channels.
    func listen(to channels: [String]) throws {
        for channel in channels {
            let result = PQexec(pointer, "LISTEN \(channel)")
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw PostgresError.unavailable(lastError) }
        }
    }

    /// Why the connection is over, or libpq's last complaint, on one line. Never quotes the password of a URL that
    /// passed the check.
    var lastError: String {
        (farewell ?? String(cString: PQerrorMessage(pointer))).onOneLine
    }
}

extension String {
    /// The same words with one space between them.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
