import API
import Domain
import EventLoop
import Feed
import HTTP

/// What is new on the road near a courier, as it comes. It has no ids: whoever was away reads the list.
extension RoadRoom {
    func stream(_ call: Call) throws -> Response {
        guard call.caller.kind == .courier else { throw Problem.forbidden(.courier) }
        let (courier, request) = (call.caller.account, call.request)
        let place = try streams.enter(call.caller.session)
        return Response(
            .ok, headers: [Response.Header("X-Accel-Buffering", "no")],
            body: .stream(type: "text/event-stream") { writer in
                let ear = tail.begin(courier)
                defer { tail.end(ear) }
                do {
                    try await follow(ear, request, writer)
                } catch is CancellationError where ear.listener.isOver {
                    // The server stops. The stream ends properly, so that its client reconnects.
                }
                withExtendedLifetime(place) {}
            })
    }

    private func follow(_ ear: RoadTail.Ear, _ request: Request, _ writer: BodyWriter) async throws {
        try await writer.write(Array("retry: 1000\n: welcome\n\n".utf8))
        var (place, silentSince) = (ear.place, Instant.now)
        // Nobody reads on after the session has ended, or while the server stops.
        while !ear.listener.isOver, try await authenticator.caller(of: request)?.account == ear.courier {
            let news = tail.news(for: ear.courier, after: place)
            place = news.place
            if !news.lines.isEmpty {
                try await writer.write(news.lines)
                silentSince = .now
            } else if Instant.now >= silentSince + Self.heartbeat {
                try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                silentSince = .now
            }
            try await ear.listener.wait(atMost: Self.heartbeat)
        }
    }

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)
}
