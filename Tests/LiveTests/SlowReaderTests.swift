import HTTP
import Synchronization
import TestSupport
import Testing

/// Clients that ask for much and read little of it.
@Suite(.timeLimit(.minutes(10)))
struct SlowReaderTests {
    /// Counts its requests and answers each with a rather large body.
    private final class Tally: Sendable {
        let count = Atomic(0)
        static let size = 64 * 1024

        var asked: Int { count.load(ordering: .relaxed) }

        var route: Route {
            .get("/more") { [self] _ in
                count.add(1, ordering: .relaxed)
                return Response(.ok, body: .bytes([UInt8](repeating: 0x2e, count: Self.size), type: "text/plain"))
            }
        }
    }

    /// If all requests had been answered, the answers would fill 1.9 GB.
    @Test func `a client that pipelines and never reads meets a bound`() async throws {
        let tally = Tally()
        try await withServer([tally.route]) { configuration in
            configuration.limits.writeTimeout = .seconds(1)
        } _: { server async throws in
            let before = residentBytes()
            let greedy = try await server.client(receiveBuffer: 4096)
            let requests = String(repeating: "GET /more HTTP/1.1\r\nHost: a\r\n\r\n", count: 30_000)
            let sending = Task { try await greedy.send(requests) }
            try await eventually { tally.asked > 0 }
            let healthy = try await server.client()
            for _ in 0..<50 { #expect(try await healthy.get("/ping").text == "pong") }
            healthy.close()
            // It never reads, so the server closes it, however much of what it sent was accepted.
            try await server.hasOpen(0)
            _ = await sending.result
            // The kernel holds a few megabytes for a connection, and the server its backlog.
            #expect(tally.asked * Tally.size < 16 * 1024 * 1024)
            #expect(residentBytes() - before < 512 * 1024 * 1024)
        }
    }

    /// The deadline is for everything that waits. A byte now and then does not move it.
    @Test func `a client that reads a byte now and then is closed`() async throws {
        try await withServer { configuration in
            configuration.limits.writeTimeout = .seconds(1)
        } _: { server in
            let slow = try await server.client(receiveBuffer: 4096)
            try await slow.send("GET /bytes/12000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            let reading = Task {
                while true {
                    _ = try await slow.read(1)
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let healthy = try await server.client()
            #expect(try await healthy.get("/ping").text == "pong")
            healthy.close()
            try await server.hasOpen(0)
            reading.cancel()
            _ = await reading.result
        }
    }

    @Test func `a client that reads steadily gets everything`() async throws {
        try await withServer { configuration in
            configuration.limits.writeTimeout = .seconds(5)
        } _: { server in
            let client = try await server.client(receiveBuffer: 16_384)
            #expect(try await client.get("/bytes/8000000").body.count == 8_000_000)
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    /// The server always has something for the client, and forgets what the client has read.
    @Test func `a long stream is not kept in memory`() async throws {
        let route = Route.get("/long") { _ in
            Response(
                .ok,
                body: .stream(type: "text/plain") { writer in
                    while true { try await writer.write([UInt8](repeating: 0x2e, count: 65_536)) }
                })
        }
        try await withServer([route]) { configuration in
            configuration.limits.backlog = 16 * 1024 * 1024
            configuration.limits.waitingPerAddress = nil
        } _: { server in
            let client = try await server.client()
            try await client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
            let before = residentBytes()
            try await client.skip(1024 * 1024 * 1024)
            #expect(residentBytes() - before < 512 * 1024 * 1024)
        }
    }

    @Test func `a client that reads late gets everything in order`() async throws {
        let tally = Tally()
        try await withServer([tally.route]) { server in
            let client = try await server.client(receiveBuffer: 65_536)
            async let sending: Void = client.send(
                String(repeating: "GET /more HTTP/1.1\r\nHost: a\r\n\r\n", count: 500))
            // The server stops when its backlog is full, and goes on when the client reads.
            var last = -1
            try await eventually {
                defer { last = tally.asked }
                return tally.asked > 0 && tally.asked == last
            }
            #expect(tally.asked < 500)
            let sizes = Set(try await client.replies(500).map(\.body.count))
            try await sending
            #expect(sizes == [Tally.size] && tally.asked == 500)
        }
    }

    /// The client sends requests that need no handler as fast as possible, and reads the answers. It must not have the
    /// loop to itself.
    @Test func `a client that asks without end leaves others their turn`() async throws {
        try await withServer { server in
            let greedy = try await server.client()
            let asking = Task {
                let requests = Array(String(repeating: "GET /n HTTP/1.1\r\nHost: a\r\n\r\n", count: 2_000).utf8)
                while !Task.isCancelled { try await greedy.send(requests) }
            }
            let reading = Task { while !Task.isCancelled { _ = try await greedy.read(65_536) } }
            try await eventually { server.server.openConnections == 1 }
            for _ in 0..<5 {
                let healthy = try await server.client()
                #expect(try await healthy.get("/ping").text == "pong")
            }
            asking.cancel()
            _ = await asking.result
            reading.cancel()
            _ = await reading.result
        }
    }
}
