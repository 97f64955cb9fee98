import API
import EventLoop
import Feed
import Outbox
import Places
import Postgres
import Road

extension Composition {
    /// What requests wait for and nodes tell each other, and the ear by which the database announces it.
    struct Tails: Sendable {
        let feed: FeedTail
        let positions: PositionTail
        let roads: RoadTail
        let outbox: OutboxTail
        let sessions: SessionMemory
        let seats: Seats
        let ear: Ear

        init(
            _ lanes: Lanes, on group: EventLoopGroup, withRadars: Bool,
            failed: @escaping @Sendable (_ job: String, any Error) -> Void,
            used: @escaping @Sendable (BudgetUse) -> Void
        ) async throws {
            let database = lanes.requests
            let feed = try await FeedTail(on: group)
            let positions = try await PositionTail(database, on: group) { failed("positions", $0) }
            let roads = try await RoadTail(database, on: group, withRadars: withRadars) { failed("roads", $0) }
            let sessions = try await SessionMemory(on: group)
            let seats = Seats(database, on: group)
            let channels = [
                "kurir_events", "kurir_sessions", "kurir_budgets", "kurir_seats", PositionTail.channel,
                RoadTail.channel,
            ]
            ear = try await lanes.ear(of: seats, on: channels) { text, channel in
                switch channel {
                case "kurir_events": feed.wake(text)
                case PositionTail.channel: positions.note(text)
                case RoadTail.channel: roads.note(text)
                case "kurir_seats": seats.recall(text)
                case "kurir_budgets": BudgetUse(announced: text).map(used)
                default: sessions.forget(text)
                }
            } changed: { hears in
                feed.wakeEverybody()
                positions.doubt()
                if hears { seats.restore() }
            }
            outbox = try await OutboxTail(database, on: group)
            (self.feed, self.positions, self.roads, self.sessions) = (feed, positions, roads, sessions)
            self.seats = seats
        }

        /// Lets nobody wait any more.
        func endWaiting() async {
            await feed.stop()
            await positions.stop()
            await roads.stop()
            await outbox.stop()
        }
    }
}
