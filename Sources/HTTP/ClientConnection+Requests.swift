import EventLoop

extension ClientConnection {
    /// How long a handler goes on for a client that has closed its sending side. Such a client may have left for good,
    /// or may only have finished asking.
    private static let graceForHalfClosed = Duration.milliseconds(500)

    // MARK: Reading

    /// Reads the head; false when more bytes are needed.
    func readHead() throws(Malformed) -> Bool {
        if !parser.hasBegun { phaseDeadline = server.loop.now + server.configuration.limits.headTimeout }
        let isComplete = try inbound.read { bytes throws(Malformed) in try parser.parse(bytes) }
        guard isComplete else { return false }
        let received = ReceivedHead(head: parser.head, bytes: inbound.prefix(parser.position))
        inbound.consume(parser.position)
        parser.reset()
        let incoming = server.incoming(received, peer: peer)
        self.incoming = incoming
        let streams = incoming.route?.streamsUpTo
        let decoder = try BodyDecoder(received.head.framing, limit: streams ?? server.configuration.limits.body)
        if streams != nil {
            streamed = StreamedBody(decoder: decoder, awaitsContinue: received.head.expectsContinue && inbound.isEmpty)
            begin(incoming)
        } else if decoder.isComplete {
            begin(incoming)
        } else {
            awaitBody(incoming, decoder)
        }
        return true
    }

    private func awaitBody(_ incoming: Incoming, _ decoder: BodyDecoder) {
        phase = .body(decoder)
        phaseDeadline = server.loop.now + server.configuration.limits.bodyTimeout
        guard incoming.received.head.expectsContinue, inbound.isEmpty else { return }
        if case .handle = incoming.plan {
            outbound.append("HTTP/1.1 100 Continue\r\n\r\n")
            flushAtEndOfTurn()
        } else {
            // The client is told before it sends the body in vain.
            begin(incoming, keepsAlive: false)
        }
    }

    /// Reads the body; false when more bytes are needed.
    func readBody(_ decoder: BodyDecoder) throws(Malformed) -> Bool {
        var decoder = decoder
        let count = try inbound.read { bytes throws(Malformed) in try decoder.decode(bytes, into: &body) }
        inbound.consume(count)
        phase = .body(decoder)
        if decoder.isComplete, let incoming { begin(incoming) }
        return decoder.isComplete
    }

    // MARK: Handling

    private func begin(_ incoming: Incoming, keepsAlive: Bool = true) {
        let head = incoming.received.head
        let request = Request(
            incoming.received, body: body, id: incoming.id, client: incoming.client,
            parameters: incoming.parameters,
            pieces: streamed == nil
                ? nil : BodyReader(connection: LoopBound(self, to: server.loop), serial: serial + 1))
        exchange = Exchange(
            request: request, route: incoming.route?.template, began: server.loop.now,
            isHead: request.method == "HEAD", minorVersion: head.minorVersion,
            keepsAlive: keepsAlive && head.keepsAlive && !server.isStopping)
        self.incoming = nil
        body = []
        serial += 1
        phase = .handling
        switch incoming.plan {
        case .handle(let route, _): admit(request, to: route)
        case .options(let allow):
            answer(server.responder.crossOrigin.preflight(origin: request.header("origin"), allow: allow))
        case .refuse(let problem): answer(server.responder.refusal(problem, of: request))
        }
    }

    private func admit(_ request: Request, to route: Route) {
        switch server.admission.enterRequest(request.client) {
        case .admitted:
            exchange?.isCounted = true
            handle(request, by: route)
        case .tooManyOfThisAddress: answer(server.responder.response(to: .rateLimited(), of: request))
        case .tooMany: answer(server.responder.response(to: .unavailable(), of: request))
        }
    }

    private func handle(_ request: Request, by route: Route) {
        phaseDeadline = server.loop.now + route.deadline
        let (responder, serial) = (server.responder, serial)
        let connection = LoopBound(self, to: server.loop)
        task = Task(executorPreference: server.loop) {
            let response = await responder.respond(to: request, by: route)
            guard let stream = connection.value.answer(response, serial: serial) else { return }
            do {
                try await stream(BodyWriter(connection: connection, serial: serial))
                connection.value.endStream(serial)
            } catch {
                connection.value.breakStream(serial)
            }
        }
    }

    /// Refuses a request that cannot be understood. It is the last one, since nobody knows where the next would begin.
    func refuse(_ malformed: Malformed) {
        refuse(Problem(malformed))
    }

    func refuse(_ problem: Problem) {
        var request = Request(.unreadable, id: server.nextRequestID(), client: peer)
        if let incoming { request = Request(incoming.received, id: incoming.id, client: incoming.client) }
        inbound.drop()
        exchange = Exchange(
            request: request, route: incoming?.route?.template, began: server.loop.now, isHead: false, minorVersion: 1,
            keepsAlive: false)
        phase = .handling
        answer(server.responder.response(to: problem, of: request))
    }

    // MARK: Time

    /// Called four times a second.
    func checkDeadlines(_ now: Instant) {
        if writeDeadline < now { return close() }
        if case .handling = phase, let peerLeft, let exchange {
            if max(peerLeft, exchange.began) + Self.graceForHalfClosed < now { task?.cancel() }
        }
        guard phaseDeadline < now else { return }
        switch phase {
        case .head where !parser.hasBegun && inbound.isEmpty: close()
        case .head, .body: refuse(Problem(.requestTimeout, "request_timeout"))
        case .handling where exchange?.isStreaming == false: giveUpOnHandler()
        case .handshake: giveUpOnHandshake()
        case .lingering: close()
        case .handling, .closed: break
        }
    }

    private func giveUpOnHandler() {
        guard let exchange else { return }
        task?.cancel()
        serial += 1
        let problem =
            streamed?.wanted != nil
            ? Problem(.requestTimeout, "request_timeout")
            : Problem(
                .unavailable, "unavailable", wording: "deadline_passed", headers: [Response.Header("Retry-After", "1")])
        answer(server.responder.response(to: problem, of: exchange.request))
    }

    /// Closes an idle connection now, a busy one after its answer, and a stream as soon as possible.
    func stop() {
        exchange?.keepsAlive = false
        if isIdle() { return closeWhenWritten() }
        switch phase {
        case .handling where exchange?.isStreaming == true: task?.cancel()
        case .handshake: close()
        case .head, .body, .handling, .lingering, .closed: break
        }
    }
}
