extension ClientConnection {
    /// The answer, or a refusal if it is large and too much waits to be read already: once a large answer has begun,
    /// its client can only be cut off.
    func affordable(_ response: Response, _ exchange: Exchange) -> Response {
        guard case .bytes(let bytes, _) = response.body, bytes.count > server.configuration.limits.backlog,
            !exchange.isHead
        else { return response }
        var problem: Problem
        switch charge(outbound.count + bytes.count) {
        case .admitted: return response
        case .tooManyOfThisAddress: problem = .rateLimited()
        case .tooMany: problem = .unavailable()
        }
        problem.wording = "too_much_unread"
        return server.responder.response(to: problem, of: exchange.request)
    }

    /// Counts what waits here among what waits for all clients. This costs nothing while the kernel takes everything.
    ///
    /// If the new amount is too much, the amount counted before still counts.
    func charge(_ waiting: Int) -> Admission.Verdict {
        let more = waiting - charged
        if more > 0 {
            let verdict = server.admission.enterBytes(more, peer, isTrusted: server.isTrusted(peer))
            guard verdict == .admitted else { return verdict }
        } else if more < 0 {
            server.admission.leaveBytes(-more, peer)
        }
        charged = waiting
        return .admitted
    }

    /// Closes the connection, because too much waits for clients and this one would add to it.
    func cutOff() {
        server.responder.observe(.cutOff)
        close()
    }

    /// Drops what waits, because nobody will read it any more.
    func dropWaiting() {
        outbound = Outbound()
        _ = charge(0)
    }
}
