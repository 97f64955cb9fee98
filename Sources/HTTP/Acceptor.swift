import CLinux
import EventLoop
import Glibc

/// Accepts connections for one loop, from a socket of its own.
final class Acceptor: FileEvents {
    private let file: Int32
    private var token: FileToken?
    private unowned let server: LoopServer

    init(file: Int32, server: LoopServer) throws {
        self.file = file
        self.server = server
        token = try server.loop.watch(file, for: .readable, handler: self)
    }

    func ready(_ readiness: FileReadiness) {
        // Each turn accepts a bounded number, so that a storm of connections does not keep the open ones waiting.
        for _ in 0..<256 where !accept() { return }
    }

    /// Accepts one connection; false when none waits.
    private func accept() -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let client = clinux_accept(file, &address, &length)
        if client >= 0 { admit(client, IPAddress(address)) } else { acceptFailed() }
        return client >= 0
    }

    private func admit(_ client: Int32, _ peer: IPAddress) {
        guard server.admission.enterConnection(peer, isTrusted: server.isTrusted(peer)) else {
            server.responder.observe(.turnedAway)
            Self.turnAway(client, server.turnedAway())
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

    /// Stops accepting for a while when files or memory run out: trying again at once would only burn the core.
    private func pause(_ error: SystemError) {
        guard let token else { return }
        server.responder.observe(.cannotAccept("\(error)"))
        server.loop.rewatch(token, file: file, for: [])
        server.loop.schedule(after: .milliseconds(100)) { [self] in
            if let token = self.token { server.loop.rewatch(token, file: file, for: .readable) }
        }
    }

    /// Accepts the connections that the kernel has let in already, since closing at once would reset them.
    func acceptWaitingAndClose() {
        guard let token else { return }
        while accept() {}
        self.token = nil
        server.loop.unwatch(token, file: file)
        Glibc.close(file)
    }

    static func discard(_ client: Int32) {
        Glibc.close(client)
    }

    /// Tells a client why it is turned away. Bytes that it has sent are taken first, because closing would otherwise
    /// reset the connection and could take the answer with it.
    private static func turnAway(_ client: Int32, _ answer: [UInt8]) {
        _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
        shutdown(client, Int32(SHUT_WR))
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) {
            _ = recv(client, $0.baseAddress, $0.count, 0)
        }
        Glibc.close(client)
    }
}
