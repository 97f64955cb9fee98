import API
import Domain
import HTTP
import Postgres

/// A store as its couriers see it.
package struct PartnerStore: Sendable {
    package let id: ID
    package let name: String
    let address: String
    let phone: String

    package static let members: [Shape.Member] = [
        .init("id", .id), .init("name", .string()), .init("address", .string()), .init("phone", .string()),
    ]

    package func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("name", name)
        json.field("address", address)
        json.field("phone", phone)
    }

    /// Reads the four columns in the order above.
    package init(_ row: inout RowReader) throws {
        id = try row.read()
        name = try row.read()
        address = try row.read()
        phone = try row.read()
    }
}

/// A partnership as the courier sees it who has just joined.
struct Partner: Sendable {
    let store: PartnerStore
    let since: Timestamp

    static let shape = Shape.object(
        "Partner", [.init("store", .object("PartnerStore", PartnerStore.members)), .init("since", .time)])

    func write(_ json: inout JSONWriter) {
        json.object("store", store.write)
        json.field("since", since)
    }

    var response: Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: .created)
    }
}
