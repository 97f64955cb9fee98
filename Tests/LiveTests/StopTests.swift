import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

/// The server stops, in good order if there is time.
@Suite(.timeLimit(.minutes(10)))
struct StopTests {
    /// A handler that answers when it is released.
    private struct Held: Sendable {
        let begun = Mailbox<Void>()
        let letGo = Mailbox<Void>()

        var route: Route {
            .get("/held") { [self] _ in
                begun.put(())
                try await letGo.next()
                return .text("done")
            }
        }
    }

    @Test func `idle connections are closed at once, and new ones refused`() async throws {
        try await withServer(loops: 2) { server in
            let idle = try await server.client()
            #expect(try await idle.get("/ping").text == "pong")
            let silent = try await server.client()
            try await server.hasOpen(2)
            async let stopped: Void = server.server.stop(within: .seconds(60))
            #expect(try await idle.isClosed())
            #expect(try await silent.isClosed())
            idle.close()
            silent.close()
            await stopped
            #expect(server.server.openConnections == 0)
            await #expect(throws: ClientError.refused) { _ = try await server.client() }
        }
    }

    @Test func `a running request is finished and says that it was the last`() async throws {
        let held = Held()
        try await withServer([held.route]) { server in
            let client = try await server.client()
            try await client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
            try await held.begun.next()
            async let stopped: Void = server.server.stop(within: .seconds(60))
            try await eventually {
                do {
                    _ = try await server.client()
                    return false
                } catch ClientError.refused {
                    return true
                } catch ClientError.reset {
                    // The connection was in the queue when the socket was closed.
                    return false
                }
            }
            held.letGo.put(())
            let reply = try await client.reply()
            #expect(reply.text == "done" && reply.header("connection") == "close")
            #expect(try await client.isClosed())
            client.close()
            await stopped
        }
    }

    @Test func `a request that is being sent is taken`() async throws {
        try await withServer { server in
            let client = try await server.client()
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
            let other = try await server.client()
            #expect(try await other.get("/ping").text == "pong")
            async let stopped: Void = server.server.stop(within: .seconds(60))
            #expect(try await other.isClosed())
            let reply = try await client.ask("cd")
            #expect(reply.text == "abcd" && reply.header("connection") == "close")
            client.close()
            await stopped
        }
    }

    @Test func `a stream is cancelled and may end properly`() async throws {
        let begun = Mailbox<Void>()
        let route = Route.get("/stream") { _ in
            Response(
                .ok,
                body: .stream(type: "text/plain") { writer in
                    try await writer.write(Array("hello ".utf8))
                    begun.put(())
                    await EventLoop.waitForCancellation()
                    try await writer.write(Array("goodbye".utf8))
                })
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            try await begun.next()
            async let stopped: Void = server.server.stop(within: .seconds(60))
            #expect(try await client.reply().text == "hello goodbye")
            #expect(try await client.isClosed())
            client.close()
            await stopped
        }
    }

    @Test func `a request that is not done when the time is up is ended`() async throws {
        let held = Held()
        try await withServer([held.route]) { server in
            let client = try await server.client()
            try await client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
            try await held.begun.next()
            await server.server.stop(within: .milliseconds(100))
            #expect(server.server.openConnections == 0)
            #expect(try await client.isClosed())
            #expect(try await server.answered(499).route == "/held")
        }
    }

    @Test func `stopping with nobody there is done at once`() async throws {
        try await withServer(loops: 2) { server in
            await server.server.stop(within: .seconds(60))
            await server.server.stop(within: .seconds(60))
        }
    }

    /// Sockets that share a port would share it with the other server, too, and each would get some of the other's
    /// clients.
    @Test func `a second server on the same port is refused`() async throws {
        try await withServer(loops: 2) { server async throws in
            let error = await #expect(throws: ListenError.self) {
                try await withServer {
                    $0.listen = server.server.address
                } _: { _ in
                }
            }
            let said = error.map { "\($0)" } ?? ""
            #expect(said.contains("\(server.server.address)") && said.contains("Address already in use"))
            for _ in 0..<20 { #expect(try await server.client().get("/ping").text == "pong") }
        }
    }

    @Test func `a port is free again after its server`() async throws {
        let address = try await withServer(loops: 2) { server async throws in
            #expect(try await server.client().get("/ping", "Connection: close\r\n").text == "pong")
            return server.server.address
        }
        try await withServer {
            $0.listen = address
        } _: { server async throws in
            #expect(server.port == address.port)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }

    @Test func `a host without an address is refused by name`() async throws {
        let error = await #expect(throws: ListenError.self) {
            try await withServer {
                $0.listen = ListenAddress(host: "nowhere.invalid", port: 0)
            } _: { _ in
            }
        }
        #expect(error.map { "\($0)".contains("nowhere.invalid") } == true)
    }
}
