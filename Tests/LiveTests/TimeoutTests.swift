import EventLoop
import HTTP
import TestSupport
import Testing

/// Slow clients are told so or closed, and nobody waits behind them.
@Suite(.timeLimit(.minutes(10)))
struct TimeoutTests {
    /// Sends one byte at a time until the server refuses more, and gives the answer.
    private func drip(_ client: Client) async throws -> Reply {
        async let reply = client.reply()
        let dripping = Task {
            while true {
                try await client.send("x")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { dripping.cancel() }
        return try await reply
    }

    @Test(arguments: [
        "GET /ping HTTP/1.1\r\nHost: a\r\nX: ",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n",
    ])
    func `a drip does not extend the deadline`(_ start: String) async throws {
        try await withServer { configuration in
            configuration.limits.headTimeout = .seconds(2)
            configuration.limits.bodyTimeout = .seconds(2)
        } _: { server in
            let slow = try await server.client()
            try await slow.send(start)
            async let told = drip(slow)
            let healthy = try await server.client()
            for _ in 0..<50 { #expect(try await healthy.get("/ping").text == "pong") }
            let reply = try await told
            #expect(reply.status == 408 && reply.code == "request_timeout")
            #expect(reply.header("connection") == "close")
            healthy.close()
            try await server.hasOpen(0)
        }
    }

    @Test(arguments: [
        "G", "\r\n", "GET /ping HTTP/1.1\r\n", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1",
    ])
    func `half a request is answered with a timeout`(_ start: String) async throws {
        try await withServer { configuration in
            configuration.limits.headTimeout = .seconds(2)
            configuration.limits.bodyTimeout = .seconds(2)
        } _: { server in
            let client = try await server.client()
            #expect(try await client.ask(start).status == 408)
            #expect(try await client.isClosed())
        }
    }

    @Test func `an idle connection is closed without a word`() async throws {
        try await withServer { configuration in
            configuration.limits.idleTimeout = .seconds(2)
        } _: { server in
            let client = try await server.client()
            #expect(try await client.get("/ping").text == "pong")
            #expect(try await client.rest().isEmpty)
            try await server.hasOpen(0)
        }
    }

    @Test func `a connection that never asks is closed without a word`() async throws {
        try await withServer { configuration in
            configuration.limits.idleTimeout = .milliseconds(100)
        } _: { server async throws in
            #expect(try await server.client().rest().isEmpty)
        }
    }

    @Test func `a thousand idle connections disturb nobody`() async throws {
        try await withServer(loops: 2) { server in
            let idle = try await withThrowingTaskGroup(of: [Client].self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        var clients: [Client] = []
                        for _ in 0..<100 { clients.append(try await server.client()) }
                        return clients
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try await server.hasOpen(1_000)
            let healthy = try await server.client()
            for _ in 0..<200 { #expect(try await healthy.get("/ping").text == "pong") }
            // These were not forgotten.
            for client in idle[..<20] { #expect(try await client.get("/ping").text == "pong") }
            for client in idle { client.close() }
            healthy.close()
            try await server.hasOpen(0)
        }
    }

    @Test func `a handler over its deadline is given up`() async throws {
        let ends = Mailbox<String>()
        let (hold, release) = AsyncStream<Void>.makeStream()
        let slow = Route("GET", "/slow", deadline: .milliseconds(100)) { _ in
            await EventLoop.waitForCancellation()
            ends.put("cancelled")
            // A task of its own is not cancelled, so the handler answers, but much too late.
            await Task { for await _ in hold { return } }.value
            ends.put("late")
            return .text("too late")
        }
        try await withServer([slow]) { server in
            let client = try await server.client()
            let reply = try await client.get("/slow", "X-Request-Id: slow-1\r\n")
            #expect(reply.status == 503 && reply.code == "unavailable")
            #expect(reply.header("retry-after") == "1" && reply.field("request_id") == "slow-1")
            #expect(try await ends.next() == "cancelled")
            #expect(try await client.get("/ping").text == "pong")
            release.yield()
            #expect(try await ends.next() == "late")
            #expect(try await client.get("/ping").text == "pong")
            #expect(try await server.answered(503).route == "/slow")
        }
    }

    @Test func `the next request may be slow as well`() async throws {
        let slow = Route("GET", "/slow", deadline: .milliseconds(50)) { _ in
            await EventLoop.waitForCancellation()
            return .text("too late")
        }
        try await withServer([slow]) { server in
            let client = try await server.client()
            try await client.send(String(repeating: "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
            #expect(try await client.replies(3).map(\.status) == [503, 503, 503])
        }
    }
}
