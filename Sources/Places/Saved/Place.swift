import API
import Domain
import HTTP
import Postgres

/// A place that an account keeps.
struct Place: Sendable {
    let id: ID
    let name, address: String
    let location: Location?
    let phone, note: String?
    /// Where it stands among the account's others.
    let rank: Int32

    static let columns = "p.id, p.name, p.address, p.lat, p.lon, p.phone, p.note, p.rank"

    init(_ row: inout RowReader) throws {
        (id, name, address) = (try row.read(), try row.read(), try row.read())
        location = try .read(&row)
        (phone, note, rank) = (try row.read(), try row.read(), try row.read())
    }

    /// One that is new.
    init(_ id: ID, _ form: NewPlace, rank: Int32) {
        (self.id, self.rank) = (id, rank)
        (name, address, location) = (form.name, form.address, form.location)
        (phone, note) = (form.phone?.e164, form.note)
    }

    static let shape = Shape.object(
        "SavedPlace",
        [
            .init("id", .id), .init("name", .string()), .init("address", .string()),
            .init("location", Location.written.orNull), .init("phone", Shape.string().orNull),
            .init("note", Shape.string().orNull),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("name", name)
        json.field("address", address)
        json.field("location", location)
        json.field("phone", phone)
        json.field("note", note)
    }

    func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: status)
    }
}
