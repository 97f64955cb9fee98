import API
import Domain
import HTTP
import Postgres
import Services

/// A place that somebody may mean who types a text.
struct FoundPlace: Sendable {
    /// Who knows it.
    enum Source: String, CaseIterable, Sendable {
        case saved, recipient, geocoder
    }

    let source: Source
    let name, address: String
    /// A recipient's name in its parts, as a delivery wants it.
    var names: (first: String, last: String)?
    let location: Location?
    let phone: String?
    /// What is the same about two places that differ in case, accents or spaces alone.
    let sameness: [UInt8]?

    static let shape = Shape.object(
        "FoundPlace",
        [
            .init("source", .oneOf(Source.allCases.map(\.rawValue), named: "PlaceSource")),
            .init("name", .string()), .init("address", .string()), .init("first_name", Shape.string().orNull),
            .init("last_name", Shape.string().orNull), .init("location", Location.written.orNull),
            .init("phone", Shape.string().orNull),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("source", source.rawValue)
        json.field("name", name)
        json.field("address", address)
        json.field("first_name", names?.first)
        json.field("last_name", names?.last)
        json.field("location", location)
        json.field("phone", phone)
    }
}

extension FoundPlace {
    /// One that the geocoder knows.
    init(_ found: FoundAddress) {
        (source, name, address, location) = (.geocoder, found.name, found.address, found.location)
        (names, phone, sameness) = (nil, nil, nil)
    }

    /// One that the account keeps.
    init(saved row: inout RowReader) throws {
        (source, name, address) = (.saved, try row.read(), try row.read())
        (location, phone) = (try .read(&row), try row.read())
        sameness = try (row.read() as Bytes).bytes
    }

    /// A recipient of the store's.
    init(recipient row: inout RowReader) throws {
        let (first, last): (String, String) = (try row.read(), try row.read())
        (source, name, names) = (.recipient, "\(first) \(last)", (first, last))
        address = try row.read()
        (location, phone) = (try .read(&row), try row.read())
        sameness = try (row.read() as Bytes).bytes
    }
}
