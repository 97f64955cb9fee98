import API
import Domain
import EventLoop
import HTTP

/// Tells accounts who listen on this node what is new for them. It has no history: whoever was away reads a list.
package protocol NewsTail: Sendable {
    /// How far somebody who listens has been told.
    associatedtype Place: Sendable

    /// Begins to listen on this loop.
    func begin(_ account: ID) -> (listener: Listener<ID>, place: Place)
    /// Ends what has begun.
    func end(_ listener: Listener<ID>, of account: ID)
    /// The events behind a place, which then becomes the place behind them.
    func news(for account: ID, after place: inout Place) async throws -> [UInt8]
}

/// Streams of such news, without ids, for as long as a session lasts.
package struct NewsStreams: Sendable {
    private let authenticator: Authenticator
    private let streams: Streams

    package init(authenticator: Authenticator, streams: Streams) {
        (self.authenticator, self.streams) = (authenticator, streams)
    }

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)

    /// Answers with a stream of what the tail has for the caller.
    package func response(to call: Call, from tail: some NewsTail) async throws -> Response {
        let (account, request) = (call.caller.account, call.request)
        let seat = try await streams.enter(call.caller.session)
        return Response(
            .ok, headers: [Response.Header("X-Accel-Buffering", "no")],
            body: .stream(type: "text/event-stream") { writer in
                let (listener, place) = tail.begin(account)
                defer { tail.end(listener, of: account) }
                do {
                    try await writer.write(Array("retry: 1000\n: welcome\n\n".utf8))
                    try await follow(tail, listener, of: account, from: place, request, writer)
                } catch is CancellationError where listener.isOver {
                    // The server stops. The stream ends properly, so that its client reconnects.
                }
                if listener.isOver { await writer.hintToReconnect() }
                withExtendedLifetime(seat) {}
            })
    }

    private func follow<Tail: NewsTail>(
        _ tail: Tail, _ listener: Listener<ID>, of account: ID, from start: Tail.Place, _ request: Request,
        _ writer: BodyWriter
    ) async throws {
        var (place, silentSince) = (start, Instant.now)
        // Nobody reads on after the session has ended, or while the server stops.
        while !listener.isOver, try await authenticator.caller(of: request)?.account == account {
            let news = try await tail.news(for: account, after: &place)
            if !news.isEmpty {
                try await writer.write(news)
                silentSince = .now
            } else if Instant.now >= silentSince + Self.heartbeat {
                try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                silentSince = .now
            }
            try await listener.wait(atMost: Self.heartbeat)
        }
    }
}

extension BodyWriter {
    /// The last words of a stream that ends because the server stops: how soon its client had better connect again. One
    /// that ends otherwise, such as with its session, has none.
    package func hintToReconnect() async {
        // Whoever has left needs no hint.
        try? await write(Array("retry: 1000\n\n".utf8))
    }
}
