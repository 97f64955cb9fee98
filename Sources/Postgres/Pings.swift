import EventLoop

/// Tells a server that hangs from one that takes its time over a statement: it is asked by a new connection, on a
/// thread of its own, and answers that while it lives.
///
/// The pools of all loops share one, so a server is asked by one at a time.
final class Pings: Sendable {
    private let connector: Connector
    private let limits: DatabaseLimits
    private let thread: BlockingPool
    private let servers = Locked<[ServerPlace: Server]>([:])

    private struct Server {
        var isAsked = false
        /// When it was asked first of all the times since it was heard last.
        var askedSince: Instant?
        var heard: Instant

        mutating func hear(at instant: Instant) {
            heard = max(heard, instant)
            if let askedSince, askedSince < heard { self.askedSince = nil }
        }
    }

    init(_ connector: Connector, _ limits: DatabaseLimits) throws {
        (self.connector, self.limits) = (connector, limits)
        thread = try BlockingPool(name: "ping", threads: 1, waiting: 64)
    }

    /// Something came from the server, over any connection.
    func heard(from place: ServerPlace, at instant: Instant) {
        servers.withLock { $0[place, default: Server(heard: instant)].hear(at: instant) }
    }

    /// Asks the server, unless it is asked already or was heard a moment ago.
    func ask(_ place: ServerPlace, at now: Instant) {
        let isNew = servers.withLock { servers in
            guard let server = servers[place], !server.isAsked, server.heard + limits.silence < now
            else { return false }
            servers[place]?.isAsked = true
            return true
        }
        guard isNew else { return }
        let isAccepted = thread.submit { [self] in ping(place) }
        if !isAccepted { servers.withLock { $0[place]?.isAsked = false } }
    }

    /// A refusal to connect may be that of a busy machine, so it does not count at once: the server is asked again.
    private func ping(_ place: ServerPlace) {
        servers.withLock { servers in
            if servers[place]?.askedSince == nil { servers[place]?.askedSince = .now }
        }
        let isAnswered = connector.isAnswered(at: place, within: limits.pingTimeout)
        servers.withLock { servers in
            servers[place]?.isAsked = false
            if isAnswered { servers[place]?.hear(at: .now) }
        }
    }

    /// Whether nothing has come from the server for too long since it was asked.
    func isGone(_ place: ServerPlace, at now: Instant) -> Bool {
        guard let since = servers.withLock({ $0[place]?.askedSince }) else { return false }
        return since + limits.pingTimeout < now
    }

    /// Waits for the thread, so it is not called on a loop.
    func stop() { thread.stop() }
}
