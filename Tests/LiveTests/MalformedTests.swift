import HTTP
import TestSupport
import Testing

/// Requests that cannot be accepted are answered so that the client can read why, and nobody else notices.
@Suite(.timeLimit(.minutes(10)))
struct MalformedTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let request: String
        let status: Int
        let code: String
        var testDescription: String { name }

        init(_ name: String, _ request: String, _ status: Int, _ code: String) {
            (self.name, self.request, self.status, self.code) = (name, request, status, code)
        }
    }

    static let cases = [
        Case("bare line feeds", "GET /ping HTTP/1.1\nHost: a\n\n", 400, "bad_request"),
        Case("folding", "GET /ping HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n", 400, "bad_request"),
        Case("space before colon", "GET /ping HTTP/1.1\r\nHost : a\r\n\r\n", 400, "bad_request"),
        Case("no Host", "GET /ping HTTP/1.1\r\n\r\n", 400, "bad_request"),
        Case("two Hosts", "GET /ping HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "bad_request"),
        Case("bad Host", "GET /ping HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "bad_request"),
        Case(
            "two lengths", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400,
            "bad_request"),
        Case("signed length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx", 400, "bad_request"),
        Case(
            "length and coding",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "bad_request"),
        Case(
            "another coding", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501,
            "not_implemented"),
        Case(
            "a coding without an end", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 400,
            "bad_request"),
        Case(
            "bad chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400,
            "bad_request"),
        Case(
            "bad chunk end", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400,
            "bad_request"),
        Case("NUL in a value", "GET /ping HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 400, "bad_request"),
        Case("raw UTF-8 in the path", "GET /č HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request"),
        Case("invalid UTF-8 in the path", "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request"),
        Case("half an escape", "GET /%f HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request"),
        Case("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"),
        Case("HTTP/3.0", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505, "version_not_supported"),
        Case("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}", 400, "bad_request"),
        Case("expectation", "GET /ping HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417, "expectation_failed"),
        Case(
            "large head", "GET /ping HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 20_000), 431,
            "too_large"),
        Case(
            "many fields", "GET /ping HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: 1\r\n", count: 101), 431,
            "too_large"),
        Case("long target", "GET /" + String(repeating: "x", count: 20_000), 414, "too_large"),
        Case(
            "large body by length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413,
            "too_large"),
        Case(
            "endless length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413,
            "too_large"),
        Case(
            "large body by chunks",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n", count: 2) + "1\r\n",
            413, "too_large"),
        Case(
            "large chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413,
            "too_large"),
    ]

    @Test func `each malformed request is told why while a healthy client is served`() async throws {
        try await withServer { server in
            let healthy = try await server.client()
            for test in Self.cases {
                let client = try await server.client()
                let reply = try await client.ask(test.request)
                #expect(reply.status == test.status, "\(test.name)")
                #expect(reply.code == test.code, "\(test.name)")
                // The parser knows where a request with bad escapes ends, so another one may follow it.
                if reply.header("connection") == "close" {
                    #expect(try await client.isClosed(), "\(test.name)")
                } else {
                    #expect(test.name == "invalid UTF-8 in the path")
                }
                #expect(try await healthy.get("/ping").text == "pong")
            }
        }
    }

    /// Closing while bytes are unread resets the connection, and a reset may take the answer with it.
    @Test(arguments: [
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n",
        "BROKEN\r\n",
    ])
    func `a client that goes on sending can read the answer`(_ start: String) async throws {
        try await withServer { server in
            for _ in 0..<5 {
                let client = try await server.client()
                try await client.send(Array(start.utf8) + [UInt8](repeating: 0x78, count: 1_048_576))
                let reply = try await client.reply()
                #expect(reply.status == (start == "BROKEN\r\n" ? 400 : 413))
                #expect(try await client.rest().isEmpty)
            }
            try await server.hasOpen(0)
        }
    }

    @Test func `a client that sends too much and then its end can read the answer`() async throws {
        try await withServer { server in
            for _ in 0..<5 {
                let client = try await server.client()
                try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n")
                try await client.send([UInt8](repeating: 0x78, count: 1_048_576))
                client.finishSending()
                #expect(try await client.reply().status == 413)
                #expect(try await client.rest().isEmpty)
            }
            try await server.hasOpen(0)
        }
    }

    /// The client's end is known already, but bytes before it are unread when the answer is made.
    @Test func `a client that has long said its end can read the answer`() async throws {
        let (begun, letGo) = (Mailbox<Void>(), Mailbox<Void>())
        let held = Route.get("/held") { _ in
            begun.put(())
            try await letGo.next()
            return .text("done")
        }
        try await withServer([held]) { server in
            for _ in 0..<5 {
                let client = try await server.client()
                // The kernel gives more room to a connection that has carried much.
                let body = String(repeating: "x", count: 60_000)
                for _ in 0..<100 { _ = try await client.post("/echo", body) }
                try await client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
                try await begun.next()
                try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n")
                try await client.send([UInt8](repeating: 0x78, count: 150_000))
                client.finishSending()
                letGo.put(())
                #expect(try await client.replies(2).map(\.status) == [200, 413])
                #expect(try await client.rest().isEmpty)
            }
            try await server.hasOpen(0)
        }
    }

    @Test func `a client that never ends its refused body is closed all the same`() async throws {
        try await withServer { server in
            let client = try await server.client()
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
            #expect(try await client.reply().status == 413)
            await #expect(throws: ClientError.reset) {
                while true { try await client.send([UInt8](repeating: 0x78, count: 65_536)) }
            }
            try await server.hasOpen(0)
        }
    }

    @Test func `a problem is in the language of its reader and bears the request id`() async throws {
        try await withServer { server in
            let fields = "Accept-Language: fr, hr;q=0.9, en;q=0.5\r\nX-Request-Id: mine-1\r\n"
            let large = try await server.client().ask(
                "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: 70000\r\n\r\n")
            #expect(large.status == 413)
            #expect(large.field("title") == "Preveliko")
            #expect(large.header("content-language") == "hr")
            #expect(large.field("request_id") == "mine-1" && large.header("x-request-id") == "mine-1")
            let missing = try await server.client().get("/nowhere", fields)
            #expect(missing.field("title") == "Nije pronađeno" && missing.field("request_id") == "mine-1")
            let english = try await server.client().get("/nowhere", "Accept-Language: ja\r\n")
            #expect(english.field("title") == "Not found" && english.header("content-language") == "en")
        }
    }

    @Test func `a refused request is reported`() async throws {
        try await withServer { server in
            let reply = try await server.client().ask("NONSENSE\r\n\r\n")
            let summary = try await server.answered(400)
            #expect(summary.method == nil && summary.route == nil)
            #expect(summary.requestID == reply.header("x-request-id"))
            _ = try await server.client().ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n")
            let large = try await server.answered(413)
            #expect(large.method == "POST" && large.route == "/echo")
        }
    }
}
