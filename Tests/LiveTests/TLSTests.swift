import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

/// Clients that come by TLS, and those that should.
@Suite(.timeLimit(.minutes(10)))
struct TLSTests {
    private func withTLS<Answer>(
        _ routes: [Route] = [], _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ test: (LiveServer) async throws -> Answer
    ) async throws -> Answer {
        try await withServer(routes, configure, tls: TLSFiles(try await Certificate.shared.value), test)
    }

    private func plain(_ server: LiveServer) async throws -> Client { try await Client(server.port) }

    private func handshakeFailed(_ event: HTTPEvent) -> Bool? {
        if case .handshakeFailed = event { true } else { nil }
    }

    // MARK: Requests

    @Test func `requests that come ahead are answered in order, and large answers whole`() async throws {
        try await withTLS { server in
            let client = try await server.client(receiveBuffer: 8_192)
            try await client.send(
                (0..<200).map { "GET /bytes/\($0 * 997) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            #expect(try await client.replies(200).map(\.body.count) == (0..<200).map { $0 * 997 })
            let body = String(repeating: "a cake ", count: 9_000)
            #expect(try await client.post("/echo", body).text == body)
            #expect(try await client.get("/bytes/8000000").body.count == 8_000_000)
        }
    }

    @Test func `a request may come in as many records as it has bytes`() async throws {
        try await withTLS { server in
            let client = try await server.client()
            for byte in "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n".utf8 { try await client.send([byte]) }
            #expect(try await client.reply().text == "pong")
        }
    }

    @Test func `an answer that ends the connection ends TLS, too`() async throws {
        try await withTLS { server in
            let client = try await server.client()
            #expect(try await client.get("/ping", "Connection: close\r\n").text == "pong")
            #expect(try await client.rest().isEmpty && client.wasToldGoodbye)
        }
    }

    @Test func `whoever has asked and says goodbye is answered`() async throws {
        try await withTLS { server in
            let client = try await server.client()
            try await client.send("GET /bytes/100000 HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            #expect(try await client.reply().body.count == 100_000)
            try await server.hasOpen(0)
        }
    }

    @Test func `a client may leave without a word`() async throws {
        try await withTLS { server in
            let (first, second) = (try await server.client(), try await server.client())
            try await first.send("GET /pi")
            first.close()
            try await second.send("GET /bytes/9000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            second.reset()
            try await server.hasOpen(0)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }

    @Test func `a stream arrives as it is written, and ends with its client`() async throws {
        let ended = Mailbox<Bool>()
        let (words, speak) = AsyncStream<String>.makeStream()
        let route = Route.get("/stream") { _ in
            Response(
                .ok,
                body: .stream(type: "text/event-stream") { writer in
                    defer { ended.put(true) }
                    for await word in words { try await writer.write(Array(word.utf8)) }
                    try Task.checkCancellation()
                })
        }
        try await withTLS([route]) { server in
            let client = try await server.client()
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            for word in ["one", "two"] {
                speak.yield(word)
                let chunk = "3\r\n\(word)\r\n"
                while try await Client.threads.run({ try client.takeLine() }) != "3" {}
                #expect(try await client.read(5) == Array(chunk.utf8.dropFirst(3)))
            }
            client.close()
            #expect(try await ended.next())
            try await server.hasOpen(0)
        }
    }

    /// The server keeps to what it holds for others: 256 KiB, and what the kernel takes.
    @Test func `a client that never reads meets a bound`() async throws {
        try await withTLS { configuration in
            configuration.limits.writeTimeout = .seconds(1)
        } _: { server in
            let greedy = try await server.client(receiveBuffer: 4_096)
            let requests = String(repeating: "GET /bytes/65536 HTTP/1.1\r\nHost: a\r\n\r\n", count: 3_000)
            let sending = Task { try await greedy.send(requests) }
            try await server.hasOpen(0)
            _ = await sending.result
            #expect(server.server.bytesWaiting == 0)
        }
    }

    @Test func `usual programs meet no error`() async throws {
        try await withTLS { server in
            let root = try await Certificate.shared.value.root
            let url = "https://localhost:\(server.port)/ping"
            let curl = try await Program.run(
                "curl", ["-sS", "--cacert", root, "-w", " %{num_connects} %{http_version} ", url, url])
            #expect(curl.said == "pong 1 1.1 pong 0 1.1 ", "\(curl)")
            let wrk = try await Program.run("wrk", ["-t1", "-c20", "-d1s", url])
            #expect(wrk.code == 0 && wrk.said.contains("requests in") && !wrk.said.contains("errors"), "\(wrk)")
        }
    }

    // MARK: What is no TLS

    @Test func `whoever speaks without TLS is told so`() async throws {
        try await withTLS { server in
            let reply = try await plain(server).get("/ping")
            #expect(reply.status == 400 && reply.code == "bad_request" && reply.text.contains("https://"))
            try await server.hasOpen(0)
        }
    }

    @Test(arguments: [
        [0xff], Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), [UInt8](repeating: 0, count: 65_536),
        [0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00], [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28],
    ])
    func `bytes that are no hello are closed quietly, and counted`(_ bytes: [UInt8]) async throws {
        try await withTLS { server in
            let client = try await plain(server)
            try? await client.send(bytes)
            client.finishSending()
            // At the most there is an alert.
            let rest = (try? await client.rest()) ?? []
            #expect(rest.count <= 7)
            #expect(try await server.event(handshakeFailed))
            try await server.hasOpen(0)
        }
    }

    @Test func `a balancer that only knocks is not counted`() async throws {
        try await withTLS { server in
            try await plain(server).close()
            try await server.hasOpen(0)
            try await plain(server).send([0xff])
            #expect(try await server.event { if case .handshakeFailed = $0 { 1 } else { 0 } } == 1)
        }
    }

    @Test(arguments: [[UInt8](), [0x16], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]])
    func `a handshake that goes on for too long is ended`(_ start: [UInt8]) async throws {
        try await withTLS { configuration in
            configuration.limits.headTimeout = .milliseconds(300)
        } _: { server in
            let slow = try await plain(server)
            try await slow.send(start)
            #expect(try await slow.isClosed())
            #expect(try await server.event(handshakeFailed))
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }

    @Test func `handshakes count among an address's connections`() async throws {
        try await withTLS { configuration in
            configuration.limits.connectionsPerAddress = 2
        } _: { server in
            let (first, second) = (try await plain(server), try await plain(server))
            try await server.hasOpen(2)
            await #expect(throws: (any Error).self) { try await server.client() }
            #expect(try await server.event { if case .turnedAway = $0 { true } else { nil } })
            #expect(try await server.client(from: "127.0.0.2").get("/ping").text == "pong")
            first.close()
            second.close()
        }
    }

    /// What a client sends below TLS breaks the connection, as nobody knows who sent it.
    @Test(arguments: [
        [0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 7, count: 32), [0x17, 0x03, 0x03, 0xff, 0xff, 0x00],
        Array("GET /ping HTTP/1.1\r\n\r\n".utf8),
    ])
    func `a record that nobody sealed ends the connection`(_ record: [UInt8]) async throws {
        try await withTLS { server in
            let client = try await server.client()
            #expect(try await client.get("/ping").text == "pong")
            try await client.sendRaw(record)
            try await server.hasOpen(0)
        }
    }

    @Test func `half a record ends with its client`() async throws {
        try await withTLS { server in
            let client = try await server.client()
            try await client.sendRaw([0x17, 0x03, 0x03, 0x00, 0x40, 0x01, 0x02])
            client.close()
            try await server.hasOpen(0)
        }
    }

    @Test func `keys are renewed as often as a client wants`() async throws {
        try await withTLS { server in
            let client = try await server.client()
            for _ in 0..<100 {
                try await client.updateKeys()
                #expect(try await client.get("/ping").text == "pong")
            }
        }
    }

    // MARK: The end

    @Test func `a server that stops lets a request finish and waits for no handshake`() async throws {
        let (hold, release) = AsyncStream<Void>.makeStream()
        let begun = Mailbox<Bool>()
        let route = Route.get("/slow") { _ in
            begun.put(true)
            for await _ in hold { break }
            return .text("done")
        }
        try await withTLS([route]) { server in
            let (busy, idle) = (try await server.client(), try await server.client())
            let shaking = try await plain(server)
            try await busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await begun.next()
            try await server.hasOpen(3)
            async let stopped: Void = server.server.stop(within: .seconds(60))
            #expect(try await shaking.isClosed())
            #expect(try await idle.rest().isEmpty && idle.wasToldGoodbye)
            release.yield()
            let reply = try await busy.reply()
            #expect(reply.text == "done" && reply.header("connection") == "close")
            await stopped
        }
    }
}
