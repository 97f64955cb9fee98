import API
import Deliveries
import Domain
import EventLoop
import Feed
import HTTP
import Postgres

/// A delivery as its recipient follows it: what it is now, and again whenever that has changed.
struct TrackingStream: Sendable {
    let tracking: Tracking
    let database: Database
    let tail: FeedTail
    let streams: Streams

    init(tracking: Tracking, database: Database, tail: FeedTail, streams: Streams) {
        (self.tracking, self.database, self.tail, self.streams) = (tracking, database, tail, streams)
    }

    /// How often it is looked at although nothing was heard: whoever carries it moves, and links end.
    private static let pace = (moving: Duration.seconds(3), waiting: Duration.seconds(5))
    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)
    /// How soon it is looked at again at the earliest, since a store with many deliveries has many events.
    private static let breath = Duration.milliseconds(300)

    func response(of found: TrackedDelivery, _ call: Call) async throws -> Response {
        let place = try await streams.enter(found.id)
        let hash = tracking.links.hash(try call.request.parameter("token"))
        let language = call.request.acceptedLanguage
        return Response(
            .ok,
            headers: [Response.Header("X-Accel-Buffering", "no"), Response.Header("Cache-Control", "no-store")],
            body: .stream(type: "text/event-stream") { writer in
                let listener = tail.listen(to: found.store)
                defer { listener.close() }
                do {
                    try await follow(hash, listener, language, writer)
                } catch is CancellationError where listener.isOver {
                    // The server stops. The stream ends properly, so that its client comes again.
                }
                if listener.isOver { await writer.hintToReconnect() }
                withExtendedLifetime(place) {}
            })
    }

    private func follow(
        _ hash: [UInt8], _ listener: Listener<AccountMark>, _ language: Language, _ writer: BodyWriter
    ) async throws {
        try await writer.write(Array("retry: 2000\n\n".utf8))
        var (told, toldAt) = ([UInt8](), Instant.now)
        while !listener.isOver {
            guard let found = try await database.run(FindTracked(hash: hash)).first, found.isShown else {
                return try await writer.write(Array("event: gone\ndata: {}\n\n".utf8))
            }
            let now = found.bytes(in: language)
            if now != told {
                try await writer.write(Array("event: tracking\ndata: ".utf8) + now + Array("\n\n".utf8))
                (told, toldAt) = (now, .now)
            } else if Instant.now >= toldAt + Self.heartbeat {
                try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                toldAt = .now
            }
            try await EventLoop.current?.sleep(for: Self.breath)
            try await listener.wait(atMost: found.stopsBefore == nil ? Self.pace.waiting : Self.pace.moving)
        }
    }
}
