import Domain
import HTTP
import Postgres

extension Location: FieldValue {
    package static let shape = Shape.object(
        "Location", [.init("lat", .number(-90...90)), .init("lon", .number(-180...180))])
    package static var example: Location { Location(lat: 45.813, lon: 15.978)! }

    package init(field json: JSON) throws(InvalidValue) {
        guard case .object(let members) = json, let lat = members["lat"]?.degrees, let lon = members["lon"]?.degrees
        else { throw InvalidValue("wrong_type") }
        guard let location = Location(lat: lat, lon: lon) else { throw InvalidValue("invalid_location") }
        self = location
    }
}

extension JSON {
    fileprivate var degrees: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension Location {
    /// Where something is, in an answer.
    package static let written = Shape.object("Place", [.init("lat", .number), .init("lon", .number)])

    /// Reads two columns, which are NULL where nobody has said it.
    package static func read(_ row: inout RowReader) throws -> Location? {
        let (lat, lon): (Double?, Double?) = (try row.read(), try row.read())
        guard let lat, let lon else { return nil }
        return Location(lat: lat, lon: lon)
    }
}

extension JSONWriter {
    /// A field that holds a place, or null.
    package mutating func field(_ name: StaticString, _ location: Location?) {
        guard let location else { return field(name, String?.none) }
        object(name) { json in
            json.field("lat", location.lat)
            json.field("lon", location.lon)
        }
    }
}

extension Location {
    /// Reads a latitude and a longitude of a query; an empty text is nil.
    package init?(query text: String) throws(InvalidValue) {
        guard !text.isEmpty else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.plain($0) }
        guard parts.count == 2, let lat = parts[0], let lon = parts[1], let location = Location(lat: lat, lon: lon)
        else { throw InvalidValue("invalid_location") }
        self = location
    }

    /// A number as people write it, and not all that Swift reads: neither `0x10` nor `nan`.
    package static func plain(_ text: some StringProtocol) -> Double? {
        text.allSatisfy { "0123456789.+-eE".contains($0) } ? Double(text) : nil
    }
}

extension Request {
    /// A query parameter of a latitude and a longitude.
    package func location(_ name: String) throws -> Location? {
        do {
            return try query(name).flatMap { try Location(query: $0) }
        } catch let error as InvalidValue {
            throw Problem(.unprocessable, "validation_failed", fields: [Problem.WrongField(name, error.code)])
        }
    }
}

extension Endpoint.Parameter {
    /// A place near which something is looked for, or from which distances are told.
    package static func near(_ what: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: "near", shape: .string(example: "45.81,15.98"), what: what) {
            text throws(InvalidValue) in _ = try Location(query: text)
        }
    }
}
