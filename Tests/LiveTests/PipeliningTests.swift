import HTTP
import TestSupport
import Testing

/// Many requests are sent before the first answer is read.
@Suite(.timeLimit(.minutes(10)))
struct PipeliningTests {
    private static let number = Route.get("/number/{n}") { request in
        // Some answers are ready at once, others take a turn of the loop or two.
        let number = try request.parameter("n", as: Int.self)
        for _ in 0..<number % 3 { await Task.yield() }
        return .text("\(number)")
    }

    private static let requests: [String] = (0..<1_000).map { number in
        if number % 5 == 4 {
            let body = "\(number)"
            return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        return "GET /number/\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
    }

    private func expectAllInOrder(_ client: Client) async throws {
        let replies = try await client.replies(1_000)
        let wrong = replies.enumerated().first { $0.element.text != String($0.offset) }
        #expect(
            wrong == nil,
            "the first that is wrong: \(wrong.map { "\($0.offset): \($0.element.status) \($0.element.text)" } ?? "")")
    }

    @Test func `a thousand requests are answered in order`() async throws {
        try await withServer([Self.number]) { server in
            let client = try await server.client()
            try await client.send(Self.requests.joined())
            try await expectAllInOrder(client)
        }
    }

    @Test(arguments: 0..<4) func `the places where bytes are cut make no difference`(_ seed: UInt64) async throws {
        try await withServer([Self.number]) { server in
            let client = try await server.client()
            let bytes = Array(Self.requests.joined().utf8)
            async let answers: Void = expectAllInOrder(client)
            var random = Seed(seed)
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(
                    Int.random(in: 1...[3, 40, 400, 4_000].randomElement(using: &random)!, using: &random))
                try await client.send(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            try await answers
        }
    }

    /// Answers that need no handler are made while the requests are read. Many of them must not pile up on the stack.
    @Test func `many requests that need no handler are answered`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let count = 6_000
            async let sent: Void = client.send(
                String(
                    repeating: "GET /n HTTP/1.1\r\nHost: a\r\n\r\nOPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n",
                    count: count / 2))
            #expect(Set(try await client.replies(count).map(\.status)) == [404])
            try await sent
        }
    }

    @Test func `nothing is answered after the last request`() async throws {
        try await withServer { server in
            let client = try await server.client()
            try await client.send(
                "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.reply().text == "pong")
            #expect(try await client.isClosed())
        }
    }

    @Test func `good requests before a malformed one are answered`() async throws {
        try await withServer { server in
            let client = try await server.client()
            try await client.send(
                "GET /ping HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\nGET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.reply().text == "pong")
            #expect(try await client.reply().status == 400)
            #expect(try await client.isClosed())
        }
    }

    @Test func `requests that were sent before the end are answered`() async throws {
        try await withServer([Self.number]) { server in
            let client = try await server.client()
            try await client.send(Self.requests.joined())
            client.finishSending()
            try await expectAllInOrder(client)
            #expect(try await client.isClosed())
        }
    }
}
