/// What became of messages on a node since it started, and how many wait to be committed now.
package struct MessageCounts: Sendable {
    package internal(set) var waiting = 0
    package private(set) var outcomes = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, 0) })

    package enum Outcome: String, CaseIterable, Sendable {
        case sent
        /// Its author may not write, or its picture cannot be sent.
        case refused
        /// The database was not there.
        case failed
        /// Too many waited.
        case turnedAway = "turned_away"
    }

    mutating func add(_ outcome: Outcome) { outcomes[outcome, default: 0] += 1 }

    mutating func add(_ result: Result<Utterance.Outcome, any Error>) {
        switch result {
        case .success(.made): add(.sent)
        case .success(.refused), .success(.unknownFile): add(.refused)
        // It is nobody's conversation, or was answered before.
        case .success(.notFound), .success(.keyTaken): break
        case .failure: add(.failed)
        }
    }

    func adding(_ other: MessageCounts) -> MessageCounts {
        var sum = self
        sum.waiting += other.waiting
        sum.outcomes.merge(other.outcomes) { $0 + $1 }
        return sum
    }
}
