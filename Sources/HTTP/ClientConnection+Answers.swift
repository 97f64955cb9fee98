import EventLoop

extension ClientConnection {
    typealias Stream = @Sendable (BodyWriter) async throws -> Void

    /// Answers the current exchange; returns the writer of the body if the body is streamed.
    ///
    /// Does nothing when the exchange is over already, because its client left or its time was up.
    func answer(_ response: Response, serial: UInt64) -> Stream? {
        guard serial == self.serial, exchange != nil else { return nil }
        return answer(response)
    }

    @discardableResult
    func answer(_ wanted: Response) -> Stream? {
        guard var exchange else { return nil }
        let response = affordable(wanted, exchange)
        (exchange.status, exchange.answered) = (response.status.code, .now)
        // What is still to come of the body would be taken for the next request.
        if let streamed, !streamed.isOver { exchange.keepsAlive = false }
        var stream: Stream?
        switch response.status.forbidsBody ? .none : response.body {
        case .none:
            writeHead(response, exchange, type: nil, response.status.forbidsBody ? .untold : .known(0))
        case .bytes(let bytes, let type):
            writeHead(response, exchange, type: type, .known(bytes.count))
            if !exchange.isHead { outbound.append(bytes) }
        case .stream(let type, let write):
            if exchange.minorVersion == 0 { exchange.keepsAlive = false }
            writeHead(response, exchange, type: type, exchange.minorVersion == 0 ? .untold : .chunked)
            if !exchange.isHead { stream = write }
        }
        exchange.isStreaming = stream != nil
        self.exchange = exchange
        flushAtEndOfTurn()
        if stream == nil { finish() }
        // When the server stops, the stream may tell its client so, and end.
        if stream != nil, server.isStopping { task?.cancel() }
        return stream
    }

    private func writeHead(_ response: Response, _ exchange: Exchange, type: String?, _ length: Outbound.BodyLength) {
        outbound.appendHead(
            of: response, type: type, length: length,
            Outbound.HeadFacts(
                requestID: exchange.request.id, date: server.date.bytes, minorVersion: exchange.minorVersion,
                keepsAlive: exchange.keepsAlive, isByTLSAlone: server.configuration.isByTLSAlone))
    }

    /// The exchange is over; the next may begin.
    private func finish() {
        guard let exchange else { return }
        server.end(exchange, status: exchange.status)
        self.exchange = nil
        task = nil
        streamed = nil
        guard exchange.keepsAlive else {
            phase = .head
            phaseDeadline = .distantFuture
            return closeWhenWritten()
        }
        phase = .head
        phaseDeadline = server.loop.now + server.configuration.limits.idleTimeout
        pump()
    }

    // MARK: Streams

    /// Whether a stream may write now; otherwise it has to wait for the client. Throws when the stream is over.
    func hasRoom(_ serial: UInt64) throws -> Bool {
        guard serial == self.serial, exchange != nil else { throw CancellationError() }
        return outbound.count < server.configuration.limits.backlog
    }

    /// A promise that is kept when the client has read enough for more to be written.
    func room() -> Promise<Void> {
        let promise = Promise<Void>(on: server.loop)
        awaitingRoom.removeAll { $0.isOver }
        awaitingRoom.append(promise)
        return promise
    }

    func append(chunk: [UInt8], serial: UInt64) throws {
        guard serial == self.serial, let exchange else { throw CancellationError() }
        guard !chunk.isEmpty else { return }
        if exchange.minorVersion == 0 {
            outbound.append(chunk)
        } else {
            outbound.append(hexadecimal: chunk.count)
            outbound.append("\r\n")
            outbound.append(chunk)
            outbound.append("\r\n")
        }
        flushAtEndOfTurn()
    }

    func endStream(_ serial: UInt64) {
        guard serial == self.serial, let exchange else { return }
        if exchange.minorVersion == 1 { outbound.append("0\r\n\r\n") }
        flushAtEndOfTurn()
        finish()
    }

    /// Breaks the connection, because nothing else tells the client that the body cannot be completed.
    func breakStream(_ serial: UInt64) {
        guard serial == self.serial, exchange != nil else { return }
        exchange?.keepsAlive = false
        finish()
    }
}
