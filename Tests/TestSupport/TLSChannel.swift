import COpenSSL
import Glibc
import Synchronization

/// The client's side of TLS on a socket. One thread may read while another writes.
final class TLSChannel: Sendable {
    private let file: Int32
    private let session: Mutex<Session>

    /// Unchecked, because the lock lets one thread at a time use it.
    private struct Session: @unchecked Sendable {
        let ssl: OpaquePointer
        var isOver = false
    }

    /// Shakes hands on a connected socket, whose server nobody vouches for: tests ask openssl about certificates.
    init(_ file: Int32) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw ClientError.ended
        }
        // The session keeps the context.
        SSL_CTX_free(context)
        SSL_set_fd(ssl, file)
        self.file = file
        session = Mutex(Session(ssl: ssl))
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
        guard try act({ SSL_connect($0) }) > 0 else { throw ClientError.ended }
    }

    deinit {
        session.withLock { SSL_free($0.ssl) }
    }

    /// Like `recv`: 0 at the end, whether the server said so or not.
    func receive(_ buffer: UnsafeMutableBufferPointer<UInt8>) throws -> Int {
        try act { SSL_read($0, buffer.baseAddress, Int32(buffer.count)) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        try act { SSL_write($0, bytes.baseAddress, Int32(min(bytes.count, 16_384))) }
    }

    /// Says that nothing more will come.
    func sayGoodbye() {
        session.withLock { _ = SSL_shutdown($0.ssl) }
    }

    /// Whether the server has said that nothing more will come.
    var wasToldGoodbye: Bool {
        session.withLock { SSL_get_shutdown($0.ssl) & SSL_RECEIVED_SHUTDOWN != 0 }
    }

    /// Asks for other keys in the way of TLS 1.2, and says whether the server takes part.
    func renegotiate() throws -> Bool {
        session.withLock { _ = SSL_renegotiate($0.ssl) }
        return (try? act { SSL_do_handshake($0) }) == 1
    }

    /// Asks for other keys in the way of TLS 1.3.
    func updateKeys() throws {
        session.withLock { _ = SSL_key_update($0.ssl, SSL_KEY_UPDATE_REQUESTED) }
        _ = try act { SSL_do_handshake($0) }
    }

    /// Tries until the socket lets it.
    private func act(_ call: (OpaquePointer) -> Int32) throws -> Int {
        Self.blockPipeSignal()
        while true {
            let (result, error) = session.withLock { session in
                ERR_clear_error()
                errno = 0
                let result = session.isOver ? -1 : call(session.ssl)
                let error =
                    result > 0 ? SSL_ERROR_NONE : session.isOver ? SSL_ERROR_SSL : SSL_get_error(session.ssl, result)
                return (result, error)
            }
            switch error {
            case SSL_ERROR_NONE: return Int(result)
            case SSL_ERROR_WANT_READ: try wait(POLLIN)
            case SSL_ERROR_WANT_WRITE: try wait(POLLOUT)
            case SSL_ERROR_ZERO_RETURN: return 0
            default:
                let wasReset = errno == ECONNRESET || errno == EPIPE
                session.withLock { $0.isOver = true }
                if wasReset { throw ClientError.reset }
                if ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING { return 0 }
                throw ClientError.ended
            }
        }
    }

    /// libssl's own sockets end a process whose other side has left.
    private static func blockPipeSignal() {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
    }

    private func wait(_ events: Int32) throws {
        var wanted = pollfd(fd: file, events: Int16(events), revents: 0)
        guard poll(&wanted, 1, 90_000) > 0 else { throw ClientError.timedOut }
    }
}
