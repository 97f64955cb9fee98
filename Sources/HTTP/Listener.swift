import CLinux
import EventLoop
import Glibc

/// Accepts connections for one loop, from a socket of its own.
final class Listener: FileEvents {
    private let file: Int32
    private var token: FileToken?
    private unowned let server: LoopServer

    init(file: Int32, server: LoopServer) throws {
        self.file = file
        self.server = server
        token = try server.loop.watch(file, for: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
        // A bound for the turn, so that a storm of connections does not keep the open ones waiting.
        for _ in 0..<256 {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let client = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { clinux_accept(file, $0, &length) }
            }
            guard client >= 0 else { return acceptFailed() }
            admit(client, IPAddress(address))
        }
    }

    private func admit(_ client: Int32, _ peer: IPAddress) {
        guard server.admission.enter(peer, isTrusted: server.isTrusted(peer)) else {
            server.responder.observe(.turnedAway)
            Self.turnAway(client, server.turnedAway)
            return
        }
        var yes: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        server.accept(client, from: peer)
    }

    private func acceptFailed() {
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED: return
        default: pause(SystemError("accepting a connection"))
        }
    }

    /// Out of files or memory: trying at once again would only burn the core.
    private func pause(_ error: SystemError) {
        guard let token else { return }
        server.responder.observe(.cannotAccept("\(error)"))
        server.loop.rewatch(token, file: file, for: [])
        server.loop.schedule(after: .milliseconds(100)) { [self] in
            if let token = self.token { server.loop.rewatch(token, file: file, for: .readable) }
        }
    }

    func close() {
        guard let token else { return }
        self.token = nil
        server.loop.unwatch(token, file: file)
        Glibc.close(file)
    }

    static func discard(_ client: Int32) {
        Glibc.close(client)
    }

    /// Tells a client why, if its buffer takes it, and goes on.
    private static func turnAway(_ client: Int32, _ answer: [UInt8]) {
        _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        Glibc.close(client)
    }
}
