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
        /// Offers what keeps couriers waiting to everybody at once.
        case offerToAll(ID)
        /// Says in which order somebody goes.
        case route([ID])
        /// Hands it over, perhaps to somebody else than its recipient, and perhaps for less than was to be paid.
        case deliver(ID, to: String?, paysLess: Bool)
        /// Takes it back from its courier, for others or, where none are named, for those who were asked before.
        case reassign(ID, [Int])
        case step(Lifecycle.Action, ID, reason: String?)
    }

    /// What is paid at the door where there is not enough for it, and what is said of that.
    package static func lessToPay(than amount: Int64) -> Int64 { amount / 2 }
    package static let whyLess = "Ostatak plaća u trgovini"

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
        case .deliver(let id, _, _): "deliver \(id)"
        case .reassign(let id, _): "reassign \(id)"
        case .step(let action, let id, _): "\(action.rawValue) \(id)"
        }
    }
}

/// What somebody sees of an open delivery.
package struct SeenJob: Hashable, Sendable {
    package let id: ID
    package let status: DeliveryStatus
    /// Whether it keeps couriers waiting for their turn or for its time, as its store sees it.
    package let keepsWaiting: Bool

    /// A delivery and where it stands.
    package init(id: ID, status: DeliveryStatus, keepsWaiting: Bool) {
        (self.id, self.status, self.keepsWaiting) = (id, status, keepsWaiting)
    }
}

/// Where a story is played: on a server, or only by the rules.
package protocol Stage {
    /// The open deliveries that somebody sees.
    mutating func look(as person: Person) throws -> [SeenJob]
    /// Does what somebody does, or is told why it cannot be done.
    mutating func perform(_ act: Act) throws
}
