import HTTP
import TestSupport
import Testing

/// Many accounts want the same delivery at once.
@Suite(.database) struct DeliveryRaceTests {
    /// Two hundred times, one courier gets it and all others are told so.
    @Test func `one of fifty couriers wins a delivery`() async throws {
        try await ServedProduct.serving { api in
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
                let courier = try await api.get(SampleDelivery.path(id), as: store.token).json["courier"]["id"].string
                #expect(courier == winners.first?.0.id)
            }
            try await api.expectConsistency()
        }
    }

    /// A thief who knows no PIN guesses while the courier says it: nobody looks at more than five.
    @Test func `the right PIN and wrong ones at once are no more than five tries`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<40 {
                let id = try await api.delivery(of: store, to: couriers, ["proof": ["pin": true]])
                try await api.act("accept", id, as: couriers[0])
                let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for place in 0..<8 {
                        let tried = place == 4 ? pin : pin == "0000" ? "0001" : "0000"
                        group.addTask { try await api.act("deliver", id, as: couriers[0], ["pin": .string(tried)]) }
                    }
                    return try await group.reduce(into: [Answer]()) { $0.append($1) }
                }
                let wrong = answers.count { $0.code == "wrong_pin" }
                let isDelivered = answers.contains { $0.status == 200 }
                #expect(wrong <= 5 && (isDelivered || wrong == 5))
                #expect(answers.allSatisfy { $0.status == 200 || ["wrong_pin", "too_many_pins"].contains($0.code) })
                let status = try await api.get(SampleDelivery.path(id), as: store.token).json["status"]
                #expect(status == (isDelivered ? "delivered" : "in_progress"))
            }
            try await api.expectConsistency()
        }
    }

    @Test func `an edit and an accept at once both happen, one after the other`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<100 {
                let id = try await api.delivery(of: store, to: couriers)
                async let edited = api.call(
                    "PATCH", SampleDelivery.path(id), ["description": "Nešto drugo"], as: store.token)
                async let accepted = api.act("accept", id, as: couriers[0])
                let (edit, accept) = (try await edited, try await accepted)
                #expect(edit.status == 200 && accept.status == 200)
                let now = try await api.get(SampleDelivery.path(id), as: couriers[0].token).json
                #expect(now["description"] == "Nešto drugo" && now["status"] == "in_progress" && now["version"] == 3)
            }
            try await api.expectConsistency()
        }
    }

    @Test func `taking back and delivering exclude each other`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for _ in 0..<100 {
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                async let taken = api.act("reassign", id, as: store)
                async let delivered = api.act("deliver", id, as: couriers[0])
                let (store, courier) = (try await taken, try await delivered)
                if store.status == 200 {
                    #expect(courier.status == 409 && courier.code == "not_in_progress")
                } else {
                    #expect(courier.status == 200 && store.status == 409 && store.code == "not_in_progress")
                }
            }
            try await api.expectConsistency()
        }
    }

    @Test func `nothing is opened again for a courier who leaves meanwhile`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for _ in 0..<30 {
                let courier = try await api.courier()
                try await api.join(store, courier)
                let id = try await api.delivery(of: store, to: [courier])
                for action in ["accept", "deliver"] { try await api.act(action, id, as: courier) }
                async let opened = api.act("reopen", id, as: store, ["note": "nije stiglo"])
                async let ended = api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token)
                let outcome = (try await opened, try await ended)
                switch (outcome.0.status, outcome.1.status) {
                case (200, 409): break
                case (409, 204): #expect(outcome.0.code == "not_partner")
                default: Issue.record("\(outcome.0.json) \(outcome.1.json)")
                }
            }
            try await api.expectConsistency()
        }
    }

    /// The store cancels while its courier delivers, and one of them is told that it came too late.
    @Test func `cancelling and delivering exclude each other`() async throws {
        try await ServedProduct.serving { api in
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
