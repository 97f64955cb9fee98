import API
import Crypto
import Domain
import EventLoop
import HTTP
import Places
import Postgres
import Talk

/// All rooms, put together on a database that is migrated. Each part is made of those above it.
package struct Composition: Sendable {
    /// Every route there is.
    package let routes: [Route]
    /// Fills an empty database.
    package let demo: Demo
    package let messages: MessageCommitter
    private let tails: Tails
    private let threads: WorkThreads
    private let background: Background
    private let map: MapSource

    /// Puts the rooms together. `secret` is that of all nodes, `status` the room for balancers; `failed` is told of failed jobs
    /// beside requests, `noted` of security events, `used` of budgets that are spent or soon will be.
    package init(
        _ settings: Settings, lanes: Lanes, on group: EventLoopGroup, secret: ServerSecret, status: StatusRoom,
        failed: @escaping @Sendable (_ job: String, any Error) -> Void,
        noted: @escaping @Sendable (SecurityEvent) -> Void,
        used: @escaping @Sendable (BudgetUse) -> Void
    ) async throws {
        let database = lanes.requests
        try await database.run(SetTrust(settings))
        tails = try await Tails(lanes, on: group, withRadars: settings.radars, failed: failed, used: used)
        threads = try WorkThreads(settings)
        let entry = Entry(settings, database, secret: secret, tails, threads)
        let steps = try await Steps(database, on: group, secret: secret)
        messages = try await MessageCommitter(database, on: group)
        demo = Demo(database, threads.hasher, steps.committer, key: steps.key)
        map = settings.map
        background = await Background(settings, lanes, on: group, steps.committer, tails.outbox, failed: failed)
        let rooms = try await Rooms(
            settings: settings, lanes: lanes, on: group, secret: secret, tails: tails, threads: threads, entry: entry,
            steps: steps, messages: messages, leaving: background.leaving, status: status, failed: failed)
        let gate = Gate(
            database: database, authenticator: entry.authenticator, throttle: entry.throttle, rates: entry.rates,
            secret: secret, words: .all, noted: noted, wrote: background.ring)
        routes = gate.routes(of: rooms.all)
    }

    /// How many messages of conversations wait on this node, and what became of others, by name.
    package var messageCounts: (waiting: Int, outcomes: [String: Int]) {
        get async {
            let counts = await messages.counts
            return (counts.waiting, Dictionary(uniqueKeysWithValues: counts.outcomes.map { ($0.rawValue, $1) }))
        }
    }

    /// Ends what requests wait for, so that they can finish soon.
    package func prepareToStop() async { await tails.endWaiting() }

    /// Stops the work beside requests.
    package func stop() async {
        await prepareToStop()
        background.stop()
        tails.seats.stop()
        await tails.ear.stop()
        // It waits for threads, so it is not done on a loop.
        await Task.detached {
            threads.stop()
            map.stop()
        }.value
    }
}

extension SetTrust {
    fileprivate init(_ settings: Composition.Settings) {
        self.init(
            rules: settings.trust, looseness: settings.looseness, verifies: settings.verifies,
            recipientDays: settings.recipientDays, mostJobs: settings.mostJobs)
    }
}
