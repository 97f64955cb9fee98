import API
import Deliveries
import EventLoop
import Feed
import Outbox

extension Composition {
    /// The work that goes on beside requests.
    struct Background: Sendable {
        let leaving: Leaving
        /// Tells whoever waits that there may be events and messages.
        let ring: @Sendable () -> Void
        private let numbering: EventNumbering
        private let due: DueSweep
        private let upkeep: [Task<Void, Never>]

        /// Begins the work.
        init(
            _ settings: Settings, _ lanes: Lanes, on group: EventLoopGroup, _ committer: Committer,
            _ outbox: OutboxTail,
            failed: @escaping @Sendable (_ job: String, any Error) -> Void
        ) async {
            let (database, loop) = (lanes.requests, group.loops[0])
            leaving = Leaving(database, committer, on: loop) { failed("end partnerships", $0) }
            let numbering = await EventNumbering(lanes.feed, on: loop) { failed("number events", $0) }
            self.numbering = numbering
            ring = {
                numbering.ring()
                outbox.ring()
                settings.messagesMayWait()
            }
            due = DueSweep(database, committer, publicURL: settings.publicURL, on: loop, told: ring) {
                failed("overdue deliveries", $0)
            }
            upkeep = [
                Task(executorPreference: loop) {
                    await Deadlines(database, upkeep: lanes.upkeep, Composition.dueKinds(settings), failed: failed).run(
                        on: loop)
                },
                Task(executorPreference: loop) { await Plans(lanes.all) { failed("plan", $0) }.run(on: loop) },
            ]
        }

        func stop() {
            for task in upkeep { task.cancel() }
            numbering.stop()
            leaving.stop()
            due.stop()
        }
    }
}
