/// Where somebody was at a moment, as its phone found out.
public struct Fix: Equatable, Sendable {
    public let location: Location
    /// Within so many metres of it, presumably.
    public let accuracy: Double
    public let at: Moment
    /// Metres a second.
    public let speed: Double?
    /// Degrees from the north, clockwise.
    public let heading: Double?

    /// Why a fix is not taken.
    public enum Refusal: String, Error, CaseIterable, Sendable {
        case inaccurate
        case outOfRange = "out_of_range"
        case future
        case stale
        /// Something newer is known, or it is of before duty, or of before anything was carried off duty.
        case olderThanKnown = "older_than_known"
    }

    /// How many a call may bring.
    public static let most = 100
    /// For so long it is where one is; later it is where one was last seen.
    public static let freshness = 60
    /// So near is nearby, in metres.
    public static let nearby = 150.0

    private static let worstAccuracy = 1000.0
    private static let (mostAhead, oldest): (Int64, Int64) = (30_000, 86_400_000)

    /// A fix, unless it says nothing. Phones write numbers below zero for speeds and headings that they do not know.
    public init(
        lat: Double, lon: Double, accuracy: Double, at: Moment, speed: Double?, heading: Double?, now: Moment
    ) throws(Refusal) {
        guard (0...Self.worstAccuracy).contains(accuracy) else { throw .inaccurate }
        guard let location = Location(lat: lat, lon: lon) else { throw .outOfRange }
        guard at.milliseconds - now.milliseconds <= Self.mostAhead else { throw .future }
        guard now.milliseconds - at.milliseconds <= Self.oldest else { throw .stale }
        (self.location, self.accuracy, self.at) = (location, accuracy, at)
        self.speed = speed.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        self.heading = heading.flatMap { (0...360).contains($0) ? $0 : nil }
    }
}
