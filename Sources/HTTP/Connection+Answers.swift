import EventLoop

extension Connection {
    typealias Stream = @Sendable (BodyWriter) async throws -> Void

    /// Answers the exchange under way; returns what writes the body, where that happens bit by bit.
    ///
    /// Does nothing when the exchange is over already: its client left, or its time was up.
    func answer(_ response: Response, serial: UInt64) -> Stream? {
        guard serial == self.serial, exchange != nil else { return nil }
        return answer(response)
    }

    @discardableResult
    func answer(_ response: Response) -> Stream? {
        guard var exchange else { return nil }
        exchange.status = response.status.code
        var stream: Stream?
        switch response.body {
        case .none: writeHead(response, exchange, type: nil, length: response.status.forbidsBody ? nil : 0)
        case .bytes(let bytes, let type):
            writeHead(response, exchange, type: type, length: bytes.count)
            if !exchange.isHead { outbound.append(bytes) }
        case .stream(let type, let write):
            if exchange.minorVersion == 0 { exchange.keepsAlive = false }
            writeHead(response, exchange, type: type, length: nil)
            if !exchange.isHead { stream = write }
        }
        exchange.isStreaming = stream != nil
        self.exchange = exchange
        flushAtEndOfTurn()
        if stream == nil { finish() }
        return stream
    }

    /// The exchange is over; the next may begin.
    private func finish() {
        guard let exchange else { return }
        server.report(exchange, status: exchange.status)
        self.exchange = nil
        task = nil
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

    /// Kept when the client has read enough to write more.
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

    /// The body cannot be completed: only a connection that breaks tells the client so.
    func breakStream(_ serial: UInt64) {
        guard serial == self.serial, exchange != nil else { return }
        exchange?.keepsAlive = false
        finish()
    }

    // MARK: Heads

    private func writeHead(_ response: Response, _ exchange: Exchange, type: String?, length: Int?) {
        outbound.append(response.status == .ok ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 ")
        if response.status != .ok {
            outbound.append(decimal: response.status.code)
            outbound.append(" ")
            outbound.append(response.status.phrase.utf8)
            outbound.append("\r\n")
        }
        outbound.append(server.date.bytes)
        field("X-Request-Id: ", exchange.request.id)
        if let type { field("Content-Type: ", type) }
        if let length {
            outbound.append("Content-Length: ")
            outbound.append(decimal: length)
            outbound.append("\r\n")
        } else if !response.status.forbidsBody, exchange.minorVersion == 1 {
            outbound.append("Transfer-Encoding: chunked\r\n")
        }
        if !exchange.keepsAlive {
            outbound.append("Connection: close\r\n")
        } else if exchange.minorVersion == 0 {
            outbound.append("Connection: keep-alive\r\n")
        }
        writeHeaders(response)
        outbound.append("\r\n")
    }

    private func writeHeaders(_ response: Response) {
        outbound.append(SecurityHeaders.always)
        if !response.sets("Content-Security-Policy") { outbound.append(SecurityHeaders.contentPolicy) }
        if !response.sets("Cache-Control") { outbound.append(SecurityHeaders.cachePolicy) }
        for header in response.headers {
            outbound.append(header.name.utf8)
            outbound.append(": ")
            // A control character would let a value end its line and begin another.
            outbound.append(header.value.utf8.lazy.map { Grammar.isFieldValue($0) ? $0 : .space })
            outbound.append("\r\n")
        }
    }

    private func field(_ name: StaticString, _ value: String) {
        outbound.append(name)
        outbound.append(value.utf8)
        outbound.append("\r\n")
    }
}

/// What every answer tells browsers, unless its route knows better.
enum SecurityHeaders {
    static let always: StaticString = """
        X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
        Cross-Origin-Resource-Policy: same-origin\r\n
        """
    static let contentPolicy: StaticString =
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    static let cachePolicy: StaticString = "Cache-Control: no-store\r\n"
}
