import EventLoop
import HTTP
import TestSupport
import Testing

/// Clients that leave before they have their answer.
@Suite(.timeLimit(.minutes(10)))
struct LeavingClientTests {
    /// A handler that reports its beginning, and then waits until it is cancelled.
    private struct Waiting: Sendable {
        let steps = Mailbox<String>()

        var route: Route {
            .get("/wait") { [steps] _ in
                steps.put("begun")
                await EventLoop.waitForCancellation()
                steps.put("cancelled")
                throw CancellationError()
            }
        }

        func expectCancelled(by leave: (Client) -> Void) async throws {
            try await withServer([route]) { server in
                let client = try await server.client()
                try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await steps.next() == "begun")
                leave(client)
                #expect(try await steps.next() == "cancelled")
                try await server.hasOpen(0)
                #expect(try await server.client().get("/ping").text == "pong")
            }
        }
    }

    @Test func `a reset cancels the handler`() async throws {
        try await Waiting().expectCancelled { $0.reset() }
    }

    @Test func `an orderly close cancels the handler`() async throws {
        try await Waiting().expectCancelled { $0.close() }
    }

    @Test func `a client that ends its sending has its handler cancelled in time`() async throws {
        try await Waiting().expectCancelled { $0.finishSending() }
    }

    @Test func `a client that left is reported`() async throws {
        let waiting = Waiting()
        try await withServer([waiting.route]) { server in
            let client = try await server.client()
            try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await waiting.steps.next() == "begun")
            client.reset()
            #expect(try await server.answered(499).route == "/wait")
        }
    }

    @Test func `a half-open client still gets a quick answer`() async throws {
        let quick = Route.get("/quick") { _ in
            try await EventLoop.current!.sleep(for: .milliseconds(50))
            return .text("done")
        }
        try await withServer([quick]) { server in
            for path in ["/ping", "/quick", "/bytes/300000"] {
                let client = try await server.client()
                try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                client.finishSending()
                #expect(try await client.reply().status == 200)
                #expect(try await client.isClosed())
            }
            try await server.hasOpen(0)
        }
    }

    @Test(arguments: ["G", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"])
    func `a client that leaves in the middle of a request is forgotten`(_ start: String) async throws {
        try await withServer { server in
            for leave in [{ $0.close() }, { $0.reset() }, { $0.finishSending() }] as [(Client) -> Void] {
                let client = try await server.client()
                try await client.send(start)
                try await server.hasOpen(1)
                leave(client)
                try await server.hasOpen(0)
            }
        }
    }

    @Test func `many clients that leave occupy nothing afterwards`() async throws {
        let waiting = Waiting()
        try await withServer([waiting.route], loops: 2) { server in
            for number in 0..<200 {
                let client = try await server.client()
                try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                if number % 2 == 0 { client.reset() } else { client.close() }
            }
            try await server.hasOpen(0)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }
}
