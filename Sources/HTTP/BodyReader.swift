import EventLoop

/// Reads the body of a request piece by piece. Nothing is read from the client before it is asked for.
public struct BodyReader: Sendable {
    let connection: LoopBound<ClientConnection>
    let serial: UInt64

    /// The next bytes, at most some 64 KiB; nil at the end. Throws when the client has left or breaks the rules.
    public func next() async throws -> [UInt8]? {
        try await connection.value.nextPiece(serial)?.value()
    }
}

/// A body on its way to its handler.
struct StreamedBody {
    var decoder: BodyDecoder
    /// Whether the client wants to be asked before it sends the body.
    var awaitsContinue: Bool
    /// What the handler waits for.
    var wanted: Promise<[UInt8]>?
    /// The rule that the client broke.
    var broken: Malformed?

    var isOver: Bool { decoder.isComplete }
}

extension ClientConnection {
    /// A promise of the next piece; nil when there is no more.
    func nextPiece(_ serial: UInt64) throws -> Promise<[UInt8]>? {
        guard serial == self.serial, exchange != nil, let streamed else { throw CancellationError() }
        if let broken = streamed.broken { throw Problem(broken) }
        guard !streamed.isOver else { return nil }
        let promise = Promise<[UInt8]>(on: server.loop)
        self.streamed?.wanted = promise
        if streamed.awaitsContinue {
            self.streamed?.awaitsContinue = false
            outbound.append("HTTP/1.1 100 Continue\r\n\r\n")
            flushAtEndOfTurn()
        }
        pump()
        return promise
    }

    /// Gives the handler what has come.
    func givePiece() {
        guard var streamed, let wanted = streamed.wanted else { return }
        var piece: [UInt8] = []
        do throws(Malformed) {
            let count = try inbound.read { bytes throws(Malformed) in try streamed.decoder.decode(bytes, into: &piece) }
            inbound.consume(count)
        } catch {
            streamed.broken = error
        }
        let isAnswered = !piece.isEmpty || streamed.isOver || streamed.broken != nil
        if isAnswered { streamed.wanted = nil }
        self.streamed = streamed
        guard isAnswered else { return }
        wanted.fulfil(streamed.broken.map { .failure(Problem($0)) } ?? .success(piece))
    }
}
