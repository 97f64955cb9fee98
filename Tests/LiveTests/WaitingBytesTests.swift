import HTTP
import TestSupport
import Testing

/// Clients that ask for much and do not read it.
@Suite(.timeLimit(.minutes(10)))
struct WaitingBytesTests {
    /// More than the kernel buffers for a client that does not read.
    private static let large = 12_000_000
    private static let ask = "GET /bytes/\(large) HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A client that has asked for much, of which some waits now.
    private func unread(_ server: LiveServer, from source: String = "127.0.0.1") async throws -> Client {
        let before = server.server.bytesWaiting
        let client = try await server.client(from: source, receiveBuffer: 4096)
        try await client.send(Self.ask)
        try await eventually { server.server.bytesWaiting > before }
        return client
    }

    private func expectRefused(_ reply: Reply, _ status: Int, _ code: String) {
        #expect(reply.status == status && reply.code == code && reply.header("retry-after") == "1")
        #expect(reply.field("detail")?.contains("wait to be read") == true)
    }

    /// If all of them had been answered, 700 MB would wait for them.
    @Test func `sixty clients that never read share a bound and give everything back`() async throws {
        try await withServer(loops: 2) { server in
            let (bound, before) = (Limits().waitingPerAddress!, residentBytes())
            var clients: [Client] = []
            for _ in 0..<60 {
                let client = try await server.client(receiveBuffer: 4096)
                try await client.send(Self.ask)
                clients.append(client)
            }
            var refused = 0
            for _ in clients {
                let status = try await server.event { if case .answered(let it) = $0 { it.status } else { nil } }
                if status == 429 { refused += 1 }
            }
            #expect(refused > 50)
            // They take nothing from others, who get as much as ever, and they themselves still get small answers.
            #expect(server.server.bytesWaiting > 0 && server.server.bytesWaiting <= bound)
            #expect(residentBytes() - before < 512 * 1024 * 1024)
            let neighbour = try await server.client(from: "127.0.0.2")
            #expect(try await neighbour.get("/bytes/\(Self.large)").body.count == Self.large)
            #expect(try await server.client().get("/ping").text == "pong")
            for client in clients { client.close() }
            try await server.hasNothingWaiting()
        }
    }

    @Test func `a client is told that its address should read first`() async throws {
        try await withServer(loops: 2) { server in
            let greedy = try await unread(server)
            let client = try await server.client()
            expectRefused(try await client.get("/bytes/\(Self.large)"), 429, "rate_limited")
            #expect(
                try await client.ask("HEAD /bytes/\(Self.large) HTTP/1.1\r\nHost: a\r\n\r\n", method: "HEAD").status
                    == 200)
            #expect(try await client.get("/bytes/200000").body.count == 200_000)
            greedy.close()
            try await server.hasNothingWaiting()
            #expect(try await client.get("/bytes/\(Self.large)").body.count == Self.large)
        }
    }

    @Test func `all clients together have a bound`() async throws {
        try await withServer(loops: 2) { configuration in
            configuration.limits.waiting = 20 * 1024 * 1024
        } _: { server in
            let greedy = try await unread(server)
            let other = try await server.client(from: "127.0.0.2")
            expectRefused(try await other.get("/bytes/\(Self.large)"), 503, "unavailable")
            #expect(try await other.get("/ping").text == "pong")
            #expect(try await greedy.reply().body.count == Self.large)
            try await server.hasNothingWaiting()
            #expect(try await other.get("/bytes/\(Self.large)").body.count == Self.large)
        }
    }

    /// Nobody could know beforehand that the kernel would not take these.
    @Test func `a client that gathers small answers is cut off`() async throws {
        try await withServer { configuration in
            configuration.limits.waitingPerAddress = 64 * 1024
        } _: { server in
            let greedy = try await server.client(receiveBuffer: 4096)
            let requests = String(repeating: "GET /bytes/200000 HTTP/1.1\r\nHost: a\r\n\r\n", count: 500)
            let sending = Task { try await greedy.send(requests) }
            #expect(try await server.event { if case .cutOff = $0 { true } else { nil } })
            try await server.hasOpen(0)
            _ = await sending.result
            #expect(server.server.bytesWaiting == 0)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }

    @Test func `a stream that passes the bound is ended`() async throws {
        let ends = Mailbox<Void>()
        let route = Route.get("/endless") { _ in
            Response(
                .ok,
                body: .stream(type: "text/plain") { writer in
                    defer { ends.put(()) }
                    while true { try await writer.write([UInt8](repeating: 0x2e, count: 65_536)) }
                })
        }
        try await withServer([route]) { configuration in
            configuration.limits.waitingPerAddress = 64 * 1024
        } _: { server in
            let client = try await server.client(receiveBuffer: 4096)
            try await client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            try await ends.next()
            #expect(try await server.event { if case .cutOff = $0 { true } else { nil } })
            try await server.hasOpen(0)
            #expect(server.server.bytesWaiting == 0)
        }
    }

    /// Many clients come through the proxy, and what it holds is counted all the same.
    @Test func `a trusted proxy is not held to the bound of an address`() async throws {
        try await withServer { configuration in
            configuration.limits.waitingPerAddress = 64 * 1024
            configuration.trustedProxies = [IPNetwork("127.0.0.1")!]
        } _: { server in
            let late = try await unread(server)
            let another = try await unread(server)
            for client in [late, another] { #expect(try await client.reply().body.count == Self.large) }
            try await server.hasNothingWaiting()
        }
    }
}
