import COpenSSL
import Glibc

/// The socket below TLS, as libssl reads and writes it. libssl's own way to a socket would end the process when a client has
/// left (SIGPIPE), and would not tell whether more can be read.
final class TLSSocket {
    let file: Int32
    /// Whether the socket had nothing at the last look.
    var isDry = false
    /// Whether the client has sent anything, and whether it will send no more.
    private(set) var hasReceived = false
    private(set) var hasEnded = false

    init(_ file: Int32) {
        self.file = file
    }

    /// libssl's handle for it, which is good for as long as this lives.
    func bio() -> OpaquePointer? {
        guard let method = Self.method.pointer, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int {
        let received = recv(file, bytes, Int(count), 0)
        isDry = received < 0 && errno == EAGAIN
        hasReceived = hasReceived || received > 0
        hasEnded = received == 0
        return received
    }

    // MARK: libssl's side

    /// Unchecked, because it is written once and then only read.
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    private static let method: Method = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "kurir")
        BIO_meth_set_read(method) { bio, bytes, count in
            guard let bio, let socket = TLSSocket.of(bio) else { return -1 }
            return TLSSocket.told(bio, socket.receive(bytes, count), BIO_FLAGS_READ)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bio, let socket = TLSSocket.of(bio) else { return -1 }
            return TLSSocket.told(bio, send(socket.file, bytes, Int(count), Int32(MSG_NOSIGNAL)), BIO_FLAGS_WRITE)
        }
        // Nothing is held back, so there is nothing to flush.
        BIO_meth_set_ctrl(method) { bio, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return Method(pointer: method)
    }()

    private static func of(_ bio: OpaquePointer) -> TLSSocket? {
        BIO_get_data(bio).map { Unmanaged<TLSSocket>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Tells libssl what became of a call, and whether to try again.
    private static func told(_ bio: OpaquePointer, _ count: Int, _ direction: Int32) -> Int32 {
        BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
        if count < 0, errno == EAGAIN || errno == EINTR { BIO_set_flags(bio, direction | BIO_FLAGS_SHOULD_RETRY) }
        return Int32(count)
    }
}
