import EventLoop
import HTTP
import TestSupport
import Testing

/// Many accounts want something else of the same delivery at once.
@Suite(.database) struct DeliveryRaceTests {
    /// A delivery of that store that its first courier carries.
    private func carried(
        _ api: ServedProduct, by couriers: [Person], of store: Person, _ more: [String: JSON] = [:]
    ) async throws -> String {
        let id = try await api.delivery(of: store, to: couriers, more)
        try #require(try await api.act("accept", id, as: couriers[0]).status == 200)
        return id
    }

    @Test func `one of fifty couriers wins a delivery, and all others are told so`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(50)
            try await api.race {
                let id = try await api.delivery(of: store, to: couriers)
                let answers = try await together(couriers) { ($0, try await api.act("accept", id, as: $0)) }
                let winners = answers.filter { $0.1.status == 200 }
                let told = answers.count { $0.1.status == 409 && $0.1.code == "already_taken" }
                #expect(winners.count == 1 && told == 49)
                let courier = try await api.get(SampleDelivery.path(id), as: store.token).json["courier"]["id"].string
                #expect(courier == winners.first?.0.id)
            }
        }
    }

    /// A thief who knows no PIN guesses while the courier says it: nobody looks at more than five.
    @Test func `the right PIN and wrong ones at once are no more than five tries`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.race {
                let id = try await carried(api, by: couriers, of: store, ["proof": ["pin": true]])
                let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"].string ?? ""
                let wrongOne = pin == "0000" ? "0001" : "0000"
                let answers = try await together((0..<8).map { $0 == 4 ? pin : wrongOne }) { tried in
                    try await api.act("deliver", id, as: couriers[0], ["pin": .string(tried)])
                }
                let wrong = answers.count { $0.code == "wrong_pin" }
                let isDelivered = answers.contains { $0.status == 200 }
                #expect(wrong <= 5 && (isDelivered || wrong == 5))
                #expect(answers.allSatisfy { $0.status == 200 || ["wrong_pin", "too_many_pins"].contains($0.code) })
                let status = try await api.get(SampleDelivery.path(id), as: store.token).json["status"]
                #expect(status == (isDelivered ? "delivered" : "in_progress"))
            }
        }
    }

    @Test func `an edit and an accept at once both happen, one after the other`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.race {
                let id = try await api.delivery(of: store, to: couriers)
                async let edited = api.call(
                    "PATCH", SampleDelivery.path(id), ["description": "Nešto drugo"], as: store.token)
                async let accepted = api.act("accept", id, as: couriers[0])
                let (edit, accept) = (try await edited, try await accepted)
                #expect(edit.status == 200 && accept.status == 200)
                let now = try await api.get(SampleDelivery.path(id), as: couriers[0].token).json
                #expect(now["description"] == "Nešto drugo" && now["status"] == "in_progress" && now["version"] == 3)
            }
        }
    }

    /// The store takes it from its courier, or cancels it, who delivers it meanwhile: one of them is told that it came too late.
    @Test(arguments: [("reassign", "not_in_progress"), ("cancel", "already_delivered")])
    func `what a store takes away and what a courier delivers exclude each other`(
        action: String, refusal: String
    ) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            try await api.race {
                let id = try await carried(api, by: couriers, of: store)
                async let taken = api.act(action, id, as: store)
                async let delivered = api.act("deliver", id, as: couriers[0])
                let (store, courier) = (try await taken, try await delivered)
                if store.status == 200 {
                    #expect(courier.status == 409 && courier.code == "not_in_progress")
                } else {
                    #expect(courier.status == 200 && store.status == 409 && store.code == refusal)
                }
            }
        }
    }

    @Test func `nothing is opened again for a courier who leaves meanwhile`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for _ in 0..<30 {
                let courier = try await api.courier()
                try await api.join(store, courier)
                let id = try await carried(api, by: [courier], of: store)
                try await api.act("deliver", id, as: courier)
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

    /// A gateway by SQL may take as long as it likes over what it has claimed.
    @Test func `a gateway that holds a message keeps nobody from other steps`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.call("PUT", "/v1/me/devices/one", ["platform": "fcm"], as: couriers[0].token)
            let held = try await api.delivery(of: store, to: couriers)
            let (other, others) = try await api.team(1)
            var free: [String] = []
            for _ in 0..<5 { free.append(try await api.delivery(of: other, to: others)) }
            let loop = api.group.loops[0]
            func accept(_ id: String, _ courier: Person) async throws -> Int {
                try await api.call("POST", SampleDelivery.path(id, "accept"), as: courier.token, on: loop).status
            }
            let holding = try await OpenTransaction.begin()
            _ = try await holding.query("SELECT FROM message_queue FOR UPDATE")
            async let stuck = accept(held, couriers[0])
            try await api.untilSomebodyWaits()
            for id in free { #expect(try await accept(id, others[0]) == 200) }
            try await holding.commit()
            #expect(try await stuck == 200)
        }
    }
}
