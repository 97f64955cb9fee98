import EventLoop
import Glibc

/// A TCP port of 127.0.0.1 that nobody else gets. It refuses connections until somebody listens there.
///
/// A server can listen there if it sets `SO_REUSEADDR`, as PostgreSQL does.
public final class ReservedPort: Sendable {
    /// Its number.
    public let number: UInt16
    private let file: Int32

    /// Takes a free port.
    public init() throws {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [file] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(file, address, length) == 0 && getsockname(file, address, &length) == 0
            }
        }
        guard isBound else { throw SystemError("reserving a port") }
        number = address.sin_port.byteSwapped
    }

    deinit {
        close(file)
    }

    /// Accepts connections from now on, and sends nothing.
    public func listenInSilence() throws {
        guard listen(file, 8) == 0 else { throw SystemError("listening") }
    }
}
