import Crypto
import Domain
import EventLoop
import Postgres

/// What few may hold at once, such as the streams of a session and the searches of an account, on all nodes together.
///
/// The database gives the seats out. A node has a lock there for as long as it lives, and the seats of one that is gone are free. What the
/// database forgot, as after a crash, each node writes down again when it hears anew. Once a minute it has the database drop what it does
/// not hold: a seat that could not be given back, or that nobody knew was taken.
package final class Seats: Sendable {
    private let database: Database
    private let loop: EventLoop
    private let node = Int32(truncatingIfNeeded: SecureRandom.word())
    private let state = Locked(State())

    private struct State {
        var held: [ID: Held] = [:]
        /// What is under way to give seats back, by holder.
        var leaving: [ID: [ID: Task<Void, Never>]] = [:]
        var restoring: Task<Void, Never>?
        /// Whether a seat was taken since it was last written down what there is.
        var hasTaken = false
        var isStopped = false
    }

    private struct Held {
        let holder: ID
        /// Nil until the database has answered.
        var number: Int16?
        let recalled: (@Sendable () -> Void)?
    }

    /// Works for itself on the group's first loop.
    package init(_ database: Database, on group: EventLoopGroup) {
        (self.database, loop) = (database, group.loops[0])
        scheduleTidying()
    }

    /// What the sessions of this node's ear begin with.
    package var signOfLife: String { "SELECT node_lives(\(node))" }

    /// One seat, given back when it is released.
    package final class Seat: Sendable {
        private let seats: Seats
        private let holder: ID
        private let id: ID

        fileprivate init(_ seats: Seats, _ holder: ID, _ id: ID) {
            (self.seats, self.holder, self.id) = (seats, holder, id)
        }

        deinit { seats.leave(holder, id) }
    }

    /// Takes a seat, or gives nil when the holder has the most already.
    package func take(_ holder: ID, most: Int) async throws -> Seat? {
        try await take(holder, most: most, recalls: false, recalled: nil)
    }

    /// Waits for a seat, on a loop. If there is none, whoever has held one for longest is asked to give it back, by `recalled`.
    package func wait(_ holder: ID, most: Int, recalled: @escaping @Sendable () -> Void) async throws -> Seat {
        var (isFirst, pause) = (true, Duration.milliseconds(10))
        while true {
            if let seat = try await take(holder, most: most, recalls: isFirst, recalled: recalled) { return seat }
            try await EventLoop.current?.sleep(for: pause)
            (isFirst, pause) = (false, min(pause * 2, .milliseconds(80)))
        }
    }

    private func take(
        _ holder: ID, most: Int, recalls: Bool, recalled: (@Sendable () -> Void)?
    ) async throws -> Seat? {
        let id = ID.new()
        let before = state.withLock { state in
            state.hasTaken = true
            // It may be recalled before the answer has come.
            state.held[id] = Held(holder: holder, recalled: recalled)
            return Array((state.leaving[holder] ?? [:]).values) + (state.restoring.map { [$0] } ?? [])
        }
        for task in before { await task.value }
        let statement = TakeSeat(holder: holder, most: Int32(most), id: id, node: node, recalls: recalls)
        do {
            // Who is cancelled meanwhile waits for the answer, too, or nobody would know of the seat.
            let answer = try await Task(executorPreference: EventLoop.current ?? loop) { [database] in
                try await database.run(statement)
            }.value
            guard let number = answer.first ?? nil else {
                state.withLock { $0.held[id] = nil }
                return nil
            }
            state.withLock { $0.held[id]?.number = number }
            return Seat(self, holder, id)
        } catch {
            // It may have been taken all the same.
            leave(holder, id)
            throw error
        }
    }

    private func leave(_ holder: ID, _ id: ID) {
        state.withLock { state in
            state.held[id] = nil
            state.leaving[holder, default: [:]][id] = Task(executorPreference: loop) {
                [self, restoring = state.restoring] in
                // Else it would be written down again.
                await restoring?.value
                _ = try? await database.run(LeaveSeat(holder: holder, id: id))
                self.state.withLock { state in
                    state.leaving[holder]?[id] = nil
                    if state.leaving[holder]?.isEmpty == true { state.leaving[holder] = nil }
                }
            }
        }
    }

    /// Asks for the seat that the database announced.
    package func recall(_ announced: String) {
        guard let id = ID(announced) else { return }
        state.withLock { $0.held[id]?.recalled }?()
    }

    /// Has the database know again what this node holds, and nothing else of it.
    package func restore() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.restoring = Task(executorPreference: loop) { [self, before = state.restoring] in
                await before?.value
                let seats = self.state.withLock { state in
                    state.hasTaken = !state.held.isEmpty
                    return state.held.map { ($1.holder, $1.number, $0) }
                }
                let isWritten = (try? await database.run(RestoreSeats(node: node, seats: seats))) != nil
                if !isWritten { self.state.withLock { $0.hasTaken = true } }
            }
        }
    }

    private func scheduleTidying() {
        loop.execute { [weak self, loop] in
            loop.schedule(after: .seconds(60)) {
                guard let self, !self.state.withLock({ $0.isStopped }) else { return }
                if self.state.withLock({ $0.hasTaken }) { self.restore() }
                self.scheduleTidying()
            }
        }
    }

    /// Ends the work that is done for itself. What is held is free once the node is gone.
    package func stop() { state.withLock { $0.isStopped = true } }
}
