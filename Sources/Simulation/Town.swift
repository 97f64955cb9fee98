import Domain
import Glibc

/// The small town in which the people of stories live: streets at right angles, two hundred metres apart. It is made up, and
/// nothing of it is taken from any map.
package enum Town {
    /// The streets that people live in.
    package static let streets = ["Vukovarska", "Savska", "Ilica", "Heinzelova", "Zvonimirova", "Selska", "Držićeva"]
    /// How far apart streets are, in metres.
    package static let block = 200.0
    /// How far it goes to the east and to the north of its south-western corner, in metres.
    package static let (width, height) = (5000.0, 4000.0)
    private static let corner = (lat: 45.79, lon: 15.945)
    private static let degree = 111_195.08
    /// A degree to the east is shorter up here.
    private static let shortening = cos(45.8 * .pi / 180)

    /// A place in metres from the corner.
    package struct Spot: Equatable, Sendable {
        package var east, north: Double

        package init(east: Double, north: Double) { (self.east, self.north) = (east, north) }

        /// Where that is in the world.
        package var location: Location {
            Location(
                lat: corner.lat + north / degree, lon: corner.lon + east / (degree * shortening))!
        }

        /// The place in the town of one in the world.
        package init(_ location: Location) {
            (east, north) = (
                (location.lon - corner.lon) * degree * shortening, (location.lat - corner.lat) * degree
            )
        }

        func meters(to other: Spot) -> Double { hypot(other.east - east, other.north - north) }
    }

    /// What is drawn goes on for so many metres on each side, so that no map of the town ends beside it.
    package static let outskirts = 40_000.0

    /// West, south, east and north of what is drawn.
    package static var bounds: [Double] {
        let near = Spot(east: -outskirts, north: -outskirts).location
        let far = Spot(east: width + outskirts, north: height + outskirts).location
        return [near.lon, near.lat, far.lon, far.lat]
    }

    /// Whether something of what is drawn lies between two corners, the south-western one first.
    package static func isDrawn(from near: Spot, to far: Spot) -> Bool {
        far.east > -outskirts && near.east < width + outskirts
            && far.north > -outskirts && near.north < height + outskirts
    }

    /// The door of an address: each street runs from west to east, and numbers grow along it.
    package static func door(of address: String) -> Spot {
        let words = address.prefix { $0 != "," }.split(separator: " ")
        let number = words.last.flatMap { Int($0) } ?? 1
        let street = words.first.map(String.init) ?? ""
        let rows = Int(height / block) - 1
        // Any street has its row, the same each time.
        let row = street.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xffff } % rows + 1
        return Spot(
            east: 60 + (Double(number) * 26).truncatingRemainder(dividingBy: width - 120), north: Double(row) * block)
    }

    /// The corners of the way from one door to another, along the streets.
    package static func way(from start: Spot, to end: Spot) -> [Spot] {
        // Whoever is on that street already, or on the one that leads there, does not turn round first.
        if abs(start.north - end.north) < 0.001 { return [end] }
        let across = (end.east / block).rounded() * block
        if abs(start.east - across) < 0.001 { return [Spot(east: across, north: end.north), end] }
        let row = (start.north / block).rounded() * block
        return [
            Spot(east: start.east, north: row), Spot(east: across, north: row), Spot(east: across, north: end.north),
            end,
        ]
    }

    /// Where somebody is who goes on for so many metres along the streets to a door.
    package static func place(from start: Spot, to end: Spot, after meters: Double) -> Spot {
        var (here, left) = (start, meters)
        for corner in way(from: start, to: end) {
            let far = here.meters(to: corner)
            if far > left {
                let part = left / far
                return Spot(
                    east: here.east + (corner.east - here.east) * part,
                    north: here.north + (corner.north - here.north) * part)
            }
            (here, left) = (corner, left - far)
        }
        return here
    }

    /// What is at a spot, for who draws it; lines are at least as wide as a pixel of so many metres.
    package enum Ground: UInt8, CaseIterable, Sendable { case paper, house, street, road, river, park }

    package static func ground(at spot: Spot, pixel: Double) -> Ground {
        let river = 2300 + 320 * sin(spot.east / 850)
        if abs(spot.north - river) < max(55, pixel / 2) { return .river }
        func away(from every: Double) -> Double {
            let (along, across) = (
                spot.east.magnitude.truncatingRemainder(dividingBy: every),
                spot.north.magnitude.truncatingRemainder(dividingBy: every)
            )
            return min(along, every - along, across, every - across)
        }
        if away(from: 1000) < max(11, pixel / 2) { return .road }
        if pixel < 40, away(from: block) < max(6, pixel / 2) { return .street }
        let (column, row) = (Int((spot.east / block).rounded(.down)), Int((spot.north / block).rounded(.down)))
        if (column * 7 + row * 13 + 17_000) % 17 == 3 { return .park }
        return pixel < 12 && away(from: block) > 26 && away(from: 100) > 8 ? .house : .paper
    }
}
