import EventLoop

extension ClientConnection {
    /// Goes on with the handshake; false while there is no request to read.
    func shakeHands() -> Bool {
        switch tls?.shakeHands() {
        case .done, nil:
            phase = .head
            phaseDeadline = server.loop.now + server.configuration.limits.idleTimeout
            return true
        case .underWay: return false
        case .plain:
            tls = nil
            phase = .head
            refuse(Problem(.badRequest, "bad_request", wording: "tls_wanted"))
        case .failed: giveUpOnHandshake()
        case .left: close()
        }
        return false
    }

    func giveUpOnHandshake() {
        server.responder.observe(.handshakeFailed)
        close()
    }
}
