import API
import Deliveries
import Domain
import EventLoop
import HTTP
import Postgres

/// What recipients see of their deliveries, and what they say. The API and the page both go by it.
package struct Tracking: Sendable {
    let links: TrackingLinks
    let throttle: Throttle

    package init(links: TrackingLinks, throttle: Throttle) { (self.links, self.throttle) = (links, throttle) }

    /// What a link shows. One that is over and one that never was are refused after the same time.
    package func find(_ call: Call) async throws -> TrackedDelivery {
        try await throttle.take([limit("following from", call, burst: 120, step: .seconds(1))])
        return try await find(call, since: .now)
    }

    private func find(_ call: Call, since began: Instant) async throws -> TrackedDelivery {
        let token: String = try call.request.parameter("token")
        let found = try await call.run(FindTracked(hash: links.hash(token))).first
        if let found, found.isShown { return found }
        let left = (began + Self.refusing).nanoseconds(since: .now)
        if left > 0 { try await EventLoop.current?.sleep(for: .nanoseconds(left)) }
        throw found == nil ? Problem.notFound : .trackingOver
    }

    private static let refusing = Duration.milliseconds(50)

    /// Tells the store and the courier what the recipient wishes.
    package func wish(_ call: Call, _ text: String) async throws -> TrackedDelivery {
        try await throttle.take([limit("wishing from", call, burst: 20, step: .seconds(30))])
        let (hash, began) = (try hash(call), Instant.now)
        let isTaken = try await call.run(KeepWish(hash: hash, text: text)).first == true
        let found = try await find(call, since: began)
        guard isTaken else { throw found.status.isCarried ? Problem.tooManyWishes : .notCarried }
        return found
    }

    /// Tells the store what it was like.
    package func rate(_ call: Call, stars: Int, _ text: String?) async throws -> TrackedDelivery {
        try await throttle.take([limit("rating from", call, burst: 20, step: .seconds(30))])
        let (hash, began) = (try hash(call), Instant.now)
        let isTaken = try await call.run(KeepRating(hash: hash, stars: Int32(stars), text: text)).first == true
        let found = try await find(call, since: began)
        guard isTaken else { throw found.stars != nil ? Problem.ratedAlready : .notDeliveredYet }
        return found
    }

    private func hash(_ call: Call) throws -> [UInt8] { links.hash(try call.request.parameter("token")) }

    private func limit(_ rule: String, _ call: Call, burst: Int, step: Duration) -> Throttle.Bucket {
        Throttle.Bucket(rule, call.request.client.network.description, burst: burst, step: step)
    }
}

extension Problem {
    static let trackingOver = Problem(.gone, "gone", wording: "tracking_over")
    static let tooManyWishes = Problem(.conflict, "too_many_wishes")
    static let ratedAlready = Problem(.conflict, "already_rated")
    static let notCarried = Problem(.conflict, "not_in_progress")
    static let notDeliveredYet = Problem(.conflict, "not_delivered")
}
