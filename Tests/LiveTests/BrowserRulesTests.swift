import TestSupport
import HTTP
import Testing

/// The rules for browsers: who may call from where, and what they must not do with an answer.
@Suite(.timeLimit(.minutes(10)))
struct BrowserRulesTests {
    private static let preflight = """
        OPTIONS /echo HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n
        """

    @Test func `every answer has the security headers`() async throws {
        try await withServer { server in
            let client = try await server.client()
            for path in ["/ping", "/nowhere"] {
                let reply = try await client.get(path)
                #expect(reply.header("x-content-type-options") == "nosniff")
                #expect(reply.header("x-frame-options") == "DENY")
                #expect(reply.header("referrer-policy") == "no-referrer")
                #expect(reply.header("cross-origin-resource-policy") == "same-origin")
                #expect(reply.header("content-security-policy") == "default-src 'none'; frame-ancestors 'none'")
                #expect(reply.header("cache-control") == "no-store")
            }
        }
    }

    @Test func `a route may have its own policies`() async throws {
        let route = Route.get("/page") { _ in
            Response(
                .ok,
                headers: [
                    Response.Header("Content-Security-Policy", "default-src 'self'"),
                    Response.Header("Cache-Control", "max-age=60"),
                ], body: .bytes([], type: "text/html"))
        }
        try await withServer([route]) { server in
            let reply = try await server.client().get("/page")
            #expect(reply.header("content-security-policy") == "default-src 'self'")
            #expect(reply.header("cache-control") == "max-age=60")
        }
    }

    @Test func `no other origin may call without configuration`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let preflight = try await client.ask(Self.preflight)
            let reply = try await client.get("/ping", "Origin: https://app.example\r\n")
            for answer in [preflight, reply] {
                #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") })
                #expect(answer.header("vary") == nil)
            }
        }
    }

    @Test func `a named origin may call with cookies, and others may not`() async throws {
        try await withServer {
            $0.allowedOrigins = ["https://app.example"]
        } _: { server in
            let client = try await server.client()
            let preflight = try await client.ask(Self.preflight)
            #expect(preflight.status == 204)
            #expect(preflight.header("access-control-allow-origin") == "https://app.example")
            #expect(preflight.header("access-control-allow-credentials") == "true")
            #expect(preflight.header("access-control-allow-methods") == "OPTIONS, POST")
            #expect(preflight.header("access-control-allow-headers")?.contains("Authorization") == true)
            #expect(preflight.header("access-control-max-age") != nil && preflight.header("vary") == "Origin")
            for path in ["/ping", "/nowhere"] {
                let reply = try await client.get(path, "Origin: https://app.example\r\n")
                #expect(reply.header("access-control-allow-origin") == "https://app.example")
                #expect(reply.header("access-control-expose-headers")?.contains("X-Request-Id") == true)
            }
            for origin in ["https://evil.example", "https://app.example.evil", "null"] {
                let other = try await client.get("/ping", "Origin: \(origin)\r\n")
                #expect(other.header("access-control-allow-origin") == nil && other.header("vary") == "Origin")
            }
            let without = try await client.get("/ping")
            #expect(without.header("access-control-allow-origin") == nil && without.header("vary") == "Origin")
        }
    }

    @Test func `all origins may call without cookies`() async throws {
        try await withServer {
            $0.allowedOrigins = ["*"]
        } _: { server in
            let client = try await server.client()
            let preflight = try await client.ask(Self.preflight)
            let reply = try await client.get("/ping", "Origin: https://any.example\r\n")
            for answer in [preflight, reply] {
                #expect(answer.header("access-control-allow-origin") == "*")
                #expect(answer.header("access-control-allow-credentials") == nil)
            }
        }
    }
}
