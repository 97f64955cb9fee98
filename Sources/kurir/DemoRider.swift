import API
import Curl
import Domain
import HTTP
import Postgres
import Simulation

/// A courier of a demo as its phone sees it: it rides along the streets to what it fetches and brings, and says where it is.
struct DemoRider {
    /// Microseconds between two looks.
    static let pause: UInt32 = 2_000_000
    /// Faster than life, as the story is.
    private static let meters = 260.0
    /// How long who stands says nothing, in looks.
    private static let rest = 12

    private let person: Person
    private var spot: Town.Spot
    private var quiet = 0

    /// It begins at a store that it works for.
    init(_ number: Int, of cast: Cast) {
        person = .courier(number)
        let shop = cast.stores.first { $0.partners.contains(number) } ?? cast.stores[0]
        spot = Town.door(of: shop.address)
    }

    /// Rides on to where it goes next, if it carries anything.
    mutating func ride(_ stage: inout ServerStage) throws {
        let carried = try stage.get("/v1/deliveries?status=in_progress&limit=1", as: person).items.first
        let goal = carried.flatMap(Self.goal)
        let next = goal.map { Town.place(from: spot, to: $0, after: Self.meters) } ?? spot
        quiet += 1
        guard next != spot || quiet > Self.rest else { return }
        (spot, quiet) = (next, 0)
        let place = spot.location
        let fix = JSON.object([
            "lat": .number(place.lat), "lon": .number(place.lon), "accuracy_m": .integer(6),
            "at": .string(Timestamp.now.text),
        ])
        try stage.send("POST", "/v1/me/positions", ["fixes": .array([fix])], as: person)
    }

    /// Where it is fetched as long as it is not, and then the recipient.
    private static func goal(of delivery: JSON) -> Town.Spot? {
        guard
            let address = delivery["picked_up_at"]?.text == nil
                ? delivery["pickup"]?["address"]?.text ?? delivery["store"]?["address"]?.text
                : delivery["recipient"]?["address"]?.text
        else { return nil }
        return Town.door(of: address)
    }
}
