import API
import Domain
import HTTP

/// An order of the directory: what it goes by, and where a page begins.
protocol CourierOrder: Sendable {
    /// What couriers `c` are ordered by.
    static var columns: [String] { get }
    /// The place `$3` among those, after which the page begins.
    static var place: String { get }
    /// Whether these texts are a place.
    static func isPlace(_ key: [String]) -> Bool
}

enum ByName: CourierOrder {
    static let columns = ["lower(c.last_name)", "lower(c.first_name)", "c.id"]
    static let place = """
        coalesce(($3)[1], ''), coalesce(($3)[2], ''), coalesce(($3)[3]::uuid, '00000000-0000-0000-0000-000000000000')
        """

    static func isPlace(_ key: [String]) -> Bool { key.count == 3 && ID(key[2]) != nil }
}

/// The most reliable first; those who are equally reliable by name.
enum ByReliability: CourierOrder {
    static let columns = ["c.shortfall"] + ByName.columns
    static let place = """
        coalesce(($3)[1]::smallint, '-1'), coalesce(($3)[2], ''), coalesce(($3)[3], ''),
        coalesce(($3)[4]::uuid, '00000000-0000-0000-0000-000000000000')
        """

    static func isPlace(_ key: [String]) -> Bool {
        key.count == 4 && Int16(key[0]).map { "\($0)" } == key[0] && ByName.isPlace(Array(key.dropFirst()))
    }
}

extension CourierOrder {
    static var order: String { columns.joined(separator: ", ") }
    static var isAfter: String { "(\(order)) > (\(place))" }
    /// The place of a courier.
    static var key: String { "ARRAY[" + columns.map { "\($0)::text" }.joined(separator: ", ") + "]" }
}

/// The orders by their names.
enum CourierSort: String, CaseIterable {
    case name, reliability

    init(_ request: Request) throws {
        guard let text = request.query("sort") else {
            self = .name
            return
        }
        guard let sort = CourierSort(rawValue: text) else {
            throw Problem(.unprocessable, "validation_failed", fields: [Problem.WrongField("sort", "invalid_value")])
        }
        self = sort
    }

    var order: any CourierOrder.Type {
        switch self {
        case .name: ByName.self
        case .reliability: ByReliability.self
        }
    }
}
