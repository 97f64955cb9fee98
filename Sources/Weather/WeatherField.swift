import Domain

/// A field of 0.02 degrees each way, about two kilometres: everybody in it asks for the same weather, and nobody far away learns more of
/// where they are.
struct WeatherField: Hashable, Sendable {
    let lat, lon: Int16
    private static let perDegree = 50.0

    init(_ place: Location) {
        lat = Int16((place.lat * Self.perDegree).rounded())
        lon = Int16((place.lon * Self.perDegree).rounded())
    }

    var middle: Location { Location(lat: Double(lat) / Self.perDegree, lon: Double(lon) / Self.perDegree)! }
}
