import EventLoop
import Glibc
import Synchronization

/// A client that sends exactly what a test wants. Its sockets block, on threads of their own.
package final class Client: Sendable {
    package static let threads = threadPool()

    private let file: Int32
    private let tls: TLSChannel?
    private let state = Mutex(State())

    private struct State {
        var unread: [UInt8] = []
        var start = 0
        var isOpen = true
    }

    /// Connects. With a small window the server notices early that nobody reads.
    package init(
        _ port: UInt16, from source: String = "127.0.0.1", receiveBuffer: Int32? = nil, byTLS: Bool = false
    ) async throws {
        (file, tls) = try await Self.threads.run {
            let file = try Self.connect(to: port, from: source, receiveBuffer)
            do {
                return (file, byTLS ? try TLSChannel(file) : nil)
            } catch {
                Glibc.close(file)
                throw error
            }
        }
    }

    deinit {
        close()
    }

    // MARK: Sending

    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) async throws {
        try await Self.threads.run { [self] in try sendAll(bytes) }
    }

    /// Tells the server that nothing more will come, and goes on reading.
    package func finishSending() {
        tls?.sayGoodbye()
        shutdown(file, Int32(SHUT_WR))
    }

    /// Closes the connection properly.
    package func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { Glibc.close(file) }
    }

    /// Closes with a reset, like a process that dies with unread bytes.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    // MARK: TLS

    /// Whether the server has said, by TLS, that nothing more will come.
    package var wasToldGoodbye: Bool { tls?.wasToldGoodbye ?? false }

    /// Whether the server takes part in a renegotiation.
    package func renegotiates() async throws -> Bool {
        try await Self.threads.run { [self] in try tls?.renegotiate() ?? false }
    }

    package func updateKeys() async throws {
        try await Self.threads.run { [self] in try tls?.updateKeys() }
    }

    /// Sends bytes below TLS.
    package func sendRaw(_ bytes: [UInt8]) async throws {
        try await Self.threads.run { [file] in
            guard Glibc.send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw ClientError.last
            }
        }
    }

    // MARK: Receiving

    /// The next answer. `method` is the request's, on which the framing depends.
    package func reply(to method: String = "GET") async throws -> Reply {
        try await Self.threads.run { [self] in try Reply(method: method, from: self) }
    }

    /// The next answers, none of which is to `HEAD`.
    package func replies(_ count: Int) async throws -> [Reply] {
        try await Self.threads.run { [self] in try (0..<count).map { _ in try Reply(method: "GET", from: self) } }
    }

    /// Sends a request and takes its answer.
    package func ask(_ request: String, method: String = "GET") async throws -> Reply {
        try await send(request)
        return try await reply(to: method)
    }

    package func get(_ path: String, _ fields: String = "") async throws -> Reply {
        try await ask("GET \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
    }

    package func post(_ path: String, _ body: String, _ fields: String = "") async throws -> Reply {
        try await ask(
            "POST \(path) HTTP/1.1\r\nHost: test\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Everything until the server closes.
    package func rest() async throws -> [UInt8] {
        try await Self.threads.run { [self] in try takeRest() }
    }

    /// Whether the server closes now, in whatever way, without sending more.
    package func isClosed() async throws -> Bool {
        do {
            return try await rest().isEmpty
        } catch ClientError.reset {
            return true
        }
    }

    /// Reads and drops so many bytes.
    package func skip(_ count: Int) async throws {
        try await Self.threads.run { [self] in
            for _ in 0..<count / 65_536 { _ = try take(65_536) }
        }
    }

    package func read(_ count: Int) async throws -> [UInt8] {
        try await Self.threads.run { [self] in try take(count) }
    }

    // MARK: Blocking

    package func takeLine() throws -> String {
        while true {
            let line: String? = state.withLock { state in
                guard let end = state.unread[state.start...].firstIndex(of: 0x0a) else { return nil }
                defer { state.start = end + 1 }
                return String(decoding: state.unread[state.start..<end], as: UTF8.self)
            }
            if let line {
                guard line.hasSuffix("\r") || line.hasSuffix("\r\n") else { throw ClientError.malformed(line) }
                return String(line.unicodeScalars.dropLast())
            }
            guard try fill() else { throw ClientError.ended }
        }
    }

    package func take(_ count: Int) throws -> [UInt8] {
        while state.withLock({ $0.unread.count - $0.start }) < count {
            guard try fill() else { throw ClientError.ended }
        }
        return state.withLock { state in
            defer { state.start += count }
            return Array(state.unread[state.start..<state.start + count])
        }
    }

    package func takeRest() throws -> [UInt8] {
        while try fill() {}
        return try take(state.withLock { $0.unread.count - $0.start })
    }

    /// Receives more bytes; false at the end.
    private func fill() throws -> Bool {
        let bytes = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let received = try tls?.receive(buffer) ?? recv(file, buffer.baseAddress, buffer.count, 0)
            if received < 0 { throw ClientError.last }
            count = received
        }
        state.withLock { state in
            if state.start > state.unread.count / 2 {
                state.unread.removeFirst(state.start)
                state.start = 0
            }
            state.unread += bytes
        }
        return !bytes.isEmpty
    }

    private func sendAll(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try rest.withUnsafeBytes {
                try tls?.send($0) ?? Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ClientError.last }
            rest = rest.dropFirst(count)
        }
    }

    private static func connect(to port: UInt16, from source: String, _ receiveBuffer: Int32?) throws -> Int32 {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { throw ClientError.last }
        // This is long enough for a busy machine; normally nothing waits that long.
        var patience = timeval(tv_sec: 90, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(file, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        if var receiveBuffer { setsockopt(file, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        var here = address(source, 0)
        var there = address("127.0.0.1", port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &here) { here in
            withUnsafePointer(to: &there) { there in
                here.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) }
                    | there.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(file, $0, size) }
            }
        }
        guard result == 0 else {
            let error = ClientError.last
            Glibc.close(file)
            throw error
        }
        return file
    }

    private static func address(_ text: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    private static func threadPool() -> BlockingPool {
        do {
            return try BlockingPool(name: "client", threads: 48, waiting: 10_000)
        } catch {
            fatalError("\(error)")
        }
    }
}

/// The error that a client met instead of an answer.
package enum ClientError: Error, Equatable {
    /// The connection ended in the middle.
    case ended
    case reset
    case refused
    case timedOut
    case malformed(String)
    case system(Int32)

    package static var last: ClientError {
        switch errno {
        case ECONNRESET, EPIPE: .reset
        case ECONNREFUSED: .refused
        case EAGAIN: .timedOut
        default: .system(errno)
        }
    }
}
