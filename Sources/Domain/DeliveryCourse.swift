/// What few deliveries go through, beside their status.
public struct DeliveryCourse: Equatable, Sendable {
    /// How often it was brought in vain.
    public var attempts: Int32 = 0
    /// Why the last time.
    public var lastFailure: FailReason?
    /// Whether its courier may give it back without being counted.
    public var isFree = false
    /// The courier from whom the store took it back last.
    public var former: ID?
    /// Whether the time from when on it is offered is still to come.
    public var isHeld = false
    /// Whose turn it is.
    public var turn: ID?
    /// The candidates whose turn has not come, in the order of their turns.
    public var waiting: [ID] = []
    /// Couriers who stand as declined, and whose declining is not counted.
    public var uncounted: [ID] = []
    /// Couriers whose declining is counted, and who do not stand as declined any more.
    public var counted: [ID] = []

    /// Nothing out of the ordinary.
    public init() {}
}

/// Why a parcel could not be handed over.
public enum FailReason: String, CaseIterable, ReasonWords {
    case nobodyHome = "nobody_home"
    case wrongAddress = "wrong_address"
    case refused
    case damaged
    case unreachable
    case other

    /// What pages call it.
    public var word: String { "failure_\(rawValue)" }
}
