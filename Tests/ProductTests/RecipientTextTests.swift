import Domain
import HTTP
import TestSupport
import Testing

/// Recipients are told by SMS where they can follow their delivery, if their store wants that.
@Suite(.database) struct RecipientTextTests {
    /// The number of `SampleDelivery`.
    private static let number = "+385919998877"

    private func team(_ api: ServedProduct, tells: Bool = true) async throws -> (store: Person, couriers: [Person]) {
        let team = try await api.team(2)
        let set = try await api.call("PATCH", "/v1/me", ["tell_recipients": .bool(tells)], as: team.store.token)
        try #require(set.status == 200)
        return team
    }

    private func carried(_ api: ServedProduct, _ team: (store: Person, couriers: [Person])) async throws -> String {
        let id = try await api.delivery(of: team.store, to: team.couriers)
        try await api.act("accept", id, as: team.couriers[0])
        return id
    }

    private func waiting(_ api: ServedProduct) async throws -> Int {
        try await api.execute("SELECT FROM message_queue WHERE channel = 'sms' AND expires_at > clock_timestamp()")
            .count
    }

    @Test func `who is told gets the link when it is fetched, and a word at the end`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (team, key) = (try await team(api), try await api.key())
            let id = try await carried(api, team)
            #expect(try await waiting(api) == 0)
            try await api.act("pick_up", id, as: team.couriers[0])
            try await api.act("pick_up", id, as: team.couriers[0])
            let first = try await api.claim(key)
            #expect(
                first.count == 1 && first[0]["kind"] == "recipient_tracking"
                    && first[0]["address"].string == Self.number)
            let url =
                try await api.post(SampleDelivery.path(id, "tracking"), as: team.store.token).json["url"].string ?? "-"
            #expect(first[0]["body"].string == "Pekara: Your delivery is on its way. \(url)")
            #expect(try await api.get(String(url.dropFirst("https://kurir.example".count))).status == 200)
            #expect(try await api.tell(key, "ack", first) == ["done"])
            try await api.act("deliver", id, as: team.couriers[0])
            let second = try await api.claim(key)
            #expect(bodies(second) == ["Pekara: Your delivery has arrived. \(url)"])
            _ = try await api.tell(key, "ack", second)
            // What has arrived keeps no link.
            let kept = try await api.execute(
                "SELECT body, data->>'url' FROM messages WHERE kind = 'recipient_tracking'")
            #expect(kept.count == 2 && kept.allSatisfy { $0[0]?.contains("/t/") == false && $0[1] == nil })
            let notices = try await api.get(SampleDelivery.path(id, "notices"), as: team.store.token).items
            let told = notices.filter { $0["kind"] == "recipient_tracking" }
            #expect(
                told.count == 2
                    && told.allSatisfy { $0["to"] == ["kind": "recipient", "name": "Iva"] && $0["state"] == "arrived" })
        }
    }

    @Test func `who was not met is told so, with the same link`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (team, key) = (try await team(api), try await api.key())
            let id = try await carried(api, team)
            try await api.act("pick_up", id, as: team.couriers[0])
            #expect(try await api.tell(key, "ack", try await api.claim(key)) == ["done"])
            try await api.act("fail", id, as: team.couriers[0], ["reason": "nobody_home"])
            let url =
                try await api.post(SampleDelivery.path(id, "tracking"), as: team.store.token).json["url"].string ?? "-"
            #expect(bodies(try await api.claim(key)) == ["Pekara: Your delivery could not be handed over. \(url)"])
        }
    }

    @Test func `without the store's word, or a number, nobody is told`() async throws {
        try await ServedProduct.serving { api in
            let silent = try await team(api, tells: false)
            let unheard = try await carried(api, silent)
            try await api.act("pick_up", unheard, as: silent.couriers[0])
            try await api.act("deliver", unheard, as: silent.couriers[0])
            let team = try await team(api)
            let recipient: JSON = ["first_name": "Iva", "last_name": "Ivić", "address": "Ilica 2"]
            let id = try await api.delivery(of: team.store, to: team.couriers, ["recipient": recipient])
            try await api.act("accept", id, as: team.couriers[0])
            try await api.act("pick_up", id, as: team.couriers[0])
            try await api.act("deliver", id, as: team.couriers[0])
            #expect(try await api.execute("SELECT FROM messages WHERE kind = 'recipient_tracking'").isEmpty)
            #expect(try await api.execute("SELECT FROM trackings").isEmpty)
        }
    }

    @Test func `what is no longer true is taken back, whoever makes it untrue`() async throws {
        try await ServedProduct.serving { api in
            let team = try await team(api)
            let (store, ana) = (team.store, team.couriers[0])
            let steps: [(String, Person, JSON)] = [
                ("cancel", store, [:]), ("reassign", store, [:]), ("cancel", ana, ["reason": "vehicle"]),
            ]
            for (action, actor, body) in steps {
                let id = try await carried(api, team)
                try await api.act("pick_up", id, as: ana)
                #expect(try await waiting(api) == 1, "before \(action)")
                #expect(try await api.act(action, id, as: actor, body).status == 200)
                #expect(try await waiting(api) == 0, "after \(action)")
            }
            let ended = try await carried(api, team)
            try await api.act("pick_up", ended, as: ana)
            let link = SampleDelivery.path(ended, "tracking")
            #expect(try await api.call("DELETE", link, as: store.token).status == 204)
            #expect(try await waiting(api) == 0)
            // An ended link is told to nobody, either.
            try await api.act("deliver", ended, as: ana)
            #expect(try await waiting(api) == 0)
            let left = try await carried(api, team)
            try await api.act("pick_up", left, as: ana)
            #expect(try await waiting(api) == 1)
            _ = try await api.call("DELETE", "/v1/partners/\(ana.id)?release=true", as: store.token)
            try await eventually { try await waiting(api) == 0 }
        }
    }

    @Test func `a recipient gets four at most, and never two that wait`() async throws {
        try await ServedProduct.serving { api in
            let (team, key) = (try await team(api), try await api.key())
            let ana = team.couriers[0]
            let id = try await carried(api, team)
            try await api.act("pick_up", id, as: ana)
            var sent = 0
            for _ in 0..<5 {
                let claimed = try await api.claim(key)
                #expect(claimed.count <= 1)
                if !claimed.isEmpty { _ = try await api.tell(key, "ack", claimed) }
                sent += claimed.count
                #expect(try await api.act("fail", id, as: ana, ["reason": "nobody_home"]).status == 200)
            }
            try await api.act("deliver", id, as: ana)
            #expect(sent == 4)
            #expect(try await api.execute("SELECT FROM messages WHERE kind = 'recipient_tracking'").count == 4)
            #expect(try await waiting(api) == 0)
        }
    }

    @Test func `what nobody has sent is none of the four, and what a gateway has is`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (team, key) = (try await team(api), try await api.key())
            let ana = team.couriers[0]
            let id = try await carried(api, team)
            try await api.act("pick_up", id, as: ana)
            let first = try await api.claim(key)
            #expect(first.count == 1)
            try await api.act("fail", id, as: ana, ["reason": "nobody_home"])
            _ = try await api.tell(key, "ack", first)
            for _ in 0..<6 {
                #expect(try await api.act("fail", id, as: ana, ["reason": "nobody_home"]).status == 200)
                #expect(try await waiting(api) == 1)
            }
            try await api.act("deliver", id, as: ana)
            let last = try await api.claim(key)
            #expect(last.count == 1 && bodies(last)[0].hasPrefix("Pekara: Your delivery has arrived."))
            #expect(try await api.execute("SELECT texts FROM trackings") == [["2"]])
        }
    }

    @Test func `a number that wants none gets none, and the store's budget holds`() async throws {
        var trust = Trust()
        (trust.sms.ofStore, trust.sms.toNumber, trust.sms.inAll) = (2, 5, 100)
        try await ServedProduct.serving(looseness: 100, trust: trust) { api in
            let team = try await team(api)
            for _ in 0..<3 {
                let id = try await carried(api, team)
                // The step is taken, whether or not there is money for its SMS.
                #expect(try await api.act("pick_up", id, as: team.couriers[0]).status == 200)
            }
            #expect(try await waiting(api) == 2)
            #expect(try await api.execute("SELECT reason FROM messages_dead") == [["over_budget"]])
            try await api.execute("SELECT stop_sms('\(Self.number)')")
            #expect(try await waiting(api) == 0)
            let id = try await carried(api, team)
            #expect(try await api.act("pick_up", id, as: team.couriers[0]).status == 200)
            #expect(try await waiting(api) == 0)
        }
    }

    /// The store ends the link while the parcel is fetched, again and again: either the SMS never was, or it is taken back.
    @Test func `ending a link and fetching at once leaves no SMS with a dead link`() async throws {
        try await ServedProduct.serving { api in
            let team = try await team(api)
            for _ in 0..<10 {
                let id = try await carried(api, team)
                _ = try await api.tracking(of: id, by: team.store)
                _ = try await together([0, 1]) { number in
                    number == 0
                        ? try await api.act("pick_up", id, as: team.couriers[0])
                        : try await api.call("DELETE", SampleDelivery.path(id, "tracking"), as: team.store.token)
                }
                #expect(try await waiting(api) == 0)
            }
        }
    }
}
