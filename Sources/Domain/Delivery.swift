/// Where a delivery stands, in the order of lists.
public enum DeliveryStatus: String, CaseIterable, Sendable {
    case pending
    case inProgress = "in_progress"
    case delivered
    case cancelled

    /// Whether something is still to be done.
    public var isOpen: Bool {
        switch self {
        case .pending, .inProgress: true
        case .delivered, .cancelled: false
        }
    }

    /// The last of those, in the order of lists.
    public static let lastOpen = allCases.last { $0.isOpen }!

    /// Whether a courier has it in hand.
    public var isCarried: Bool {
        switch self {
        case .inProgress: true
        case .pending, .delivered, .cancelled: false
        }
    }

    /// Whether it has a courier, who carries it or delivered it.
    public var hasCourier: Bool {
        switch self {
        case .inProgress, .delivered: true
        case .pending, .cancelled: false
        }
    }
}

/// One parcel from one store to one recipient, as far as its rules are concerned.
public struct Delivery: Equatable, Sendable {
    /// The delivery.
    public let id: ID
    /// The store that it belongs to.
    public let store: ID
    /// Where it stands.
    public internal(set) var status: DeliveryStatus
    /// How many steps it made.
    public internal(set) var version: Int32
    /// The courier who carries or carried it.
    public internal(set) var courier: ID?
    /// The couriers whom the store chose, in that order.
    public internal(set) var candidates: [ID]
    /// Those of them who declined.
    public internal(set) var declined: [ID]
    /// The couriers who accepted it and gave it back. They may never have it again, chosen or not.
    public internal(set) var forfeited: [ID]
    /// What is delivered to whom.
    public var content: DeliveryContent
    /// Whether its courier has fetched it.
    public var isPickedUp: Bool
    /// What else it went through.
    public var course: DeliveryCourse

    /// A delivery as it was kept.
    public init(
        id: ID, store: ID, status: DeliveryStatus, version: Int32, courier: ID?, candidates: [ID], declined: [ID],
        forfeited: [ID], content: DeliveryContent, isPickedUp: Bool = false, course: DeliveryCourse = DeliveryCourse()
    ) {
        self.id = id
        self.store = store
        self.status = status
        self.version = version
        self.courier = courier
        self.candidates = candidates
        self.declined = declined
        self.forfeited = forfeited
        self.content = content
        self.isPickedUp = isPickedUp
        self.course = course
    }

    /// What became of a candidate.
    public enum CandidateState: String, CaseIterable, Sendable {
        case offered, waiting, declined, forfeited
    }

    /// What became of that candidate.
    public func state(of candidate: ID) -> CandidateState {
        if forfeited.contains(candidate) { return .forfeited }
        if declined.contains(candidate) { return .declined }
        return course.waiting.contains(candidate) ? .waiting : .offered
    }

    /// The candidates who neither declined nor gave it back.
    public var able: [ID] { candidates.filter { !declined.contains($0) && !forfeited.contains($0) } }

    /// Whether it waits, and nobody is left who may ever accept it.
    var isStranded: Bool { status == .pending && able.isEmpty }

    /// The candidates who may accept it now.
    public var offered: [ID] {
        status == .pending ? candidates.filter { state(of: $0) == .offered } : []
    }
}

/// What is delivered to whom, in the store's words.
public struct DeliveryContent: Equatable, Sendable {
    public var recipient: Recipient
    public var description: String
    public var instructions: String?
    /// The store's own number of it, unique within the store.
    public var reference: String?
    /// When it is to arrive, if that matters.
    public var window: DeliveryWindow?
    /// What else is said of it.
    public var terms = DeliveryTerms()

    /// What is delivered to whom.
    public init(recipient: Recipient, description: String, instructions: String?, reference: String?) {
        self.recipient = recipient
        self.description = description
        self.instructions = instructions
        self.reference = reference
    }
}

/// Who receives a delivery, and where.
public struct Recipient: Equatable, Sendable {
    public var firstName: String
    public var lastName: String
    public var address: String
    public var phone: PhoneNumber?
    public var location: Location?

    /// Who receives it.
    public init(firstName: String, lastName: String, address: String, phone: PhoneNumber?, location: Location?) {
        self.firstName = firstName
        self.lastName = lastName
        self.address = address
        self.phone = phone
        self.location = location
    }
}

/// A place on the earth, in degrees.
public struct Location: Equatable, Sendable {
    public let lat: Double
    public let lon: Double

    /// A place; nil when there is none with these degrees.
    public init?(lat: Double, lon: Double) {
        guard (-90...90).contains(lat), (-180...180).contains(lon) else { return nil }
        self.lat = lat
        self.lon = lon
    }
}
