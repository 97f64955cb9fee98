import Domain

/// Something that somebody in a story does.
package struct Act: Sendable {
    /// Its place among all acts, from one.
    package let number: Int
    /// When: seconds since the midnight that the story began with.
    package let at: Int
    package let person: Person
    package var deed: Deed
    package var network: Network

    /// What somebody does.
    package enum Deed: Sendable {
        /// The numbers are the candidates; some are due in so many minutes.
        case create(DeliveryContent, [Int], due: Int? = nil)
        case instruct(ID, String)
        /// Offers it to others.
        case offer(ID, [Int])
        /// Offers what has turns to everybody at once.
        case offerToAll(ID)
        /// Says in which order somebody goes.
        case route([ID])
        case step(Lifecycle.Action, ID, reason: String?)
    }

    /// What the network does meanwhile.
    package enum Network: Sendable {
        case works
        /// What is asked for is done, but nobody reads the answer.
        case losesAnswer
        /// Breaks somewhere on the way there or back, and is asked again at once.
        case breaks
        /// Works again after it lost the answer: the same is sent with the same key.
        case isBack
    }
}

extension Act.Deed: CustomStringConvertible {
    package var description: String {
        switch self {
        case .create: "create"
        case .instruct(let id, _): "edit \(id)"
        case .offer(let id, _): "offer \(id) to others"
        case .offerToAll(let id): "offer \(id) to all"
        case .route(let ids): "go to \(ids)"
        case .step(let action, let id, _): "\(action.rawValue) \(id)"
        }
    }
}

/// What somebody sees of an open delivery.
package struct Sight: Hashable, Sendable {
    package let id: ID
    package let status: DeliveryStatus
    /// Whether couriers have turns, as its store sees it.
    package let hasTurns: Bool

    /// A delivery and where it stands.
    package init(id: ID, status: DeliveryStatus, hasTurns: Bool) {
        (self.id, self.status, self.hasTurns) = (id, status, hasTurns)
    }
}

/// Where a story is played: on a server, or only by the rules.
package protocol Stage {
    /// The open deliveries that somebody sees.
    mutating func look(as person: Person) throws -> [Sight]
    /// Does what somebody does, or is told why it cannot be done.
    mutating func perform(_ act: Act) throws
}
