import EventLoop
import HTTP
import TestSupport
import Testing

/// Requests under way are limited in all and for one client, even behind a proxy.
@Suite(.timeLimit(.minutes(10)))
struct RequestLimitTests {
    /// How many slow requests have begun. What is asked before may take their place.
    private let begun = Locked(0)

    private var slow: Route {
        .get("/slow") { [begun] _ in
            begun.withLock { $0 += 1 }
            try await EventLoop.current!.sleep(for: .seconds(20))
            return .text("slept")
        }
    }

    private func haveBegun(_ count: Int) async throws { try await eventually { begun.withLock { $0 } == count } }

    @Test func `a client that asks too much at once is told to wait`() async throws {
        try await withServer([slow], { $0.limits.requestsPerAddress = 2 }) { server in
            let waiting = [try await server.client(), try await server.client()]
            for client in waiting { try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await haveBegun(2)
            try await eventually { try await server.client().get("/ping").status == 429 }
            let reply = try await server.client().get("/ping")
            #expect(reply.header("retry-after") == "1")
            #expect(reply.text.contains(#""code":"rate_limited""#))
            for client in waiting { client.close() }
            try await eventually { try await server.client().get("/ping").status == 200 }
        }
    }

    @Test func `a server that has enough to do says so`() async throws {
        try await withServer([slow], { $0.limits.requests = 1 }) { server in
            let waiting = try await server.client()
            try await waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            try await haveBegun(1)
            try await eventually { try await server.client().get("/ping").status == 503 }
            waiting.close()
            try await eventually { try await server.client().get("/ping").status == 200 }
        }
    }

    @Test func `each client behind a proxy is counted for itself`() async throws {
        let proxy = try #require(IPNetwork("127.0.0.1"))
        try await withServer(
            [slow],
            {
                $0.limits.requestsPerAddress = 1
                $0.trustedProxies = [proxy]
            }
        ) { server in
            let waiting = try await server.client()
            try await waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n")
            try await haveBegun(1)
            try await eventually {
                try await server.client().get("/ping", "X-Forwarded-For: 10.0.0.1\r\n").status == 429
            }
            let other = try await server.client().get("/ping", "X-Forwarded-For: 10.0.0.2\r\n")
            #expect(other.status == 200)
        }
    }
}
