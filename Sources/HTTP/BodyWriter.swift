import EventLoop

/// Writes the body of an answer piece by piece, as fast as its client reads.
public struct BodyWriter: Sendable {
    let connection: LoopBound<ClientConnection>
    let serial: UInt64

    /// Writes some bytes. It waits while too many wait for the client already, and throws when the client has left.
    public func write(_ bytes: [UInt8]) async throws {
        while try !connection.value.hasRoom(serial) { try await connection.value.room().value() }
        try connection.value.append(chunk: bytes, serial: serial)
    }
}
