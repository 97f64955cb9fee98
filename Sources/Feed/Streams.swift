import API
import Domain
import EventLoop
import HTTP

/// How many streams and waiting readers each session, or whatever else is followed, may have on all nodes together.
package struct Streams: Sendable {
    private static let most = 8
    private let seats: Seats

    package init(_ seats: Seats) { self.seats = seats }

    /// Enters one, which has left when the seat is released.
    package func enter(_ session: ID) async throws -> Seats.Seat {
        if let seat = try await seats.take(session, most: Self.most) { return seat }
        // Another node may just be noticing that one of them has left.
        try await EventLoop.current?.sleep(for: .milliseconds(200))
        if let seat = try await seats.take(session, most: Self.most) { return seat }
        throw Problem.tooManyAtOnce("streams", Self.most, wording: "too_many_streams", seconds: 5)
    }
}
