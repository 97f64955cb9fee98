import EventLoop
import Glibc

/// A client's connection: one request after the other is read, handled and answered, on one loop.
///
/// Nothing is read while a handler works. Bytes that a client sends ahead wait in the kernel, which bounds them.
final class ClientConnection: FileEvents, TurnEnd {
    let server: LoopServer
    let peer: IPAddress
    let file: Int32
    var place = 0
    /// Nil where bytes go as they are.
    var tls: TLSSession?

    var phase = Phase.head
    var parser: RequestParser
    var inbound = Inbound()
    var outbound = Outbound()
    /// How many of those bytes are counted among what waits for all clients.
    var charged = 0
    /// The request that is being read, once its head is known, and as much of its body as has come.
    var incoming: Incoming?
    var body: [UInt8] = []
    /// The body that the handler reads piece by piece; nil where it got the whole.
    var streamed: StreamedBody?
    /// The request that is being answered.
    var exchange: Exchange?
    var task: Task<Void, Never>?
    /// Counts exchanges, so that a late handler answers nobody.
    var serial: UInt64 = 0
    /// Streams that wait for the client to read before they write more.
    var awaitingRoom: [Promise<Void>] = []

    var phaseDeadline = Instant.distantFuture
    var writeDeadline = Instant.distantFuture
    var peerLeft: Instant?

    private var token: FileToken?
    private var canRead = false
    private var canWrite = true
    private var willFlush = false
    private var isPumping = false
    private var closesWhenWritten = false

    enum Phase {
        case handshake
        case head
        case body(BodyDecoder)
        case handling
        /// The last answer is out. Bytes that still come are dropped, or the client might never see that answer.
        case lingering
        case closed
    }

    init(server: LoopServer, file: Int32, peer: IPAddress, tls: TLSSession?) throws {
        self.server = server
        self.file = file
        self.peer = peer
        self.tls = tls
        parser = RequestParser(maximumSize: server.configuration.limits.head)
        token = try server.loop.watch(file, for: [.readable, .writable, .peerClosed, .edges], handler: self)
        phaseDeadline = server.loop.now + server.configuration.limits.idleTimeout
        if tls != nil {
            phase = .handshake
            phaseDeadline = server.loop.now + server.configuration.limits.headTimeout
        }
    }

    // MARK: Events

    func ready(_ readiness: FileReadiness) {
        if !readiness.isDisjoint(with: .broken) { return close() }
        if readiness.contains(.peerClosed), peerLeft == nil { peerLeft = server.loop.now }
        // What TLS waits for to read on may be to write.
        if readiness.contains(.readable) || tls != nil { canRead = true }
        if readiness.contains(.writable) {
            canWrite = true
            if !outbound.isEmpty { flushAtEndOfTurn() }
        }
        pump()
    }

    /// Reads and handles requests while bytes come and somebody can use them.
    func pump() {
        // An answer that needs no waiting comes back here from within. The loop below handles what follows, or the
        // stack would grow with each request that a client sends ahead.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        if case .handshake = phase { guard shakeHands() else { return } }
        process()
        var reads = 0
        while canRead, isReading {
            // A client that sends as fast as we read must not keep the loop from the others.
            guard reads < 16 else { return flushAtEndOfTurn() }
            reads += 1
            read()
            process()
        }
    }

    private var isReading: Bool {
        guard outbound.count < server.configuration.limits.backlog, !closesWhenWritten else { return isLingering }
        return switch phase {
        case .head, .body, .lingering: true
        case .handling: streamed?.wanted != nil
        case .handshake, .closed: false
        }
    }

    private var isLingering: Bool {
        if case .lingering = phase { true } else { false }
    }

    private func read() {
        let scratch = server.scratch
        let count = tls?.receive(into: scratch) ?? recv(file, scratch.baseAddress, scratch.count, 0)
        if count > 0 {
            // The kernel gave less than there was room for: it has no more, and tells when that changes. TLS gives a record.
            if count < scratch.count, peerLeft == nil, tls == nil { canRead = false }
            if !isLingering { inbound.append(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        } else if count < 0, errno == EAGAIN || errno == EINTR {
            canRead = errno == EINTR
        } else {
            canRead = false
            peerEnded()
        }
    }

    /// The client will send no more. Complete requests are still answered.
    private func peerEnded() {
        peerLeft = peerLeft ?? server.loop.now
        if outbound.isEmpty || isLingering || streamed?.wanted != nil { close() } else { closesWhenWritten = true }
    }

    private func process() {
        while isReading, !inbound.isEmpty {
            do throws(Malformed) {
                switch phase {
                case .head: guard try readHead() else { return }
                case .body(let decoder): guard try readBody(decoder) else { return }
                case .handling: givePiece()
                case .handshake, .lingering, .closed: return
                }
            } catch {
                refuse(error)
            }
        }
    }

    // MARK: Writing

    /// Writes everything that this turn of the loop produces at once.
    func flushAtEndOfTurn() {
        guard !willFlush else { return }
        willFlush = true
        server.loop.atEndOfTurn(self)
    }

    func turnEnded() {
        willFlush = false
        if case .closed = phase { return }
        writeWhatWaits()
        if case .closed = phase { return }
        guard charge(outbound.count) == .admitted else { return cutOff() }
        if outbound.isEmpty {
            writeDeadline = .distantFuture
            if closesWhenWritten, !isLingering { return closeWritten() }
        } else if outbound.madeProgress() {
            writeDeadline = server.loop.now + server.configuration.limits.writeTimeout
        }
        if outbound.count < server.configuration.limits.backlog / 2 {
            endWaiting(.success(()))
            pump()
        }
    }

    private func writeWhatWaits() {
        while canWrite, !outbound.isEmpty {
            var isBroken = false
            outbound.drain { bytes in
                let count = tls?.send(bytes) ?? send(file, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count < bytes.count { canWrite = count < 0 && errno == EINTR }
                isBroken = count < 0 && errno != EAGAIN && errno != EINTR
                return max(0, count)
            }
            if isBroken { return close() }
        }
    }

    private func endWaiting(_ result: Result<Void, any Error>) {
        for promise in awaitingRoom { promise.fulfil(result) }
        awaitingRoom.removeAll()
    }

    // MARK: The end

    /// Closes once everything is written.
    func closeWhenWritten() {
        closesWhenWritten = true
        flushAtEndOfTurn()
    }

    private func closeWritten() {
        tls?.sayGoodbye()
        tls = nil
        guard peerLeft == nil || canRead else { return close() }
        shutdown(file, Int32(SHUT_WR))
        phase = .lingering
        phaseDeadline = server.loop.now + .seconds(2)
        inbound.drop()
        pump()
    }

    /// Whether nothing is under way, even after reading what may have come just now.
    func isIdle() -> Bool {
        canRead = true
        pump()
        if case .head = phase { return !parser.hasBegun && inbound.isEmpty }
        return false
    }

    /// Ends the connection and everything that was under way on it.
    func close() {
        guard let token else { return }
        self.token = nil
        if outbound.isEmpty, exchange == nil { tls?.sayGoodbye() }
        if let exchange { server.end(exchange, status: exchange.isStreaming ? exchange.status : 499) }
        exchange = nil
        phase = .closed
        task?.cancel()
        task = nil
        streamed?.wanted?.fulfil(.failure(CancellationError()))
        streamed = nil
        endWaiting(.failure(CancellationError()))
        dropWaiting()
        server.loop.unwatch(token, file: file)
        Glibc.close(file)
        server.forget(self)
    }
}
