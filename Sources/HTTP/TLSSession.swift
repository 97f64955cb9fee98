import COpenSSL
import Glibc

/// The TLS of one connection. It is used like a socket: its calls give what `recv` and `send` would, errno included.
///
/// libssl reads and writes the socket itself, so that bytes are copied only where they are opened or sealed.
final class TLSSession {
    let socket: TLSSocket
    private let ssl: OpaquePointer
    /// Whether the handshake is over and nothing has gone wrong since.
    private var isSound = false

    /// How far a handshake has come.
    enum Handshake {
        case done
        case underWay
        /// The client speaks HTTP without TLS.
        case plain
        case failed
        /// The client left without a word.
        case left
    }

    init?(_ context: TLSContext, file: Int32) {
        socket = TLSSocket(file)
        guard let ssl = SSL_new(context.pointer) else { return nil }
        self.ssl = ssl
        guard let bio = socket.bio() else {
            SSL_free(ssl)
            return nil
        }
        SSL_set_bio(ssl, bio, bio)
    }

    deinit {
        SSL_free(ssl)
    }

    func shakeHands() -> Handshake {
        ERR_clear_error()
        let result = SSL_accept(ssl)
        isSound = result == 1
        guard !isSound else { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .underWay
        default: break
        }
        if ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST { return .plain }
        return socket.hasEnded && !socket.hasReceived ? .left : .failed
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard isSound else { return 0 }
        ERR_clear_error()
        socket.isDry = false
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        guard count <= 0 else { return Int(count) }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ:
            // What came was no data of the client. There may be more behind it.
            errno = socket.isDry ? EAGAIN : EINTR
            return -1
        case SSL_ERROR_WANT_WRITE:
            errno = EAGAIN
            return -1
        case SSL_ERROR_ZERO_RETURN: return 0
        default:
            isSound = socket.hasEnded
            return 0
        }
    }

    /// Writes one record after the other, until the socket takes no more.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        var sent = 0
        while sent < bytes.count, isSound {
            ERR_clear_error()
            var count = 0
            let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
            guard SSL_write_ex(ssl, rest.baseAddress, rest.count, &count) != 1 else {
                sent += count
                continue
            }
            isSound = SSL_get_error(ssl, 0) == SSL_ERROR_WANT_WRITE
            guard isSound, sent == 0 else { break }
            errno = EAGAIN
            return -1
        }
        guard isSound || sent > 0 else {
            errno = EPIPE
            return -1
        }
        return sent
    }

    /// Tells the client that nothing more will come, as far as the socket takes it now.
    func sayGoodbye() {
        guard isSound else { return }
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        isSound = false
    }
}
