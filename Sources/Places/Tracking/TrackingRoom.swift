import API
import Deliveries
import Domain
import Feed
import HTTP
import Postgres

/// Deliveries as their recipients follow them, by a link that the store has or sends.
package struct TrackingRoom: Room {
    let tracking: Tracking
    let stream: TrackingStream

    package init(_ tracking: Tracking, database: Database, tail: FeedTail, streams: Streams) {
        self.tracking = tracking
        stream = TrackingStream(tracking: tracking, database: database, tail: tail, streams: streams)
    }

    package let eventTypes = [EventType.wish, .rated].map(\.rawValue)

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/deliveries/{id}/tracking", for: .store,
                "The link by which the recipient follows a delivery; again the same", room: Self.name,
                answers: [.ok(Self.link)], refuses: [.trackingOver], stillSeen: isOpen, handler: open),
            Endpoint(
                .delete, "/v1/deliveries/{id}/tracking", for: .store,
                "Ends that link at once, with the SMS that wait to tell it", room: Self.name, answers: [.noContent],
                handler: end),
            Endpoint(
                .get, "/v1/tracking/{token}", for: .anyone,
                "A delivery as its recipient may know it; with Accept: text/event-stream, as a stream: `tracking` as it goes on",
                room: Self.name,
                answers: [.ok(TrackedDelivery.shape).orStream()], refuses: [.notFound, .trackingOver]
            ) { call in
                let found = try await tracking.find(call)
                guard call.request.wantsEventStream else { return Self.response(found, call) }
                return try await stream.response(of: found, call)
            },
            Endpoint(
                .post, "/v1/tracking/{token}/wish", for: .anyone,
                "What the recipient wishes, for the store and whoever carries it; three times at most", room: Self.name,
                takes: WishForm.self, answers: [.ok(TrackedDelivery.shape)],
                refuses: [.notFound, .trackingOver, .notCarried, .tooManyWishes]
            ) { call, form in Self.response(try await tracking.wish(call, form.text), call) },
            Endpoint(
                .post, "/v1/tracking/{token}/rating", for: .anyone,
                "What the recipient thought of it, for the store; once, within 48 hours", room: Self.name,
                takes: RatingForm.self, answers: [.ok(TrackedDelivery.shape)],
                refuses: [.notFound, .trackingOver, .notDeliveredYet, .ratedAlready]
            ) { call, form in Self.response(try await tracking.rate(call, stars: form.stars, form.text), call) },
        ]
    }

    private static let name = "Tracking"
    private static let link = Shape.object(
        "TrackingLink", [.init("url", .string()), .init("expires_at", Shape.time.orNull)])

    private static func response(_ found: TrackedDelivery, _ call: Call) -> Response {
        .json(
            found.bytes(in: call.request.acceptedLanguage), headers: [Response.Header("Cache-Control", "no-store")])
    }

    private func open(_ call: Call) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        guard let end = try await call.run(FindEnd(store: call.caller.account, delivery: id)).first else {
            throw Problem.notFound
        }
        let expires = end.map { Timestamp(microseconds: $0.microseconds + TrackedDelivery.shownFor) }
        if let expires, expires < .now { throw Problem.trackingOver }
        for _ in 0..<Self.attempts {
            let known = try await call.run(FindTracking(delivery: id)).first
            guard let known, !known.isEnded else {
                let next = (known?.link ?? 0) + 1
                let hash = tracking.links.hash(tracking.links.token(of: id, link: next))
                try await call.run(OpenTracking(delivery: id, link: next, hash: hash))
                continue
            }
            var json = JSONWriter()
            json.object { json in
                json.field("url", url(of: id, known.link))
                json.field("expires_at", expires)
            }
            return .json(json.bytes)
        }
        throw Problem.unavailable()
    }

    /// Somebody may end it meanwhile.
    private static let attempts = 5

    private func url(of delivery: ID, _ link: Int32) -> String {
        tracking.links.url(tracking.links.token(of: delivery, link: link))
    }

    /// Whether the link that was told is the one that leads there.
    private func isOpen(_ call: Call, _ told: JSON) async throws -> Bool {
        let id: ID = try call.request.parameter("id")
        guard case .object(let members) = told, let known = try await call.run(FindTracking(delivery: id)).first,
            !known.isEnded
        else { return false }
        return members["url"] == .string(url(of: id, known.link))
    }

    private func end(_ call: Call) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        guard try await call.run(FindEnd(store: call.caller.account, delivery: id)).first != nil else {
            throw Problem.notFound
        }
        let hash = tracking.links.hash(tracking.links.token(of: id, link: 1))
        try await call.run(EndTracking(delivery: id, hash: hash))
        return Response(.noContent)
    }
}
