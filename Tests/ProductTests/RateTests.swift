import API
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

/// What an account may do in an hour, wherever it asks.
@Suite(.database) struct RateTests {
    private func rules(_ deliveries: Int, writes: Int = 6000, told: Int = 20_000) -> Trust {
        var trust = Trust()
        (trust.rates.deliveries, trust.rates.writes, trust.rates.told) = (deliveries, writes, told)
        return trust
    }

    private func create(_ api: ServedProduct, _ store: Person, _ couriers: [Person]) async throws -> Answer {
        try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token)
    }

    @Test func `a store makes so many deliveries an hour, and is told when there may be another`() async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(50)) { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<50 { #expect(try await create(api, store, couriers).status == 201) }
            let refused = try await create(api, store, couriers)
            #expect(refused.status == 429 && refused.code == "rate_limited")
            let wait = try #require(refused.reply.header("retry-after").flatMap { Int($0) })
            #expect((1...72).contains(wait))
            #expect(refused.reply.header("ratelimit-policy") == "\"deliveries\";q=50;w=3600")
            #expect(refused.reply.header("ratelimit") == "\"deliveries\";r=0;t=\(wait)")
            // Nobody else is touched, and what there is can still be worked with.
            let (other, others) = try await api.team(1)
            let id = try await api.delivery(of: other, to: others)
            #expect(try await api.act("accept", id, as: others[0]).status == 200)
            #expect(try await api.get("/v1/deliveries", as: store.token).status == 200)
        }
    }

    /// Nodes know each other by the database alone.
    @Test func `two nodes together let no more through than one, but for the first few`() async throws {
        let trust = rules(80)
        try await ServedProduct.serving(looseness: 1, trust: trust) { one in
            try await ServedProduct.another(looseness: 1, trust: trust) { two in
                let (store, couriers) = try await one.team(1)
                let answers = try await together(60) {
                    [try await create(one, store, couriers), try await create(two, store, couriers)]
                }
                let made = answers.joined().count { $0.status == 201 }
                // Each node lets two through for itself; of many at once some take more than they need.
                #expect((40...84).contains(made), "\(made)")
            }
        }
    }

    @Test func `everything that writes is counted, and nothing that reads`() async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, writes: 40)) { api in
            let courier = try await api.courier()
            func change() async throws -> Int {
                try await api.call("PATCH", "/v1/me", ["notifications_enabled": true], as: courier.token).status
            }
            for _ in 0..<40 { #expect(try await change() == 200) }
            #expect(try await change() == 429)
            for _ in 0..<50 { #expect(try await api.get("/v1/me", as: courier.token).status == 200) }
        }
    }

    /// An answer that was given before costs nothing, however often it is asked for.
    @Test func `a repeated request is not counted`() async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, writes: 40)) { api in
            let (store, couriers) = try await api.team(1)
            let form = SampleDelivery.form(to: couriers)
            for _ in 0..<60 {
                let answer = try await api.post(
                    "/v1/deliveries", form, as: store.token, headers: ["Idempotency-Key": "one"])
                #expect(answer.status == 201)
            }
        }
    }

    /// An offer to many couriers, each with all the devices that one may have.
    @Test func `one store cannot have everybody told again and again`() async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, told: 700)) { api in
            let (store, couriers) = try await api.team(30)
            for (number, courier) in couriers.enumerated() {
                try await api.execute(
                    """
                    INSERT INTO devices (token, account_id, platform)
                    SELECT 'd\(number)-' || n, '\(courier.id)', 'fcm' FROM generate_series(1, 10) n
                    """)
            }
            #expect(try await create(api, store, couriers).status == 201)
            #expect(try await create(api, store, couriers).status == 201)
            let refused = try await create(api, store, couriers)
            #expect(refused.status == 429 && refused.reply.header("ratelimit")?.hasPrefix("\"told\"") == true)
            let id = try await api.delivery(of: store, to: [couriers[0]])
            let edit: JSON = ["courier_ids": .array(couriers.map { .string($0.id) })]
            #expect(try await api.call("PATCH", SampleDelivery.path(id), edit, as: store.token).status == 429)
            #expect(try await api.execute("SELECT FROM messages").count == 610)
        }
    }

    /// However few couriers they are.
    @Test(arguments: [1, 10])
    func `each device of a courier is counted`(_ couriers: Int) async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, told: 15 * couriers)) { api in
            let (store, couriers) = try await api.team(couriers)
            try await api.execute(
                """
                INSERT INTO devices (token, account_id, platform)
                SELECT id || '-' || n, id, 'fcm' FROM couriers, generate_series(1, 10) n
                """)
            #expect(try await create(api, store, couriers).status == 201)
            let refused = try await create(api, store, couriers)
            #expect(refused.status == 429 && refused.reply.header("ratelimit")?.hasPrefix("\"told\"") == true)
        }
    }

    /// How something is offered again without naming anybody.
    enum Again: CaseIterable {
        case later, declined, takenBack
    }

    /// Offers a delivery to its couriers once more; the last answer.
    private func offer(_ again: Again, _ id: String, of store: Person, _ couriers: [Person], _ api: ServedProduct)
        async throws -> Answer
    {
        func change(_ change: JSON) async throws -> Answer {
            try await api.call("PATCH", SampleDelivery.path(id), change, as: store.token)
        }
        switch again {
        case .later:
            let hour = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            let held = try await change(["offer_at": .string(hour)])
            return held.status == 200 ? try await change(["offer_at": .null]) : held
        case .declined:
            for courier in couriers { try await api.act("decline", id, as: courier) }
            return try await change(["offer_again": true])
        case .takenBack:
            try await api.act("accept", id, as: couriers[0])
            let edited = try await change(["description": "Kruh"])
            #expect(edited.status == 200)
            let reassigned = try await api.act("reassign", id, as: store)
            guard reassigned.status == 200 else { return reassigned }
            return try await change(["courier_ids": .array(couriers.map { .string($0.id) })])
        }
    }

    /// The attack: one delivery, offered to everybody again and again without saying to whom.
    @Test(arguments: Again.allCases) func `who is told again is counted again`(_ again: Again) async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, told: 10)) { api in
            let (store, couriers) = try await api.team(3)
            let id = try await api.delivery(of: store, to: couriers)
            for _ in 0..<2 { #expect(try await offer(again, id, of: store, couriers, api).status == 200) }
            let refused = try await offer(again, id, of: store, couriers, api)
            #expect(refused.status == 429 && refused.reply.header("ratelimit")?.hasPrefix("\"told\"") == true)
        }
    }

    /// Whoever waits was counted, and is told once.
    @Test(arguments: ["offer", "offer_at"])
    func `who is told later is counted when that is said, and not again`(_ how: String) async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, told: 3)) { api in
            let (store, couriers) = try await api.team(3)
            let hour = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            let isInTurn = how == "offer"
            let id = try await api.delivery(
                of: store, to: couriers,
                isInTurn ? ["offer": ["mode": "in_turn", "each_seconds": 600]] : ["offer_at": .string(hour)])
            let now: JSON = isInTurn ? ["offer": ["mode": "all"]] : ["offer_at": .null]
            #expect(try await api.call("PATCH", SampleDelivery.path(id), now, as: store.token).status == 200)
            for courier in couriers {
                #expect(try await api.get("/v1/deliveries", as: courier.token).items.count == 1)
            }
            #expect(try await create(api, store, [couriers[0]]).status == 429)
        }
    }

    @Test func `pictures are counted by their bytes`() async throws {
        var trust = Trust()
        trust.rates.files = 4
        try await ServedProduct.serving(looseness: 1, trust: trust) { api in
            let (one, two) = (try await api.courier(), try await api.courier())
            let picture = Pictures.jpeg(32, 32)
            let each = picture.count / 1024 + 1
            for _ in 0..<4 / each { #expect(try await api.send(picture, as: one).status == 201) }
            let refused = try await api.send(picture, as: one)
            #expect(refused.status == 429 && refused.reply.header("ratelimit")?.hasPrefix("\"files\"") == true)
            #expect(try await api.send(picture, as: two).status == 201)
            #expect(try await api.execute("SELECT FROM files").count == 4 / each + 1)
        }
    }

    @Test func `without throttles there are no rates`() async throws {
        try await ServedProduct.serving(trust: rules(1, writes: 1, told: 1)) { api in
            let (store, couriers) = try await api.team(2)
            for _ in 0..<5 { #expect(try await create(api, store, couriers).status == 201) }
        }
    }

    @Test func `an account has ten devices, and one more drops the one unused for longest`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            func claim(_ device: Int) async throws {
                let answer = try await api.call(
                    "PUT", "/v1/me/devices/d\(device)", ["platform": "fcm"], as: courier.token)
                #expect(answer.status == 204)
            }
            for device in 0..<10 { try await claim(device) }
            try await claim(0)
            try await claim(10)
            let left = try await api.execute("SELECT token FROM devices ORDER BY claimed_at").compactMap { $0[0] }
            #expect(left == ["d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d0", "d10"])
        }
    }

    @Test func `an account has ten devices also if many are claimed at once`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let answers = try await together(Array(0..<50)) { device in
                try await api.call("PUT", "/v1/me/devices/d\(device)", ["platform": "fcm"], as: courier.token)
            }
            #expect(answers.allSatisfy { $0.status == 204 })
            #expect(try await api.execute("SELECT FROM devices").count == 10)
        }
    }

    @Test func `a session waits for its feed eight times at once, and no more`() async throws {
        try await ServedProduct.serving { api in
            let (one, two) = (try await api.courier(), try await api.courier())
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<9 {
                    group.addTask { try await api.get("/v1/events?after=now&wait_seconds=20", as: one.token) }
                }
                // One of them is refused at once. The others wait until there is something.
                let refused = try #require(try await group.next())
                #expect(refused.status == 429 && refused.reply.header("retry-after") == "5")
                let policy = "\"streams\";q=8;qu=\"concurrent-requests\""
                #expect(refused.reply.header("ratelimit-policy") == policy)
                #expect(refused.reply.header("ratelimit") == "\"streams\";r=0;t=5")
                #expect(try await api.get("/v1/events?after=now&wait_seconds=1", as: two.token).status == 200)
                let (store, _) = try await api.team(0)
                try await api.join(store, one)
                _ = try await api.delivery(of: store, to: [one])
                for try await answer in group { #expect(answer.status == 200) }
            }
        }
    }

    /// Whoever has stolen a session can write so much that nothing is left of what may be written.
    @Test func `however much was written, one can sign out, end other sessions and change the password`() async throws {
        try await ServedProduct.serving(looseness: 1, trust: rules(600, writes: 3)) { api in
            let courier = try await api.registerCourier()
            var refused: Answer?
            while refused == nil {
                let answer = try await api.call("PATCH", "/v1/me", ["notifications_enabled": true], as: courier.token)
                if answer.status != 200 { refused = answer }
            }
            #expect(refused?.status == 429)
            let other = try await api.signIn(courier.login).json["token"].string
            let sessions = try await api.get("/v1/sessions", as: courier.token).items
            let ended = sessions.first { $0["current"] == false }?["id"].string ?? ""
            #expect(try await api.call("DELETE", "/v1/sessions/\(ended)", as: courier.token).status == 204)
            #expect(try await api.get("/v1/me", as: other).status == 401)
            let change: JSON = [
                "current_password": .string(SamplePeople.password), "new_password": "krumpir-pod-pekom",
            ]
            #expect(try await api.call("PUT", "/v1/me/password", change, as: courier.token).status == 204)
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: courier.token).status == 204)
            #expect(try await api.get("/v1/me", as: courier.token).status == 401)
        }
    }
}
