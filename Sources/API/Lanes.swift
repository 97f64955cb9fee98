import EventLoop
import Postgres

/// The connections to the database by purpose, so that nothing waits behind long work.
package struct Lanes: Sendable {
    /// For requests, on every loop.
    package let requests: Database
    /// For slow reads that somebody waits for, such as searches and figures: two connections a loop.
    package let slow: Database
    /// How long a slow read may take.
    package let slowBound: Duration
    /// For slow reads and exports on a replica, if there is one.
    package let replica: Database?
    /// For numbering events, and nothing else.
    package let feed: Database
    /// For work that nobody waits for.
    package let upkeep: Database

    package var all: [Database] { named.map(\.database) }

    /// Each with the name that its figures have.
    package var named: [(name: String, database: Database)] {
        [("requests", requests), ("slow", slow), ("feed", feed), ("upkeep", upkeep)]
            + (replica.map { [("replica", $0)] } ?? [])
    }

    private let url: String
    private let group: EventLoopGroup
    private let observe: @Sendable (PostgresEvent) -> Void

    /// How many connections there are when each loop has `poolSize` for requests. The ear's is counted, too.
    package static func connections(loops: Int, poolSize: Int) -> Int { loops * (poolSize + 2) + 4 }

    /// Opens all of them.
    package init(
        url: String, replica replicaURL: String? = nil, on group: EventLoopGroup, poolSize: Int,
        slowBound: Duration = .seconds(2), observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) async throws {
        (self.url, self.group, self.slowBound, self.observe) = (url, group, slowBound, observe)
        requests = try await Database(
            url: url, group: group, poolSize: poolSize, limits: .ofEachLane, observe: observe)
        var opened = [requests]
        do {
            slow = try await Database(
                url: url, group: group, poolSize: 2, limits: .ofSlowReads(within: slowBound), observe: observe)
            opened.append(slow)
            if let replicaURL {
                let replica = try await Database(
                    url: replicaURL, group: group, poolSize: 2, limits: .ofReplica(within: slowBound), observe: observe)
                self.replica = replica
                opened.append(replica)
            } else {
                replica = nil
            }
            feed = try await Database(
                url: url, group: group.first, poolSize: 1, limits: .ofEachLane, observe: observe)
            opened.append(feed)
            upkeep = try await Database(
                url: url, group: group.first, poolSize: 2, limits: .within(.seconds(600)), observe: observe)
        } catch {
            for database in opened { await database.stop(within: .zero) }
            throw error
        }
    }

    /// Hears what is announced on these channels. As long as it does, the database knows that the node of these seats lives.
    package func ear(
        of seats: Seats, on channels: [String], heard: @escaping @Sendable (_ text: String, _ channel: String) -> Void,
        changed: @escaping @Sendable (_ hears: Bool) -> Void
    ) async throws -> Ear {
        try await Ear(
            url: url, group: group, opening: [seats.signOfLife], channels: channels, observe: observe, heard: heard,
            changed: changed)
    }

    /// Lets what is under way finish, and closes all connections.
    package func stop() async {
        await upkeep.stop(within: .zero)
        await feed.stop()
        await replica?.stop()
        await slow.stop()
        await requests.stop()
    }
}

extension DatabaseLimits {
    /// Nobody waits for a second connection while holding one.
    fileprivate static var ofEachLane: DatabaseLimits {
        var limits = DatabaseLimits()
        limits.allowsNesting = false
        return limits
    }

    /// Reads go one at a time, since a slow one would delay those in the same batch.
    fileprivate static func ofSlowReads(within bound: Duration) -> DatabaseLimits {
        var limits = within(bound)
        limits.readsTogether = 1
        return limits
    }

    fileprivate static func ofReplica(within bound: Duration) -> DatabaseLimits {
        var limits = ofSlowReads(within: bound)
        limits.isReplica = true
        return limits
    }

    fileprivate static func within(_ bound: Duration) -> DatabaseLimits {
        var limits = ofEachLane
        limits.statementTimeout = bound
        return limits
    }
}
