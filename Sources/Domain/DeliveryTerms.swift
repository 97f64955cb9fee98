/// What few deliveries say of themselves: where they are fetched, what they weigh, what is paid, what is to be shown.
public struct DeliveryTerms: Equatable, Sendable {
    public var pickup: Pickup?
    public var parcel: Parcel?
    /// What is to be collected from the recipient.
    public var cash: Money?
    /// What the courier gets for it.
    public var pay: Money?
    public var proof = Proof()
    /// When couriers are offered it at the earliest.
    public var offerAt: Moment?
    /// How they are offered it one after the other, if not all at once.
    public var turns: OfferTurns?

    /// Says nothing.
    public init() {}

    /// Whether what the courier gets may become that while it carries the parcel: it only rises.
    public func mayPay(_ other: Money?) -> Bool {
        guard let pay else { return true }
        guard let other else { return false }
        return other.currency == pay.currency && other.amount >= pay.amount
    }
}

/// How couriers are offered something one after the other.
public struct OfferTurns: Equatable, Sendable {
    public let order: Order
    /// How long a turn is.
    public let seconds: Int

    /// Who comes first. Whoever is off duty comes last.
    public enum Order: String, CaseIterable, Sendable {
        case given, nearest, reliable
    }

    /// How long a turn can be, and how long it is unless that is said.
    public static let (bounds, usual) = (15...600, 60)

    /// Turns of so many seconds.
    public init(order: Order = .given, seconds: Int = usual) { (self.order, self.seconds) = (order, seconds) }
}

/// Where a parcel is fetched, if not at the store's address, and from when on.
public struct Pickup: Equatable, Sendable {
    public let readyAt: Moment?
    public let address: String?
    public let location: Location?
    public let instructions: String?

    /// A pickup; nil when it says nothing.
    public init?(readyAt: Moment?, address: String?, location: Location?, instructions: String?) {
        guard readyAt != nil || address != nil || location != nil || instructions != nil else { return nil }
        (self.readyAt, self.address, self.location, self.instructions) = (readyAt, address, location, instructions)
    }
}

/// What there is to carry.
public struct Parcel: Equatable, Sendable {
    public let pieces: Int
    public let grams: Int?
    public let size: Size?
    public let isFragile: Bool
    public let isCold: Bool
    /// What it is worth, which only its carrier learns.
    public let value: Money?

    /// How much room it takes.
    public enum Size: String, CaseIterable, Sendable {
        case small, medium, large, bulky
    }

    /// How many pieces one delivery can have, and how much they can weigh.
    public static let (mostPieces, mostGrams) = (99, 1_000_000)

    /// A parcel of some pieces.
    public init(pieces: Int, grams: Int?, size: Size?, isFragile: Bool, isCold: Bool, value: Money?) {
        (self.pieces, self.grams, self.size) = (pieces, grams, size)
        (self.isFragile, self.isCold, self.value) = (isFragile, isCold, value)
    }
}

/// What handing over must show.
public struct Proof: Equatable, Sendable {
    /// Four digits that the recipient tells the courier.
    public var pin: String?
    public var wantsPhoto: Bool
    public var wantsSignature: Bool

    /// Nothing, unless it is said.
    public init(pin: String? = nil, wantsPhoto: Bool = false, wantsSignature: Bool = false) {
        (self.pin, self.wantsPhoto, self.wantsSignature) = (pin, wantsPhoto, wantsSignature)
    }

    /// A new PIN.
    public static func newPIN() -> String {
        String(String(10_000 + Int.random(in: 0..<10_000)).dropFirst())
    }
}
