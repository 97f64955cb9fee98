import TestSupport
import EventLoop
import Glibc
import HTTP

/// A server on a port of its own, and its events.
struct LiveServer: Sendable {
    let server: Server
    let events: Mailbox<HTTPEvent>
    /// Whether its clients speak TLS.
    let byTLS: Bool

    var port: UInt16 { server.address.port }

    func client(from source: String = "127.0.0.1", receiveBuffer: Int32? = nil) async throws -> Client {
        try await Client(port, from: source, receiveBuffer: receiveBuffer, byTLS: byTLS)
    }

    /// Waits until so many connections are open.
    func hasOpen(_ count: Int) async throws {
        try await eventually { server.openConnections == count }
    }

    /// Waits until nothing waits for any client.
    func hasNothingWaiting() async throws {
        try await eventually { server.bytesWaiting == 0 }
    }

    /// The next event that interests; those before it are dropped.
    func event<Answer>(_ choose: (HTTPEvent) -> Answer?) async throws -> Answer {
        while true {
            if let answer = choose(try await events.next()) { return answer }
        }
    }

    /// The next report of a request with that status, answered or not.
    func answered(_ status: Int) async throws -> HTTPEvent.Summary {
        try await event { event in
            if case .answered(let summary) = event, summary.status == status { summary } else { nil }
        }
    }
}

/// Runs a test with a server of its own, on loops of its own.
func withServer<Answer>(
    _ routes: [Route] = [], loops: Int = 1, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    tls: TLSFiles? = nil, _ test: (LiveServer) async throws -> Answer
) async throws -> Answer {
    var configuration = ServerConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
    configuration.limits.connectionsPerAddress = nil
    configuration.tls = if let tls { tls } else { try await overTLS() }
    configure(&configuration)
    let group = try EventLoopGroup(count: loops)
    defer { group.stop() }
    let events = Mailbox<HTTPEvent>()
    let server = try await Server(
        configuration, routes: standardRoutes + routes, on: group, observe: { events.put($0) })
    do {
        let answer = try await test(LiveServer(server: server, events: events, byTLS: configuration.tls != nil))
        await server.stop(within: .zero)
        return answer
    } catch {
        await server.stop(within: .zero)
        throw error
    }
}

/// The tests of this module hold over TLS, too: with KURIR_TEST_TLS they are run so.
let isOverTLS = getenv("KURIR_TEST_TLS") != nil

private func overTLS() async throws -> TLSFiles? {
    guard isOverTLS else { return nil }
    return TLSFiles(try await Certificate.shared.value)
}

extension TLSFiles {
    init(_ certificate: Certificate) {
        self.init(certificate: certificate.chain, key: certificate.key)
    }
}

/// The routes that most tests use.
let standardRoutes: [Route] = [
    .get("/ping") { _ in .text("pong") },
    .post("/echo") { request in
        Response(.ok, body: .bytes(request.body, type: request.header("content-type") ?? "application/octet-stream"))
    },
    .get("/bytes/{count}") { request in
        let count = try request.parameter("count", as: Int.self)
        return Response(.ok, body: .bytes([UInt8](repeating: 0x2e, count: count), type: "text/plain"))
    },
]

extension EventLoop {
    /// Waits on the loop of this task until the task is cancelled.
    static func waitForCancellation() async {
        try? await current?.sleep(for: .seconds(600))
    }
}

/// The resident memory of this process.
func residentBytes() -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    let numbers = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: " ")
    return Int(numbers[1])! * 4096
}
