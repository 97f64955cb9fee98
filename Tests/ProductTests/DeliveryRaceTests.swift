import HTTP
import TestSupport
import Testing

/// Many accounts want the same delivery at once.
@Suite(.database) struct DeliveryRaceTests {
    /// Two hundred times, one courier gets it and all others are told so.
    @Test func `one of fifty couriers wins a delivery`() async throws {
        try await API.serving { api in
            let (store, couriers) = try await api.team(50)
            for _ in 0..<200 {
                let id = try await api.delivery(of: store, to: couriers)
                let answers = try await withThrowingTaskGroup(of: (Person, Answer).self) { group in
                    for courier in couriers {
                        group.addTask { (courier, try await api.act("accept", id, as: courier)) }
                    }
                    return try await group.reduce(into: [(Person, Answer)]()) { $0.append($1) }
                }
                let winners = answers.filter { $0.1.status == 200 }
                let told = answers.count { $0.1.status == 409 && $0.1.code == "already_taken" }
                #expect(winners.count == 1 && told == 49)
                let courier = try await api.get(Deliveries.path(id), as: store.token).json["courier"]["id"].string
                #expect(courier == winners.first?.0.id)
            }
            try await api.expectConsistency()
        }
    }

    /// The store cancels while its courier delivers, and one of them is told that it came too late.
    @Test func `cancelling and delivering exclude each other`() async throws {
        try await API.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<100 {
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                async let cancelled = api.act("cancel", id, as: store)
                async let delivered = api.act("deliver", id, as: couriers[0])
                let (store, courier) = (try await cancelled, try await delivered)
                if store.status == 200 {
                    #expect(courier.status == 409 && courier.code == "not_in_progress")
                } else {
                    #expect(courier.status == 200 && store.status == 409 && store.code == "already_delivered")
                }
            }
            try await api.expectConsistency()
        }
    }
}
