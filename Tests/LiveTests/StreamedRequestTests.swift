import EventLoop
import HTTP
import TestSupport
import Testing

/// Bodies that their handler reads piece by piece.
@Suite(.timeLimit(.minutes(10)))
struct StreamedRequestTests {
    private static let limit = 1 << 20

    /// Tells how many bytes came, and of how many the largest piece was.
    private static let counting = Route("POST", "/count", streamsUpTo: limit) { request in
        var (all, largest) = (0, 0)
        while let piece = try await request.pieces!.next() {
            (all, largest) = (all + piece.count, max(largest, piece.count))
        }
        return .text("\(all) \(largest)")
    }

    private static func head(_ length: Int, _ more: String = "", to path: String = "/count") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    private static func text(_ length: Int) -> String { String(repeating: "x", count: length) }

    @Test func `a body of many pieces comes whole, and its connection is used again`() async throws {
        try await withServer([Self.counting]) { server in
            let client = try await server.client()
            for length in [Self.limit, 1, 0, 200_000] {
                let reply = try await client.ask(Self.head(length) + Self.text(length))
                let numbers = reply.text.split(separator: " ").compactMap { Int($0) }
                #expect(numbers.count == 2 && numbers[0] == length && numbers[1] <= 128 * 1024, "\(reply.text)")
            }
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `chunks come as what is in them`() async throws {
        try await withServer([Self.counting]) { server in
            let client = try await server.client()
            let chunk = "10000\r\n\(Self.text(0x10000))\r\n"
            let head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let reply = try await client.ask(head + chunk + chunk + "0\r\n\r\n")
            #expect(reply.text.hasPrefix("131072 "))
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `more than the limit is refused, by its length before it comes and by its chunks as they come`()
        async throws
    {
        try await withServer([Self.counting]) { server in
            #expect(try await server.client().ask(Self.head(Self.limit + 1)).status == 413)
            let chunk = "10000\r\n\(Self.text(0x10000))\r\n"
            let head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let reply = try await server.client().ask(head + String(repeating: chunk, count: 16) + "1\r\n")
            #expect(reply.status == 413 && reply.header("connection") == "close")
        }
    }

    @Test func `what breaks the rules within a body is refused, and ends the connection`() async throws {
        try await withServer([Self.counting]) { server in
            let head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let reply = try await server.client().ask(head + "3\r\nabcd\r\n")
            #expect(reply.status == 400 && reply.header("connection") == "close")
        }
    }

    @Test func `nothing is read before it is asked for`() async throws {
        let (began, goOn) = (Mailbox<Void>(), Mailbox<Void>())
        let route = Route("POST", "/late", streamsUpTo: Self.limit) { request in
            began.put(())
            try await goOn.next()
            var count = 0
            while let piece = try await request.pieces!.next() { count += piece.count }
            return .text("\(count)")
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send(Self.head(10, to: "/late") + "01234")
            try await began.next()
            goOn.put(())
            try await client.send("56789")
            #expect(try await client.reply().text == "10")
        }
    }

    @Test func `a client that wants to be asked sends nothing in vain`() async throws {
        let refusing = Route("POST", "/no", streamsUpTo: Self.limit) { _ in throw Problem.notFound }
        try await withServer([Self.counting, refusing]) { server in
            let client = try await server.client()
            try await client.send(Self.head(5, "Expect: 100-continue\r\n"))
            let lines = try await Client.threads.run { [try client.takeLine(), try client.takeLine()] }
            #expect(lines == ["HTTP/1.1 100 Continue", ""])
            try await client.send("hello")
            #expect(try await client.reply().text.hasPrefix("5 "))
            let reply = try await client.ask(Self.head(5, "Expect: 100-continue\r\n", to: "/no"))
            #expect(reply.status == 404 && reply.header("connection") == "close")
        }
    }

    @Test func `an answer before the body's end closes the connection`() async throws {
        let hasty = Route("POST", "/hasty", streamsUpTo: Self.limit) { _ in .text("no need") }
        try await withServer([hasty]) { server in
            let client = try await server.client()
            // What follows would be a request by its looks.
            let reply = try await client.ask(Self.head(500_000, to: "/hasty") + "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(reply.text == "no need" && reply.header("connection") == "close")
            #expect(try await client.isClosed())
        }
    }

    @Test func `a handler hears when its client leaves in the middle`() async throws {
        let ended = Mailbox<Bool>()
        let route = Route("POST", "/left", streamsUpTo: Self.limit) { request in
            do {
                while try await request.pieces!.next() != nil {}
            } catch {
                ended.put(error is CancellationError)
                throw error
            }
            return .text("whole")
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send(Self.head(100, to: "/left") + "some")
            client.close()
            #expect(try await ended.next())
            try await server.hasOpen(0)
        }
    }

    @Test func `a body that does not come is given up`() async throws {
        let slow = Route("POST", "/slow", deadline: .milliseconds(300), streamsUpTo: Self.limit) { request in
            while try await request.pieces!.next() != nil {}
            return .text("whole")
        }
        try await withServer([slow]) { server in
            let reply = try await server.client().ask(Self.head(100, to: "/slow") + "some")
            #expect(reply.status == 408 && reply.header("connection") == "close")
        }
    }
}
