import EventLoop
import HTTP
import Synchronization
import TestSupport
import Testing

/// Answers that are written piece by piece.
@Suite(.timeLimit(.minutes(10)))
struct StreamedBodyTests {
    private struct Broken: Error {}

    private static func stream(
        _ path: String, _ write: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> Route {
        .get(path) { _ in Response(.ok, body: .stream(type: "text/plain", write)) }
    }

    private static let words = stream("/words") { writer in
        for word in ["one ", "", "two ", "three"] {
            try await writer.write(Array(word.utf8))
            await Task.yield()
        }
    }

    @Test func `a stream comes in chunks, and its connection is used again`() async throws {
        try await withServer([Self.words]) { server in
            let client = try await server.client()
            for _ in 0..<3 {
                let reply = try await client.get("/words")
                #expect(reply.header("transfer-encoding") == "chunked" && reply.header("content-length") == nil)
                // An empty chunk would have ended it.
                #expect(reply.chunks?.map { String(decoding: $0, as: UTF8.self) } == ["one ", "two ", "three"])
            }
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `the older version gets a stream until the close`() async throws {
        try await withServer([Self.words]) { server in
            let client = try await server.client()
            let reply = try await client.ask("GET /words HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(reply.header("transfer-encoding") == nil && reply.header("connection") == "close")
            #expect(reply.text == "one two three")
        }
    }

    @Test func `HEAD gets nothing of a stream`() async throws {
        try await withServer([Self.words]) { server in
            let client = try await server.client()
            let reply = try await client.ask("HEAD /words HTTP/1.1\r\nHost: a\r\n\r\n", method: "HEAD")
            #expect(reply.status == 200 && reply.header("content-type") == "text/plain")
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `written bytes leave before the stream ends`() async throws {
        let goOn = Mailbox<Void>()
        let route = Self.stream("/bit") { writer in
            try await writer.write(Array("first".utf8))
            try await goOn.next()
            try await writer.write(Array("second".utf8))
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send("GET /bit HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Client.threads.run { while try !client.takeLine().isEmpty {} }
            #expect(String(decoding: try await client.read(10), as: UTF8.self) == "5\r\nfirst\r\n")
            goOn.put(())
            #expect(String(decoding: try await client.read(16), as: UTF8.self) == "6\r\nsecond\r\n0\r\n\r\n")
        }
    }

    @Test func `how long somebody reads a stream is not how long its answer took`() async throws {
        let goOn = Mailbox<Void>()
        let route = Self.stream("/bit") { writer in
            try await writer.write(Array("first".utf8))
            try await goOn.next()
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            let begun = Instant.now
            try await client.send("GET /bit HTTP/1.1\r\nHost: a\r\n\r\n")
            try await Client.threads.run { while try !client.takeLine().isEmpty {} }
            let seen = Instant.now.nanoseconds(since: begun)
            goOn.put(())
            #expect(try await server.answered(200).nanoseconds <= seen)
        }
    }

    @Test func `a stream outlives the deadline of its route`() async throws {
        let route = Route("GET", "/long", deadline: .milliseconds(50)) { _ in
            Response(
                .ok,
                body: .stream(type: "text/plain") { writer in
                    try await writer.write(Array("a".utf8))
                    try await EventLoop.current!.sleep(for: .milliseconds(700))
                    try await writer.write(Array("b".utf8))
                })
        }
        try await withServer([route]) { server async throws in
            #expect(try await server.client().get("/long").text == "ab")
        }
    }

    @Test func `the producer waits for a client that does not read`() async throws {
        let written = Atomic(0)
        let total = 640
        let route = Self.stream("/much") { writer in
            for _ in 0..<total {
                try await writer.write([UInt8](repeating: 0x2e, count: 16_384))
                written.add(1, ordering: .relaxed)
            }
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send("GET /much HTTP/1.1\r\nHost: a\r\n\r\n")
            var last = -1
            try await eventually {
                let now = written.load(ordering: .relaxed)
                defer { last = now }
                return now > 0 && now == last
            }
            // The bound is the backlog and what the kernel holds; all of it would be 10 MB.
            #expect(written.load(ordering: .relaxed) * 16_384 < 8 * 1024 * 1024)
            #expect(try await client.reply().body.count == total * 16_384)
            #expect(written.load(ordering: .relaxed) == total)
        }
    }

    @Test func `several tasks may write to one stream`() async throws {
        let route = Self.stream("/several") { writer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<20 { try await writer.write([UInt8](repeating: 0x2e, count: 65_536)) }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await withServer([route]) { server in
            let client = try await server.client(receiveBuffer: 16_384)
            #expect(try await client.get("/several").body.count == 4 * 20 * 65_536)
        }
    }

    @Test func `a producer that breaks off in the middle sends no end`() async throws {
        let route = Self.stream("/broken") { writer in
            try await writer.write(Array("half".utf8))
            throw Broken()
        }
        try await withServer([route]) { server in
            let client = try await server.client()
            try await client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = String(decoding: try await client.rest(), as: UTF8.self)
            #expect(all.hasSuffix("\r\n\r\n4\r\nhalf\r\n"))
        }
    }

    /// The producer either has nothing to write, or waits for room.
    @Test(arguments: [0, 65_536]) func `a client that leaves cancels the producer`(_ size: Int) async throws {
        let ends = Mailbox<String>()
        let route = Self.stream("/endless") { writer in
            defer { ends.put("ended") }
            ends.put("begun")
            try await writer.write(Array("x".utf8))
            while size > 0 { try await writer.write([UInt8](repeating: 0x2e, count: size)) }
            await EventLoop.waitForCancellation()
        }
        try await withServer([route]) { server in
            for leave in [{ $0.close() }, { $0.reset() }] as [(Client) -> Void] {
                let client = try await server.client()
                try await client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await ends.next() == "begun")
                #expect(try await client.read(12) == Array("HTTP/1.1 200".utf8))
                leave(client)
                #expect(try await ends.next() == "ended")
                try await server.hasOpen(0)
            }
        }
    }

    /// A producer that goes on writing after the cancellation is refused each time, and nothing else happens.
    @Test func `a producer that ignores its cancellation harms nobody`() async throws {
        let refusals = Mailbox<Bool>()
        let route = Self.stream("/stubborn") { writer in
            while !Task.isCancelled { try? await writer.write([UInt8](repeating: 0x2e, count: 65_536)) }
            for _ in 0..<3 {
                do {
                    try await writer.write([UInt8](repeating: 0x2e, count: 65_536))
                    refusals.put(false)
                } catch {
                    refusals.put(true)
                }
            }
        }
        try await withServer([route]) { server in
            // This one is cancelled while it waits, and its client is still there.
            let half = try await server.client(receiveBuffer: 4096)
            try await half.send("GET /stubborn HTTP/1.1\r\nHost: a\r\n\r\n")
            half.finishSending()
            for _ in 0..<3 { #expect(try await refusals.next()) }
            let gone = try await server.client(receiveBuffer: 4096)
            try await gone.send("GET /stubborn HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await gone.read(12) == Array("HTTP/1.1 200".utf8))
            gone.reset()
            for _ in 0..<3 { #expect(try await refusals.next()) }
            #expect(try await server.client().get("/ping").text == "pong")
        }
    }
}
