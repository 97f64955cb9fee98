import Glibc

extension Location {
    /// Metres to another place in a straight line, along a great circle. The database has the same (`distance_m`).
    public func meters(to other: Location) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let (south, east) = (sin(radians(other.lat - lat) / 2), sin(radians(other.lon - lon) / 2))
        let part = south * south + cos(radians(lat)) * cos(radians(other.lat)) * east * east
        return 2 * Self.radius * asin(min(1, part.squareRoot()))
    }

    /// The earth's mean radius in metres.
    private static let radius = 6_371_008.8
}

/// How couriers get from one place to another as long as nobody asks a router: streets are so much longer than straight lines.
public enum StraightWay {
    /// How much longer streets are.
    public static let detour = 1.4
    /// 18 km/h.
    public static let metersPerSecond = 5.0

    /// Metres along the streets, presumably.
    public static func meters(from place: Location, to other: Location) -> Double { place.meters(to: other) * detour }

    /// How long that takes.
    public static func seconds(from place: Location, to other: Location) -> Double {
        meters(from: place, to: other) / metersPerSecond
    }
}
