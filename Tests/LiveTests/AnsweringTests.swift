import TestSupport
import HTTP
import Testing

/// Ordinary requests, and the heads of their answers.
@Suite(.timeLimit(.minutes(10)))
struct AnsweringTests {
    @Test func `a request is answered and its connection used again`() async throws {
        try await withServer { server in
            let client = try await server.client()
            for _ in 0..<100 {
                let reply = try await client.get("/ping")
                #expect(reply.version == "HTTP/1.1" && reply.status == 200 && reply.text == "pong")
                #expect(reply.header("connection") == nil && reply.header("date") != nil)
            }
            #expect(server.server.openConnections == 1)
        }
    }

    @Test func `a wish to close the connection is honoured`() async throws {
        try await withServer { server in
            let client = try await server.client()
            #expect(try await client.get("/ping", "Connection: foo, Close\r\n").header("connection") == "close")
            #expect(try await client.isClosed())
        }
    }

    @Test func `HEAD has the head of GET and no body`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let head = try await client.ask("HEAD /ping HTTP/1.1\r\nHost: a\r\n\r\n", method: "HEAD")
            #expect(head.status == 200 && head.header("content-length") == "4")
            let missing = try await client.ask("HEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n", method: "HEAD")
            #expect(missing.status == 404)
            // A body would be taken for the beginning of this answer.
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `OPTIONS says what is allowed`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let route = try await client.ask("OPTIONS /echo HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(route.status == 204 && route.header("allow") == "OPTIONS, POST")
            let all = try await client.ask("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(all.status == 204 && all.header("allow") != nil)
            let missing = try await client.ask("OPTIONS /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(missing.status == 404)
        }
    }

    @Test func `unknown paths and methods are problems`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let missing = try await client.get("/nowhere")
            #expect(missing.status == 404 && missing.code == "not_found")
            let wrong = try await client.ask("DELETE /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(wrong.status == 405 && wrong.code == "method_not_allowed")
            #expect(wrong.header("allow") == "GET, HEAD, OPTIONS")
            let unheardOf = try await client.ask("BREW /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(unheardOf.status == 405)
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `the older version closes unless asked to stay`() async throws {
        try await withServer { server in
            let closing = try await server.client()
            let reply = try await closing.ask("GET /ping HTTP/1.0\r\n\r\n")
            #expect(reply.text == "pong" && reply.header("connection") == "close")
            #expect(try await closing.isClosed())
            let staying = try await server.client()
            for _ in 0..<3 {
                let reply = try await staying.ask("GET /ping HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
                #expect(reply.text == "pong" && reply.header("connection") == "keep-alive")
            }
        }
    }

    @Test func `the absolute form is taken`() async throws {
        try await withServer { server in
            let client = try await server.client()
            #expect(try await client.ask("GET http://test/ping HTTP/1.1\r\nHost: test\r\n\r\n").text == "pong")
        }
    }

    @Test func `parameters and queries are decoded`() async throws {
        let route = Route.get("/things/{name}") { request in
            .text("\(try request.parameter("name", as: String.self))|\(request.query("q") ?? "none")")
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            #expect(try await client.get("/things/%C4%8Dokolada%2F1?q=a+b%26c").text == "čokolada/1|a b&c")
            #expect(try await client.get("/things/x").text == "x|none")
            #expect(try await client.get("/things/x?q=%ff").status == 400)
        }
    }

    @Test func `bodies come by length and by chunks`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let body = String(repeating: "žutić ", count: 8_000)
            #expect(try await client.post("/echo", body).text == body)
            #expect(try await client.post("/echo", "").status == 200)
            let chunked = try await client.ask(
                "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "4;x=\"y\"\r\nWiki\r\n5\r\npedia\r\n0\r\nTrailer: 1\r\n\r\n")
            #expect(chunked.text == "Wikipedia")
            let largest = String(repeating: "x", count: 64 * 1024)
            #expect(try await client.post("/echo", largest).body.count == 64 * 1024)
        }
    }

    @Test func `a client that expects to continue is told to`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let expectation = "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            let go = try await client.ask("POST /echo HTTP/1.1\r\nHost: a\r\n" + expectation)
            #expect(go.status == 100)
            #expect(try await client.ask("hello").text == "hello")
            // A client that does not wait for it is not told.
            let impatient = try await client.ask("POST /echo HTTP/1.1\r\nHost: a\r\n\(expectation)hello")
            #expect(impatient.status == 200 && impatient.text == "hello")
        }
    }

    @Test(arguments: [
        ("POST /nowhere", "5", 404), ("POST /ping", "5", 405), ("POST /echo", "70000", 413),
    ])
    func `a client that expects to continue in vain is told before it sends`(
        _ line: String, _ length: String, _ status: Int
    ) async throws {
        try await withServer { server in
            let client = try await server.client()
            let reply = try await client.ask(
                "\(line) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n")
            #expect(reply.status == status && reply.header("connection") == "close")
            #expect(try await client.isClosed())
        }
    }

    @Test func `request ids are echoed when sane and made otherwise`() async throws {
        try await withServer(loops: 2) { server in
            let client = try await server.client()
            #expect(try await client.get("/ping", "X-Request-Id: a-B_1.2\r\n").header("x-request-id") == "a-B_1.2")
            for insane in ["", "a b", "<x>", "č", String(repeating: "x", count: 129)] {
                let id = try await client.get("/ping", "X-Request-Id: \(insane)\r\n").header("x-request-id")
                #expect(id?.count == 13 && id != insane)
            }
            var ids: Set<String> = []
            for _ in 0..<4 {
                let client = try await server.client()
                for _ in 0..<100 { ids.insert(try await client.get("/ping").header("x-request-id") ?? "") }
            }
            #expect(ids.count == 400)
        }
    }

    @Test func `a request is reported with its route`() async throws {
        let route = Route.get("/things/{name}") { request in
            request.account = "anna"
            return .text(try request.parameter("name"))
        }
        try await withServer([route]) { server in
            let reply = try await server.client().get("/things/7")
            let summary = try await server.answered(200)
            #expect(summary.method == "GET" && summary.route == "/things/{name}")
            #expect(summary.account == "anna" && summary.requestID == reply.header("x-request-id"))
            #expect(summary.nanoseconds > 0)
        }
    }

    @Test func `only trusted proxies are believed about the address of a client`() async throws {
        let route = Route.get("/me") { .text("\($0.client)") }
        let fields = "X-Forwarded-For: 203.0.113.9, 192.0.2.1\r\n"
        try await withServer([route]) { server async throws in
            #expect(try await server.client().get("/me", fields).text == "127.0.0.1")
        }
        try await withServer([route]) { configuration in
            configuration.trustedProxies = [IPNetwork("127.0.0.0/8")!, IPNetwork("192.0.2.0/24")!]
        } _: { server async throws in
            #expect(try await server.client().get("/me", fields).text == "203.0.113.9")
        }
    }
}
