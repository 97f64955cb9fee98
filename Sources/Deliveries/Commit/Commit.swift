import API
import Outbox
import Domain
import Postgres

/// A change on its way into the database. It is committed with all that follows from it, or not at all.
///
/// It is a class because it is handed from one to the next, and as a value would be copied with all that it holds.
package final class Commit: Sendable {
    package let change: Change
    package let at: Timestamp
    let times: StoredDelivery.Times
    let notices: [Notice]
    /// What is signed when it is handed over.
    let proof: SignedProof?
    /// What it does about SMS to the recipient.
    let text: RecipientText?
    /// The answer to keep for a request that came with a key.
    let record: KeepFirstAnswer?
    /// Whether the delivery is of a store that is off, as whoever decided saw it. A store that was not must not be off at the
    /// commit, either.
    let isHidden: Bool

    package init(
        change: Change, at: Timestamp, times: StoredDelivery.Times, notices: [Notice], record: KeepFirstAnswer?,
        proof: SignedProof? = nil, text: RecipientText? = nil, isHidden: Bool = false
    ) {
        (self.change, self.at, self.times, self.notices) = (change, at, times, notices)
        (self.record, self.proof, self.text, self.isHidden) = (record, proof, text, isHidden)
    }

    /// Who reads what of it in its feed. Of what is hidden nobody reads that it is offered, but its store.
    var events: [(account: ID, type: EventType)] {
        isHidden ? change.events.filter { $0.type != .offered || $0.account == change.after.store } : change.events
    }

    /// What became of a commit.
    package enum Outcome: String, Sendable {
        case made
        /// Its delivery has moved on, or somebody holds it, or not everybody concerned is a partner.
        case notMade = "not_made"
        case referenceTaken = "reference_taken"
        /// A picture of it is not there, or hangs on something already.
        case unknownFile = "unknown_file"
        /// Whoever accepts it carries as much as a courier may.
        case tooManyJobs = "too_many_jobs"
        /// The answer to a request with that key is kept already.
        case keyTaken = "key_taken"
    }
}

/// A statement's result for one change. A change without a result was not made.
package struct CommitResult: Sendable {
    /// The change's place among those that were given, counted from one.
    let place: Int
    let outcome: Commit.Outcome

    init(_ row: inout RowReader) throws {
        place = Int(try row.read() as Int64)
        let outcome: String = try row.read()
        guard let outcome = Commit.Outcome(rawValue: outcome) else {
            throw PostgresError.unexpected("an outcome: \(outcome)")
        }
        self.outcome = outcome
    }
}

/// What a statement does about rows that others hold locked.
package protocol WhenLocked: Sendable {
    static var clause: String { get }
}

/// Passes over them: a change that needs one of them is not made.
package enum PassOver: WhenLocked { package static let clause = "SKIP LOCKED" }

/// Waits until they are free.
enum WaitFor: WhenLocked { package static let clause = "" }
