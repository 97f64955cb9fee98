import API
import Domain
import EventLoop
import HTTP
import Outbox
import Postgres

/// Does what has become due: tells people that nobody accepts, that it is late, that offers wait, and moves turns.
///
/// The time stands in the row that it concerns, and goes in the commit that tells of it. So each is told once, by whichever
/// node is first, however many there are and whoever dies.
package final class DueSweep: Sendable {
    private let database: Database
    private let turns: DueTurns
    private let loop: EventLoop
    private let publicURL: PublicURL
    private let told: @Sendable () -> Void
    private let failed: @Sendable (any Error) -> Void
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    /// How late something may be told.
    private static let pause = Duration.seconds(1)

    /// Begins to look. `told` hears whenever somebody may have been told, `failed` of failures; the work is tried again.
    package init(
        _ database: Database, _ committer: Committer, publicURL: PublicURL, on loop: EventLoop,
        told: @escaping @Sendable () -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        (self.database, self.publicURL, self.loop, self.told, self.failed) = (database, publicURL, loop, told, failed)
        turns = DueTurns(database: database, committer: committer)
        task.withLock { $0 = Task(executorPreference: loop) { await self.run() } }
    }

    package func stop() { task.withLock { $0 }?.cancel() }

    private func run() async {
        await loop.repeating(every: Self.pause, failed: failed) { [self] in
            while try await sweep() {}
        }
    }

    /// Does some of what is due; whether there was any. Turns come last, since one that cannot be moved is due for ever.
    private func sweep() async throws -> Bool {
        guard try await database.run(IsAnythingDue()).first == true else { return false }
        defer { told() }
        let hasTold = try await tell()
        return try await turns.move() || hasTold
    }

    /// Tells of some of what is due; whether there was any.
    private func tell() async throws -> Bool {
        try await database.transaction { [self] transaction in
            try await transaction.run(BeBrief())
            let unaccepted = try await transaction.run(TakeUnaccepted())
            let late = try await transaction.run(TakeLate())
            let texts = try await transaction.run(TakeOfferTexts())
            let events =
                unaccepted.filter(\.isOffered).map { Overdue.Event($0, .unaccepted, [$0.store.id]) }
                + late.map { Overdue.Event($0, .late, [$0.store.id] + [$0.courier].compactMap(\.self)) }
            let notices = events.map(\.notice) + texts.filter(\.mayBeSent).map { $0.notice(publicURL.text) }
            if !notices.isEmpty { try await transaction.run(TellOverdue(events: events, notices: notices)) }
            return !unaccepted.isEmpty || !late.isEmpty || !texts.isEmpty
        }
    }
}

/// A delivery whose time has come.
struct Overdue: Sendable {
    let id: ID
    let version: Int32
    let store: (id: ID, name: String)
    let courier: ID?
    let address, description: String
    let reference: String?
    /// Whether somebody could accept it.
    let isOffered: Bool

    /// What is told of it, and to whom.
    struct Event: Sendable {
        let overdue: Overdue
        let type: EventType
        let readers: [ID]

        init(_ overdue: Overdue, _ type: EventType, _ readers: [ID]) {
            (self.overdue, self.type, self.readers) = (overdue, type, readers)
        }

        /// The message of it, with its recipients.
        var notice: JSON {
            var arguments = ["store": overdue.store.name, "address": overdue.address]
            arguments["reference"] = overdue.reference
            arguments["description"] = String(overdue.description.prefix(40))
            var data: [String: JSON] = [
                "delivery_id": .string(overdue.id.description), "store_id": .string(overdue.store.id.description),
                "store_name": .string(overdue.store.name), "seq": .integer(Int(overdue.version)),
            ]
            data["reference"] = overdue.reference.map(JSON.string)
            let kind = type == .late ? NotificationKind.deliveryLate : .deliveryUnaccepted
            var notice = Message(kind, arguments, data: data).notice
            notice["accounts"] = .array(readers.map { .string($0.description) })
            notice["subject"] = .string(overdue.id.description)
            return .object(notice)
        }
    }
}

/// A courier without a device to whom an SMS about offers is due.
struct DueOfferText: Sendable {
    let courier, store: ID
    let count: Int64
    let mayBeSent: Bool

    func notice(_ url: String) -> JSON {
        var notice = Message(
            .offersWaiting, ["count": "\(count)", "url": url + "/courier"],
            data: ["store_id": .string(store.description), "count": .integer(Int(count))]
        ).notice
        notice["accounts"] = .array([.string(courier.description)])
        notice["subject"] = .string(courier.description)
        notice["expires_at"] = .string(Timestamp(microseconds: Timestamp.now.microseconds + 600_000_000).text)
        return .object(notice)
    }
}
