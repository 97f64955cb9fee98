import TestSupport
import HTTP
import Testing

/// Limits on connections, in all and from one address.
@Suite(.timeLimit(.minutes(10)))
struct AdmissionTests {
    private func expectTurnedAway(_ client: Client) async throws {
        let reply = try await client.reply()
        #expect(reply.status == 503 && reply.code == "unavailable")
        #expect(reply.header("retry-after") == "1" && reply.header("connection") == "close")
        #expect(try await client.isClosed())
    }

    @Test(.enabled(if: !isOverTLS, "there is no handshake to tell it in"))
    func `connections are bounded in all, and a close frees a slot`() async throws {
        try await withServer(loops: 2) { configuration in
            configuration.limits.connections = 3
        } _: { server in
            var clients: [Client] = []
            for _ in 0..<3 {
                let client = try await server.client()
                #expect(try await client.get("/ping").text == "pong")
                clients.append(client)
            }
            try await expectTurnedAway(server.client())
            for client in clients { #expect(try await client.get("/ping").text == "pong") }
            clients.removeLast().close()
            try await server.hasOpen(2)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }

    @Test(.enabled(if: !isOverTLS, "there is no handshake to tell it in"))
    func `connections of one address are bounded, and others do not feel it`() async throws {
        try await withServer(loops: 2) { configuration in
            configuration.limits.connectionsPerAddress = 2
        } _: { server in
            let (first, second) = (try await server.client(), try await server.client())
            try await server.hasOpen(2)
            try await expectTurnedAway(server.client())
            let other = try await server.client(from: "127.0.0.2")
            #expect(try await other.get("/ping").text == "pong")
            first.close()
            try await server.hasOpen(2)
            #expect(try await server.client().get("/ping").text == "pong")
            #expect(try await second.get("/ping").text == "pong")
        }
    }

    @Test func `a trusted proxy is not held to the bound of an address`() async throws {
        try await withServer { configuration in
            configuration.limits.connectionsPerAddress = 2
            configuration.trustedProxies = [IPNetwork("127.0.0.1")!]
        } _: { server in
            var clients: [Client] = []
            for _ in 0..<10 {
                let client = try await server.client()
                #expect(try await client.get("/ping").text == "pong")
                clients.append(client)
            }
        }
    }

    @Test(.enabled(if: !isOverTLS, "there is no handshake to tell it in"))
    func `a client that is turned away is observed`() async throws {
        try await withServer { configuration in
            configuration.limits.connections = 0
        } _: { server in
            try await expectTurnedAway(server.client())
            #expect(try await server.event { if case .turnedAway = $0 { true } else { nil } })
        }
    }

    @Test func `a storm of connections leaves nothing behind`() async throws {
        try await withServer(loops: 2) { configuration in
            configuration.limits.connections = 50
        } _: { server in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for number in 0..<50 {
                            guard let client = try? await server.client() else { continue }
                            if number % 2 == 0 { _ = try? await client.get("/ping") }
                            if number % 3 == 0 { client.reset() } else { client.close() }
                        }
                    }
                }
            }
            try await server.hasOpen(0)
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }
}
