import API
import HTTP
import Postgres

/// Where couriers of tests are.
enum SamplePlace {
    /// The door of ``SampleDelivery``.
    static let door: (lat: Double, lon: Double) = (43.508, 16.44)
    /// A kilometre to its north.
    static let north: (lat: Double, lon: Double) = (43.508 + 1000 / 111_195.08, 16.44)

    /// A fix there, so many seconds ago.
    static func fix(_ place: (lat: Double, lon: Double) = north, ago seconds: Double = 0, _ more: [String: JSON] = [:])
        -> JSON
    {
        let at = Timestamp(microseconds: Timestamp.now.microseconds - Int64(seconds * 1e6))
        let fix: JSON = [
            "lat": .number(place.lat), "lon": .number(place.lon), "accuracy_m": 8, "at": .string(at.text),
        ]
        return fix.with(more)
    }
}

extension ServedProduct {
    /// Has a courier say where it is.
    @discardableResult
    func say(_ fixes: JSON..., by courier: Person) async throws -> Answer {
        try await post("/v1/me/positions", ["fixes": .array(fixes)], as: courier.token)
    }

    /// The couriers whom a store sees.
    func seen(by store: Person) async throws -> [JSON] { try await get("/v1/positions", as: store.token).items }

    /// Goes on or off duty.
    func setDuty(_ isOn: Bool, of courier: Person) async throws {
        _ = try await call("PUT", "/v1/me/duty", ["on": .bool(isOn)], as: courier.token)
    }

    /// Says when a courier's stores see where it is.
    func share(_ when: String, by courier: Person) async throws {
        _ = try await call("PATCH", "/v1/me", ["share_position": .string(when)], as: courier.token)
    }
}

extension JSON {
    /// A number, whole or not.
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
