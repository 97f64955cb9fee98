import HTTP
import TestSupport
import Testing

/// Deliveries as tests make them.
enum SampleDelivery {
    /// A new delivery, offered to these couriers.
    static func form(to couriers: [Person], _ more: [String: JSON] = [:]) -> JSON {
        let form: JSON = [
            "recipient": [
                "first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Split", "phone": "091 999 8877",
                "location": ["lat": .number(43.508), "lon": .number(16.44)],
            ],
            "description": "Torta za rođendan", "courier_ids": .array(couriers.map { .string($0.id) }),
        ]
        return form.with(more)
    }

    static func path(_ id: String, _ action: String = "") -> String {
        "/v1/deliveries/\(id)" + (action.isEmpty ? "" : "/\(action)")
    }
}

extension ServedProduct {
    /// Makes a delivery and gives its id.
    func delivery(
        of store: Person, to couriers: [Person], _ more: [String: JSON] = [:]
    ) async throws -> String {
        let answer = try await post("/v1/deliveries", SampleDelivery.form(to: couriers, more), as: store.token)
        try #require(answer.status == 201, "\(answer.json)")
        return answer.json["id"].string ?? ""
    }

    /// Takes a step with a delivery.
    @discardableResult
    func act(
        _ action: String, _ id: String, as person: Person, _ body: JSON? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await post(SampleDelivery.path(id, action), body, as: person.token, headers: headers)
    }

    /// A store and some couriers who work for it.
    func team(_ count: Int) async throws -> (store: Person, couriers: [Person]) {
        let store = try await store()
        var couriers: [Person] = []
        for _ in 0..<count {
            let courier = try await courier()
            try await join(store, courier)
            couriers.append(courier)
        }
        return (store, couriers)
    }

    /// Expects these events in an account's feed, as soon as they have their numbers.
    func expectEvents(
        _ types: [String], of person: Person, about delivery: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var told: [String] = []
        try? await eventually {
            told = try await get("/v1/events?limit=200", as: person.token).items
                .filter { delivery == nil || $0["delivery_id"].string == delivery }.compactMap { $0["type"].string }
            return told.count >= types.count
        }
        #expect(told == types, sourceLocation: sourceLocation)
    }

    func stats(of courier: Person) async throws -> [String: Int] {
        let stats = try await get("/v1/me", as: courier.token).json["stats"]
        return Dictionary(uniqueKeysWithValues: stats.names.map { ($0, stats[$0].integer ?? -1) })
    }

    /// Waits until every committed event is numbered.
    func numberEvents() async throws {
        try await eventually { try await execute(Invariants.numbering) == [["f"]] }
    }

    /// Checks what must always hold, whatever happened.
    func expectConsistency() async throws {
        try await numberEvents()
        for (rule, sql) in Invariants.ofDeliveries {
            #expect(try await execute(sql) == [], "\(rule)")
        }
    }
}
