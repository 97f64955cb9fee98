import EventLoop

/// One loop's part of the server: its connections, and what they share.
final class LoopServer {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let responder: Responder
    let admission: Admission
    let identity: TLSIdentity?
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    private(set) var date = HTTPDate()
    private(set) var isStopping = false

    private let router: Router
    private let proxies: TrustedProxies
    private var ids = RequestIDs()
    private var connections: [ClientConnection] = []
    private var listener: Acceptor?
    private var empty: Promise<Void>?

    init(
        loop: EventLoop, configuration: ServerConfiguration, router: Router, responder: Responder,
        admission: Admission, identity: TLSIdentity?
    ) {
        self.loop = loop
        self.configuration = configuration
        self.router = router
        self.responder = responder
        self.admission = admission
        self.identity = identity
        proxies = TrustedProxies(networks: configuration.trustedProxies)
    }

    deinit {
        scratch.deallocate()
    }

    func start(_ file: Int32) throws {
        listener = try Acceptor(file: file, server: self)
        sweep()
    }

    /// Checks all deadlines. That is cheaper than a timer for each of many connections that come and go.
    private func sweep() {
        date.update()
        if loop.index == 0, let event = identity?.rereadIfChanged() { responder.observe(event) }
        for connection in connections.reversed() { connection.checkDeadlines(loop.now) }
        guard !isStopping || !connections.isEmpty else { return }
        loop.schedule(after: .milliseconds(250)) { [weak self] in self?.sweep() }
    }

    // MARK: Connections

    func accept(_ file: Int32, from peer: IPAddress) {
        let tls = identity?.session(on: file)
        guard identity == nil || tls != nil,
            let connection = try? ClientConnection(server: self, file: file, peer: peer, tls: tls)
        else {
            admission.leaveConnection(peer)
            Acceptor.discard(file)
            return
        }
        connection.place = connections.count
        connections.append(connection)
    }

    /// The answer to a client that there is no room for. TLS would want a handshake first, which is more than there is room
    /// for.
    func turnedAway() -> [UInt8] {
        guard identity == nil else { return [] }
        let problem = Problem(
            .unavailable, "unavailable", wording: "too_many_connections",
            headers: [Response.Header("Retry-After", "1")])
        let id = ids.next()
        let response = problem.response(
            requestID: id, language: ProblemWords.fallback, words: configuration.words)
        guard case .bytes(let body, let type) = response.body else { return [] }
        var outbound = Outbound()
        outbound.appendHead(
            of: response, type: type, length: .known(body.count),
            Outbound.HeadFacts(
                requestID: id, date: date.bytes, minorVersion: 1, keepsAlive: false,
                isByTLSAlone: configuration.isByTLSAlone))
        outbound.append(body)
        return outbound.all
    }

    func isTrusted(_ peer: IPAddress) -> Bool {
        proxies.contains(peer)
    }

    func forget(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.place] = last
            last.place = connection.place
        }
        admission.leaveConnection(connection.peer)
        if connections.isEmpty { empty?.fulfil(.success(())) }
    }

    // MARK: Requests

    func nextRequestID() -> String {
        ids.next()
    }

    /// Gives a head its id, its client's address, and a plan.
    func incoming(_ received: ReceivedHead, peer: IPAddress) -> Incoming {
        Incoming(
            received: received, id: RequestID.accept(received.header("x-request-id")) ?? ids.next(),
            client: client(of: received, peer), plan: plan(received))
    }

    private func client(of received: ReceivedHead, _ peer: IPAddress) -> IPAddress {
        guard !proxies.networks.isEmpty else { return peer }
        return proxies.client(peer: peer, forwardedFor: received.headerList("x-forwarded-for"))
    }

    private func plan(_ received: ReceivedHead) -> Incoming.Plan {
        guard received.hasSoundEscapes else {
            return .refuse(Problem(.badRequest, "bad_request", wording: "bad_escapes"))
        }
        let bytes = received.bytes.span
        let method = received.head.method
        // The path of an absolute target may be empty, which means the root.
        guard received.path.isEmpty || bytes[received.path.lowerBound] == .slash else {
            return bytes.equals(method, "OPTIONS")
                ? .options(allow: ["GET", "HEAD", "OPTIONS"]) : .refuse(.notFound)
        }
        switch router.match(method: bytes.extracting(method.range), in: bytes, path: received.path) {
        case .found(let route, let parameters): return .handle(route, parameters: parameters)
        case .none: return .refuse(.notFound)
        case .otherMethods(let allow):
            return received.method == "OPTIONS"
                ? .options(allow: allow) : .refuse(.methodNotAllowed(received.method, allow))
        }
    }

    /// Gives back the place that a request had, and reports that it is over.
    func end(_ exchange: Exchange, status: Int) {
        let request = exchange.request
        if exchange.isCounted { admission.leaveRequest(request.client) }
        responder.observe(
            .answered(
                HTTPEvent.Summary(
                    method: request.method.isEmpty ? nil : String(request.method.prefix(32)), route: exchange.route,
                    status: status, nanoseconds: (exchange.answered ?? .now).nanoseconds(since: exchange.began),
                    requestID: request.id, account: request.account)))
    }

    // MARK: The end

    /// Takes no more connections, lets those that work finish, and ends what is left when the time is up.
    func stop(within grace: Duration) async {
        isStopping = true
        listener?.acceptWaitingAndClose()
        for connection in connections.reversed() { connection.stop() }
        guard !connections.isEmpty else { return }
        let empty = Promise<Void>(on: loop)
        self.empty = empty
        let timer = loop.schedule(after: grace) { [self] in
            for connection in connections.reversed() { connection.close() }
        }
        try? await empty.value()
        timer.cancel()
    }
}
