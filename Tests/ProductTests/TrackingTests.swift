import Domain
import API
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// Recipients follow their delivery by a link, and by nothing else.
@Suite(.database) struct TrackingTests {
    /// A delivery that a courier carries, with its link's token.
    private func carried(
        _ api: ServedProduct, _ more: [String: JSON] = [:]
    ) async throws -> (id: String, token: String, store: Person, ana: Person) {
        let (store, couriers) = try await api.team(1)
        let id = try await api.delivery(of: store, to: couriers, more)
        let token = try await api.tracking(of: id, by: store)
        try #require(try await api.act("accept", id, as: couriers[0]).status == 200)
        return (id, token, store, couriers[0])
    }

    // MARK: Links

    @Test func `a delivery has one link, whose token a dump does not tell`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let first = try await api.post(SampleDelivery.path(id, "tracking"), as: store.token)
            #expect(first.status == 200 && first.json["expires_at"] == .null)
            let url = try #require(first.json["url"].string)
            #expect(url.hasPrefix("https://kurir.example/t/"))
            // 128 bits by six a character.
            #expect(url.split(separator: "/").last?.count == 22)
            #expect(try await api.post(SampleDelivery.path(id, "tracking"), as: store.token).json == first.json)
            let kept = try await api.execute("SELECT trackings::text FROM trackings")
            #expect(kept.count == 1 && kept[0][0]?.contains(url.split(separator: "/").last ?? "") == false)
            let others = try await api.delivery(of: store, to: couriers)
            #expect(try await api.tracking(of: others, by: store) != url.split(separator: "/").last ?? "")
        }
    }

    @Test func `many who ask at once get the same link`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<10 {
                let id = try await api.delivery(of: store, to: couriers)
                let tokens = try await together(12) { try await api.tracking(of: id, by: store) }
                #expect(Set(tokens).count == 1)
                #expect(try await api.followed(tokens[0]).status == 200)
            }
        }
    }

    @Test func `a link that its store ended shows nothing, and the next one is another`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, _) = try await carried(api)
            let path = SampleDelivery.path(id, "tracking")
            #expect(try await api.call("DELETE", path, as: store.token).status == 204)
            #expect(try await api.call("DELETE", path, as: store.token).status == 204)
            #expect(try await api.followed(token).status == 410)
            #expect(try await api.get("/t/\(token)").status == 410)
            let next = try await api.tracking(of: id, by: store)
            #expect(next != token)
            #expect(try await api.followed(next).status == 200)
            #expect(try await api.followed(token).status == 404)
        }
    }

    @Test func `a link is gone two days after the end, and one that never was is not there`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            let shown = try await api.followed(token)
            #expect(shown.status == 200 && shown.json["expires_at"].string != nil)
            #expect(shown.reply.headers("cache-control") == ["no-store"])
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '47 hours 59 minutes'")
            #expect(try await api.followed(token).status == 200)
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '2 minutes'")
            let over = try await api.followed(token)
            #expect(over.status == 410 && over.code == "gone")
            #expect(try await api.post(SampleDelivery.path(id, "tracking"), as: store.token).status == 410)
            for action in ["wish", "rating"] {
                let refused = try await api.post("/v1/tracking/\(token)/\(action)", ["text": "x", "stars": 5])
                #expect(refused.status == 410)
            }
            let unknown = try await api.followed("AAAAAAAAAAAAAAAAAAAAAA")
            #expect(unknown.status == 404 && unknown.code == "not_found")
            let page = try await api.get("/t/\(token)", headers: ["Accept-Language": "de"])
            #expect(page.status == 410 && page.reply.text.contains("Dieser Link gilt nicht mehr"))
        }
    }

    @Test func `who asks for links too often waits`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let from = ["X-Forwarded-For": "192.0.2.7"]
            // Many at a time, so that none is earned back meanwhile, however slow the machine is.
            var codes: [Int] = []
            while !codes.contains(429), codes.count < 1000 {
                codes += try await withThrowingTaskGroup { group in
                    for _ in 0..<20 { group.addTask { try await api.get("/v1/tracking/x", headers: from).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(codes.contains(429) && codes.count { $0 == 404 } >= 100)
            // People read so on a page, and programs as a problem.
            try await eventually {
                let page = try await api.get("/t/x", headers: from.merging(["Accept": "text/html"]) { $1 })
                return page.status == 429 && page.reply.text.contains("Too much at once")
                    && page.reply.header("retry-after") != nil
            }
            #expect(try await api.get("/v1/tracking/x", headers: ["X-Forwarded-For": "198.51.100.9"]).status == 404)
        }
    }

    @Test func `tokens that nobody was given open nothing, however they are written`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, _) = try await carried(api)
            let others = String(token.reversed())
            let odd = [
                others, token + "A", String(token.dropLast()), token.uppercased(), token.lowercased(), token + "=",
                token + "%20",
                "%00", "..", "%2e%2e%2f", "'", "%27%20OR%20true--", id, store.id, store.token, "*", "%25",
                String(repeating: "A", count: 4000),
            ]
            for odd in odd where odd != token {
                let answer = try await api.get("/v1/tracking/\(odd)")
                #expect([400, 404].contains(answer.status), "\(odd): \(answer.status)")
                #expect([400, 404].contains(try await api.get("/t/\(odd)").status), "\(odd)")
                for action in ["wish", "rating"] {
                    let refused = try await api.post("/v1/tracking/\(odd)/\(action)", ["text": "x", "stars": 5])
                    #expect([400, 404].contains(refused.status), "\(odd): \(refused.status)")
                }
            }
            #expect(try await api.followed(token).status == 200)
            #expect(try await api.execute("SELECT FROM delivery_extras WHERE wishes IS NOT NULL") == [])
        }
    }

    /// Only a lower bound is measured, which no busy machine can break.
    @Test func `a link that is over and one that never was take as long to refuse, whatever is asked of them`()
        async throws
    {
        try await ServedProduct.serving { api in
            let (id, token, store, _) = try await carried(api)
            #expect(try await api.call("DELETE", SampleDelivery.path(id, "tracking"), as: store.token).status == 204)
            for (asked, status) in [(token, 410), ("AAAAAAAAAAAAAAAAAAAAAA", 404), ("x", 404)] {
                for action in ["", "/wish", "/rating", "page"] {
                    let began = ContinuousClock.now
                    let answer =
                        switch action {
                        case "": try await api.get("/v1/tracking/\(asked)")
                        case "page": try await api.get("/t/\(asked)")
                        default: try await api.post("/v1/tracking/\(asked)\(action)", ["text": "x", "stars": 5])
                        }
                    #expect(answer.status == status)
                    #expect(ContinuousClock.now - began >= .milliseconds(50), "\(action)")
                }
            }
        }
    }

    @Test func `a link of a store that is erased is gone, and of a courier that is erased says no name`() async throws {
        try await ServedProduct.serving { api in
            let event = JSONB(utf8: Array(#"{"kind":"account.erased"}"#.utf8))
            let (id, token, store, ana) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            _ = try await Departure.leave(#require(ID(ana.id)), .courier, in: 0, noting: event, api.database)
            while try await Departure.erase(in: api.database) {}
            let shown = try await api.followed(token)
            #expect(shown.status == 200 && shown.json["courier"] == .null && !shown.reply.text.contains("Ana"))
            _ = try await Departure.leave(#require(ID(store.id)), .store, in: 0, noting: event, api.database)
            while try await Departure.erase(in: api.database) {}
            #expect([404, 410].contains(try await api.followed(token).status))
            #expect([404, 410].contains(try await api.get("/t/\(token)").status))
        }
    }

    // MARK: What is shown

    /// What each state tells, and what it does not: the table of the contract, cell by cell.
    @Test func `each state shows what its recipient may know, and nothing else`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store(name: "Pekara Klas")
            let courier = try await api.courier()
            try await api.join(store, courier)
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            let id = try await api.delivery(
                of: store, to: [courier], ["proof": ["pin": true], "window": ["until": .string(due)]])
            let token = try await api.tracking(of: id, by: store)
            let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"]

            func expect(
                _ state: String, _ status: String, name: JSON, pin: JSON, next: JSON = .null,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws -> JSON {
                let answer = try await api.followed(token)
                let json = answer.json
                #expect(answer.status == 200 && json["state"].string == state, sourceLocation: sourceLocation)
                #expect(json["status"].string == status && json["pin"] == pin, sourceLocation: sourceLocation)
                #expect(json["courier"]["first_name"] == name, sourceLocation: sourceLocation)
                #expect(json["is_next"] == next, sourceLocation: sourceLocation)
                #expect(json["store"]["name"] == "Pekara Klas", sourceLocation: sourceLocation)
                #expect(json["store"]["phone"].string?.hasPrefix("+385") == true, sourceLocation: sourceLocation)
                #expect(json["due_at"].string == due, sourceLocation: sourceLocation)
                #expect(json["recipient"]["street"] == "Vukovarska 5", sourceLocation: sourceLocation)
                let page = try await api.get("/t/\(token)", headers: ["Accept-Language": "en"]).reply.text
                #expect(page.contains(json["text"].string ?? "-"), sourceLocation: sourceLocation)
                // Neither the town, nor who receives or carries it, nor what it is, nor any id.
                let tells = [answer.reply.text, page]
                for secret in [
                    "Split", "Ivić", "Anić", "Torta", courier.login, courier.id, id, store.id, "999 8877", "9998877",
                ] {
                    #expect(!tells.contains { $0.contains(secret) }, "\(secret)", sourceLocation: sourceLocation)
                }
                return json
            }

            _ = try await expect("waiting", "pending", name: .null, pin: pin)
            try await api.act("accept", id, as: courier)
            _ = try await expect("accepted", "in_progress", name: "Ana", pin: pin)
            try await api.act("pick_up", id, as: courier)
            let way = try await expect("on_the_way", "in_progress", name: "Ana", pin: pin, next: true)
            #expect(way["picked_up_at"].string != nil && way["text"] == "Ana is coming to you now.")
            try await api.act("fail", id, as: courier, ["reason": "nobody_home", "note": "pas laje"])
            let failed = try await expect("attempt_failed", "in_progress", name: "Ana", pin: pin, next: true)
            #expect(
                failed["last_attempt"]["reason"] == "nobody_home" && failed["last_attempt"].names == ["at", "reason"])
            try await api.act("deliver", id, as: courier, ["pin": pin, "received_by": "susjeda Mare"])
            let over = try await expect("delivered", "delivered", name: "Ana", pin: .null)
            #expect(over["delivered_at"].string != nil && over["received_by"] == "susjeda Mare")
            #expect(over["last_attempt"] == .null && over["may_rate"] == true)
            try await api.act("reopen", id, as: store, ["note": "krivo"])
            let again = try await expect("attempt_failed", "in_progress", name: "Ana", pin: pin, next: true)
            #expect(again["received_by"] == .null && again["delivered_at"] == .null && again["expires_at"] == .null)
            try await api.act("reassign", id, as: store)
            let back = try await expect("waiting", "pending", name: .null, pin: pin)
            #expect(back["picked_up_at"] == .null && back["last_attempt"] == .null)
            try await api.act("cancel", id, as: store)
            _ = try await expect("cancelled", "cancelled", name: .null, pin: .null)
        }
    }

    @Test func `what was promised and is over is told as what was`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let courier = try await api.courier()
            try await api.join(store, courier)
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            let id = try await api.delivery(of: store, to: [courier], ["window": ["until": .string(due)]])
            let token = try await api.tracking(of: id, by: store)
            func page() async throws -> String {
                try await api.get("/t/\(token)", headers: ["Accept-Language": "en"]).reply.text
            }
            #expect(try await page().contains("<span class=\"about\">Due by <time"))
            _ = try TestDatabase.current.connect().query("UPDATE deliveries SET due_at = due_at - interval '1 day'")
            #expect(try await page().contains("<span class=\"about\">Was due by <time"))
            #expect(try await page().contains("Your delivery is late. "))
        }
    }

    @Test func `only the next stop and the one after learn how near they are`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [String] = []
            let people = [("Iva", "Ivić", "Savska 1"), ("Jan", "Jurić", "Riva 2"), ("Eva", "Erić", "Obala 3")]
            for (first, last, street) in people {
                let recipient: JSON = [
                    "first_name": .string(first), "last_name": .string(last), "address": .string(street + ", Zagreb"),
                ]
                ids.append(try await api.delivery(of: store, to: couriers, ["recipient": recipient]))
            }
            for id in ids {
                try await api.act("accept", id, as: couriers[0])
                try await api.act("pick_up", id, as: couriers[0])
            }
            // Nobody reads of anybody else.
            for (own, id) in ids.enumerated() {
                let token = try await api.tracking(of: id, by: store)
                let tells = [try await api.followed(token).reply.text, try await api.get("/t/\(token)").reply.text]
                for (other, person) in people.enumerated() {
                    for tell in tells {
                        #expect(tell.contains(person.2) == (own == other))
                        #expect(!tell.contains(person.1) && (own == other || !tell.contains(ids[other])))
                    }
                }
            }
            func next() async throws -> [JSON] {
                var next: [JSON] = []
                for id in ids {
                    next.append(try await api.followed(try await api.tracking(of: id, by: store)).json["is_next"])
                }
                return next
            }
            func go(_ order: [Int]) async throws {
                let route: JSON = ["delivery_ids": .array(order.map { .string(ids[$0]) })]
                #expect(try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token).status == 204)
            }
            try await go([0, 1, 2])
            #expect(try await next() == [true, false, .null])
            try await go([2, 0, 1])
            #expect(try await next() == [false, .null, true])
            try await api.act("deliver", ids[2], as: couriers[0])
            #expect(try await next() == [true, false, .null])
        }
    }

    @Test func `it says so in the reader's language`() async throws {
        try await ServedProduct.serving { api in
            let (_, token, _, _) = try await carried(api)
            var said: [String?] = []
            for language in ["en", "hr", "de"] {
                said.append(try await api.followed(token, language: language).json["text"].string)
            }
            #expect(
                said == [
                    "Ana will bring your delivery.", "Ana ide po vašu dostavu.", "Ana holt Ihre Lieferung ab.",
                ])
        }
    }

    @Test func `who is erased or off is not told of`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            try await api.execute(
                "UPDATE couriers SET off = true, first_name = '', last_name = '' WHERE id = '\(ana.id)'")
            let nameless = try await api.followed(token)
            #expect(nameless.status == 200 && nameless.json["courier"] == .null)
            try await api.execute(
                "UPDATE deliveries SET recipient_first_name = '', recipient_last_name = '', recipient_address = ''")
            #expect(try await api.followed(token).status == 410)
            let waiting = try await api.delivery(of: store, to: [ana])
            let other = try await api.tracking(of: waiting, by: store)
            #expect(try await api.followed(other).status == 200)
            try await api.execute("UPDATE stores SET off = true WHERE id = '\(store.id)'")
            #expect(try await api.followed(other).status == 410)
        }
    }

    @Test func `when a partnership ends nobody is on the way any more`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana) = try await carried(api)
            try await api.act("pick_up", id, as: ana)
            let ended = try await api.call("DELETE", "/v1/partners/\(ana.id)?release=true", as: store.token)
            #expect(ended.status == 204)
            let shown = try await api.followed(token).json
            #expect(shown["state"] == "waiting" && shown["courier"] == .null && shown["picked_up_at"] == .null)
        }
    }
}
