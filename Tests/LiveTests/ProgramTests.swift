import TestSupport
import Glibc
import HTTP
import Testing

/// Common programs, unchanged. Debian's packages: curl, wrk, apache2-utils, python3, chromium.
@Suite(.enabled(if: !isOverTLS, "these programs come without TLS"), .timeLimit(.minutes(10)))
struct ProgramTests {
    /// Runs a program that must succeed, and gives its output.
    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        let program = try await Program.run(name, arguments)
        #expect(program.code == 0, "\(name): \(program.said + program.complained)")
        return program.said + program.complained
    }

    private func number(after label: String, in text: String) -> Int? {
        guard let start = text.firstRange(of: label) else { return nil }
        return Int(text[start.upperBound...].drop { $0 == " " }.prefix { $0.isNumber })
    }

    @Test func `curl gets pages and heads`() async throws {
        try await withServer { server in
            let url = "http://127.0.0.1:\(server.port)/ping"
            #expect(try await run("curl", ["-sS", url]) == "pong")
            #expect(try await run("curl", ["-sS", "--http1.0", url]) == "pong")
            let head = try await run("curl", ["-sSI", url])
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("Content-Length: 4\r\n"))
        }
    }

    @Test func `curl keeps its connection`() async throws {
        try await withServer { server async throws in
            let url = "http://127.0.0.1:\(server.port)/ping"
            #expect(try await run("curl", ["-sS", "-w", "%{num_connects} ", url, url]) == "pong1 pong0 ")
        }
    }

    @Test func `curl posts with expectation and with chunks`() async throws {
        try await withServer { server async throws in
            let url = "http://127.0.0.1:\(server.port)/echo"
            let body = String(repeating: "0123456789", count: 5_000)
            let expecting = ["-sS", "-H", "Expect: 100-continue", "-d", body, url]
            #expect(try await run("curl", expecting) == body)
            #expect(try await run("curl", ["-v"] + expecting).contains("HTTP/1.1 100 Continue"))
            #expect(try await run("curl", ["-sS", "-H", "Transfer-Encoding: chunked", "-d", body, url]) == body)
        }
    }

    @Test func `curl is told that a body is too large`() async throws {
        try await withServer { server in
            let body = String(repeating: "x", count: 100_000)
            let output = try await run(
                "curl", ["-sS", "-w", " %{http_code}", "-d", body, "http://127.0.0.1:\(server.port)/echo"])
            #expect(output.contains("too_large") && output.hasSuffix(" 413"))
        }
    }

    @Test func `wrk meets no error`() async throws {
        try await withServer(loops: 2) { server in
            let output = try await run(
                "wrk", ["-t1", "-c32", "-d1s", "--timeout", "10s", "http://127.0.0.1:\(server.port)/ping"])
            #expect(output.contains("requests in") && !output.contains("Socket errors"))
            #expect(!output.contains("Non-2xx"))
        }
    }

    @Test(arguments: [["-k"], []]) func `ab meets no error`(_ keepAlive: [String]) async throws {
        try await withServer(loops: 2) { server in
            let output = try await run(
                "ab", keepAlive + ["-q", "-n", "2000", "-c", "16", "http://127.0.0.1:\(server.port)/ping"])
            #expect(number(after: "Complete requests:", in: output) == 2_000)
            #expect(number(after: "Failed requests:", in: output) == 0)
            let kept = number(after: "Keep-Alive requests:", in: output)
            #expect(kept == (keepAlive.isEmpty ? nil : 2_000) && !output.contains("Non-2xx"))
        }
    }

    @Test func `Python keeps its connection and uploads in chunks`() async throws {
        let script = """
            import http.client, sys
            c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
            for _ in range(20):
                c.request("GET", "/ping")
                assert c.getresponse().read() == b"pong"
                mine = c.sock
            parts = [b"x" * n for n in (1, 1000, 30000)]
            c.request("POST", "/echo", body=iter(parts), encode_chunked=True,
                      headers={"Transfer-Encoding": "chunked"})
            assert c.getresponse().read() == b"".join(parts)
            c.request("HEAD", "/ping")
            r = c.getresponse()
            assert r.read() == b"" and r.getheader("Content-Length") == "4"
            c.request("GET", "/words")
            assert c.getresponse().read() == b"one two"
            assert c.sock is mine
            print("fine")
            """
        let words = Route.get("/words") { _ in
            Response(
                .ok,
                body: .stream(type: "text/plain") { writer in
                    try await writer.write(Array("one ".utf8))
                    try await writer.write(Array("two".utf8))
                })
        }
        try await withServer([words]) { server async throws in
            #expect(try await run("python3", ["-c", script, "\(server.port)"]) == "fine\n")
        }
    }

    @Test func `a browser shows a page that calls back`() async throws {
        let page = """
            <!doctype html><html><head><link rel="icon" href="data:,"></head><body><p id="said">nothing</p>
            <script src="/page.js"></script></body></html>
            """
        let script = """
            fetch("/echo", {method: "POST", body: "čvarci"}).then(r => r.text()).then(t => {
              document.getElementById("said").textContent = "heard " + t;
            });
            """
        let policy = Response.Header("Content-Security-Policy", "default-src 'self'; img-src data:")
        let routes = [
            Route.get("/page") { _ in
                Response(.ok, headers: [policy], body: .bytes(Array(page.utf8), type: "text/html; charset=utf-8"))
            },
            Route.get("/page.js") { _ in
                Response(.ok, body: .bytes(Array(script.utf8), type: "text/javascript; charset=utf-8"))
            },
        ]
        try await withServer(routes) { server in
            var template = Array("/tmp/browser-XXXXXX".utf8CString)
            let profile = String(cString: mkdtemp(&template))
            let output = try await run(
                "chromium",
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                    "--user-data-dir=\(profile)", "--virtual-time-budget=10000", "--dump-dom",
                    "http://127.0.0.1:\(server.port)/page",
                ])
            #expect(output.contains("heard čvarci"), "\(output)")
            _ = try await run("rm", ["-r", profile])
        }
    }
}
