import API
import Domain
import HTTP

/// Where somebody wants to know of: around a place, or in a box, from whose middle distances are told then.
struct RoadArea: Sendable {
    let middle: Location
    /// Nil for a box.
    let radius: Double?
    let box: Box?

    struct Box: Sendable {
        /// West may lie east of east, where the date changes between them.
        let south, west, north, east: Double

        /// Reads `south,west,north,east`.
        init?(_ text: String) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Location.plain($0) }
            guard parts.count == 4, let south = parts[0], let west = parts[1], let north = parts[2],
                let east = parts[3],
                Location(lat: south, lon: west) != nil, Location(lat: north, lon: east) != nil, south <= north
            else { return nil }
            (self.south, self.west, self.north, self.east) = (south, west, north, east)
        }

        var middle: Location {
            let lon = (west + east) / 2 + (west <= east ? 0 : 180)
            return Location(lat: (south + north) / 2, lon: lon > 180 ? lon - 360 : lon)!
        }
    }

    static let parameters = [
        .near("Around which place: lat,lon."),
        Endpoint.Parameter(
            name: "radius_m", shape: .integer(1...100_000), what: "How far around it, in metres (default: 20000)."),
        Endpoint.Parameter(
            name: "box", shape: .string(example: "45.7,15.8,45.9,16.1"),
            what: "Instead: in which box, as south,west,north,east."
        ) { text throws(InvalidValue) in
            guard text.isEmpty || Box(text) != nil else { throw InvalidValue("invalid_box") }
        },
    ]

    init(middle: Location, radius: Double?, box: Box?) { (self.middle, self.radius, self.box) = (middle, radius, box) }

    /// The area that a request asks for.
    init(_ request: Request) throws {
        let near = try request.location("near")
        let radius = try request.query("radius_m", in: 1...100_000) ?? 20_000
        let text = request.query("box").flatMap { $0.isEmpty ? nil : $0 }
        if let text {
            guard let box = Box(text) else { throw Self.wrong("box", "invalid_box") }
            (middle, self.radius, self.box) = (near ?? box.middle, nil, box)
        } else {
            guard let near else { throw Self.wrong("near", "required") }
            (middle, self.radius, box) = (near, Double(radius), nil)
        }
    }

    private static func wrong(_ name: String, _ code: String) -> Problem {
        Problem(.unprocessable, "validation_failed", fields: [Problem.WrongField(name, code)])
    }
}
