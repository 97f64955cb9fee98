import TestSupport
import EventLoop
import HTTP
import Testing

/// Errors that handlers throw.
@Suite(.timeLimit(.minutes(10)))
struct FailureTests {
    private struct Unforeseen: Error {}
    private struct Known: Error {}

    @Test func `an unforeseen error is answered as one of ours, and nothing ends`() async throws {
        let route = Route.get("/fail/{n}") { _ in throw Unforeseen() }
        try await withServer([route]) { server in
            let client = try await server.client()
            let reply = try await client.get("/fail/1", "X-Request-Id: fail-1\r\n")
            #expect(reply.status == 500 && reply.code == "internal_error")
            #expect(reply.field("request_id") == "fail-1" && !reply.text.contains("Unforeseen"))
            let failed = try await server.event { event in
                if case .failed(let id, let route, let error) = event { [id, route, error] } else { nil }
            }
            #expect(failed == ["fail-1", "/fail/{n}", "Unforeseen()"])
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `a cancellation that nobody asked for is answered as unavailable`() async throws {
        let route = Route.get("/cancelled") { _ in throw CancellationError() }
        try await withServer([route]) { server in
            let client = try await server.client()
            let reply = try await client.get("/cancelled")
            #expect(reply.status == 503 && reply.code == "unavailable" && reply.header("retry-after") == "1")
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `a problem is answered as it is`() async throws {
        let route = Route.get("/problem") { _ in
            throw Problem(.conflict, "not_found", headers: [Response.Header("X-Why", "because")])
        }
        try await withServer([route]) { server in
            let reply = try await server.client().get("/problem")
            #expect(reply.status == 409 && reply.code == "not_found" && reply.header("x-why") == "because")
        }
    }

    /// A value that breaks out of its line could add a header, or a whole answer.
    @Test func `the value of a header cannot end its line`() async throws {
        let route = Route.post("/header") { request in
            let value = String(decoding: request.body, as: UTF8.self)
            return Response(.ok, headers: [Response.Header("X-Value", value)], body: .bytes([], type: "text/plain"))
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            let reply = try await client.post("/header", "a\r\nSet-Cookie: b=c\r\n\r\nHTTP/1.1 200 OK\0\u{7f}x\ty\r\nč")
            #expect(reply.headers("set-cookie").isEmpty)
            #expect(reply.header("x-value") == "a  Set-Cookie: b=c    HTTP/1.1 200 OK  x\ty  č")
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    /// A plain function given for an `async` one would run wherever the compiler's bridge between them leads.
    @Test func `every handler runs on a loop`() async throws {
        let plain: @Sendable (Request) -> Response = { _ in .text(EventLoop.current == nil ? "elsewhere" : "loop") }
        let routes = [
            Route.get("/plain", handler: plain),
            Route.get("/literal") { _ in .text(EventLoop.current == nil ? "elsewhere" : "loop") },
        ]
        try await withServer(routes) { server in
            let client = try await server.client()
            #expect(try await client.get("/literal").text == "loop")
            #expect(try await client.get("/plain").text == "loop")
        }
    }
}
