import Domain
import HTTP
import TestSupport
import Testing

/// What recipients wish, and what they think of it afterwards.
@Suite(.database) struct RecipientWordsTests {
    private func carried(_ api: ServedProduct) async throws -> (
        id: String, token: String, store: Person, ana: Person, ivo: Person
    ) {
        let (store, couriers) = try await api.team(2)
        let id = try await api.delivery(of: store, to: couriers)
        let token = try await api.tracking(of: id, by: store)
        try await api.act("accept", id, as: couriers[0])
        return (id, token, store, couriers[0], couriers[1])
    }

    private func wish(_ api: ServedProduct, _ token: String, _ text: String) async throws -> Answer {
        try await api.post("/v1/tracking/\(token)/wish", ["text": .string(text)])
    }

    private func rate(_ api: ServedProduct, _ token: String, _ stars: Int, _ text: JSON = .null) async throws -> Answer
    {
        try await api.post("/v1/tracking/\(token)/rating", ["stars": .integer(stars), "text": text])
    }

    private func wishes(_ api: ServedProduct, _ id: String, as person: Person) async throws -> [String?] {
        try await api.get(SampleDelivery.path(id), as: person.token).json["wishes"].items.map { $0["text"].string }
    }

    @Test func `a wish is shown to the store and to whoever carries it, at once`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana, ivo) = try await carried(api)
            let answer = try await wish(api, token, "Zvono ne radi,\nnazovite")
            #expect(answer.status == 200 && answer.json["wishes_left"] == 2)
            for person in [store, ana] {
                #expect(try await wishes(api, id, as: person) == ["Zvono ne radi,\nnazovite"])
            }
            try await api.expectEvents(["delivery.offered", "delivery.accepted", "delivery.wish"], of: ana, about: id)
            try await api.expectEvents(
                ["delivery.created", "delivery.accepted", "delivery.wish"], of: store, about: id)
            try await api.expectEvents(["delivery.offered", "delivery.taken"], of: ivo, about: id)
            // A step leaves it, and whoever carries it next reads it, too.
            try await api.act("pick_up", id, as: ana)
            try await api.act("reassign", id, as: store, ["courier_ids": [.string(ivo.id)]])
            #expect(try await wishes(api, id, as: ivo) == [])
            try await api.act("accept", id, as: ivo)
            #expect(try await wishes(api, id, as: ivo) == ["Zvono ne radi,\nnazovite"])
            #expect(try await wishes(api, id, as: ana) == [])
            try await api.expectConsistency()
        }
    }

    @Test func `three wishes are taken, however many come at once`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, _, _) = try await carried(api)
            let answers = try await together(Array(0..<8)) { try await wish(api, token, "želja \($0)") }
            #expect(answers.filter { $0.status == 200 }.count == 3)
            #expect(answers.filter { $0.status == 409 && $0.code == "too_many_wishes" }.count == 5)
            #expect(try await wishes(api, id, as: store).count == 3)
            #expect(try await api.followed(token).json["wishes_left"] == 0)
        }
    }

    @Test func `nobody wishes before somebody carries it, and nobody afterwards`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            let early = try await wish(api, token, "x")
            #expect(early.status == 409 && early.code == "not_in_progress")
            try await api.act("accept", id, as: couriers[0])
            try await api.act("deliver", id, as: couriers[0])
            #expect(try await wish(api, token, "x").code == "not_in_progress")
            #expect(try await wish(api, token, "").status == 422)
            #expect(try await wish(api, "AAAAAAAAAAAAAAAAAAAAAA", "x").status == 404)
        }
    }

    @Test func `a rating is given once, and its store alone reads it`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana, _) = try await carried(api)
            #expect(try await rate(api, token, 5).code == "not_delivered")
            try await api.act("deliver", id, as: ana)
            for stars in [0, 6] { #expect(try await rate(api, token, stars).wrong == ["stars": "out_of_range"]) }
            let answers = try await together(Array(0..<6)) { try await rate(api, token, 1 + $0 % 5, "brzo i ljubazno") }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.status == 409 && $0.code == "already_rated" }.count == 5)
            let told = try await api.get(SampleDelivery.path(id), as: store.token).json["rating"]
            #expect(told["text"] == "brzo i ljubazno" && (1...5).contains(told["stars"].integer ?? 0))
            #expect(try await api.get(SampleDelivery.path(id), as: ana.token).json["rating"] == .null)
            try await api.expectEvents(
                ["delivery.created", "delivery.accepted", "delivery.delivered", "delivery.rated"], of: store, about: id)
            let feed = try await api.get("/v1/events", as: ana.token).reply.text
            #expect(!feed.contains("rated") && !feed.contains("ljubazno"))
            try await api.expectConsistency()
        }
    }

    @Test func `a courier learns its mean with the tenth rating, and again with the twentieth`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func rating() async throws -> JSON { try await api.get("/v1/me", as: couriers[0].token).json["rating"] }
            for number in 1...20 {
                let id = try await api.delivery(of: store, to: couriers)
                let token = try await api.tracking(of: id, by: store)
                try await api.act("accept", id, as: couriers[0])
                try await api.act("deliver", id, as: couriers[0])
                #expect(try await rate(api, token, number <= 10 ? 4 : 5).status == 200)
                let wanted = number < 10 ? nil : number < 20 ? 4 : 4.5
                #expect(try await rating().double == wanted, "after \(number)")
            }
        }
    }

    @Test func `what recipients said is forgotten with them`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana, _) = try await carried(api)
            _ = try await wish(api, token, "kod susjede")
            try await api.act("deliver", id, as: ana)
            #expect(try await rate(api, token, 5, "hvala").status == 200)
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '91 days'")
            let seen = try await api.get(SampleDelivery.path(id), as: store.token).json
            #expect(seen["wishes"] == .null && seen["rating"] == .null)
            try await api.execute("SELECT forget_recipients()")
            let kept = try await api.execute("SELECT delivery_extras::text FROM delivery_extras")
            #expect(!kept.contains { $0[0]?.contains("susjede") == true || $0[0]?.contains("hvala") == true })
        }
    }

    /// An operator may have recipients forgotten sooner than links end.
    @Test func `who is forgotten says nothing any more`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, _, ana, _) = try await carried(api)
            try await api.act("deliver", id, as: ana)
            try await api.execute("UPDATE trust SET recipient_days = 1")
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '30 hours'")
            #expect(try await api.execute("SELECT forget_recipients()") == [["1"]])
            #expect(try await rate(api, token, 5, "hvala").status == 410)
            #expect(try await api.execute("SELECT FROM delivery_extras WHERE stars IS NOT NULL") == [])
            #expect(try await api.execute("SELECT ratings FROM couriers WHERE id = '\(ana.id)'") == [["0"]])
        }
    }

    // MARK: Without a script

    @Test func `the page takes what its forms send`() async throws {
        try await ServedProduct.serving { api in
            let (id, token, store, ana, _) = try await carried(api)
            let page = try await api.get("/t/\(token)").reply.text
            #expect(page.contains("action=\"/t/\(token)/wish\"") && !page.contains("/rating\""))
            let taken = try await api.submit("/t/\(token)/wish", "text=Ne+zvonite%2C+dijete+spava%0D%0A%F0%9F%8D%8B")
            #expect(taken.status == 303 && taken.reply.headers("location") == ["/t/\(token)"])
            #expect(try await wishes(api, id, as: store) == ["Ne zvonite, dijete spava\n🍋"])
            // It is there to be read as long as somebody carries it.
            let said = try await api.get("/t/\(token)", headers: ["Accept-Language": "hr"]).reply.text
            let quote = "Trgovina i kurir vide vašu želju: <q>Ne zvonite, dijete spava\n🍋</q>"
            #expect(said.contains(quote))
            #expect(try await api.submit("/t/\(token)/wish", "text=").status == 422)
            // What was typed and is too much is there to be made shorter; opened again, the address leads to the page.
            let long = try await api.submit("/t/\(token)/wish", "text=%3Cb%3E" + String(repeating: "x", count: 300))
            #expect(long.status == 422 && long.reply.text.contains("&lt;b&gt;xxx"))
            let again = try await api.get("/t/\(token)/wish")
            #expect(again.status == 303 && again.reply.header("location") == "/t/\(token)")
            #expect(try await api.submit("/t/\(token)/rating", "stars=5").status == 409)
            #expect(try await api.submit("/t/\(token)/wish", "text=%3Cb%3E").status == 303)
            #expect(try await api.get("/t/\(token)").reply.text.contains("<q>&lt;b&gt;</q>"))
            try await api.act("deliver", id, as: ana)
            let over = try await api.get("/t/\(token)").reply.text
            #expect(over.contains("action=\"/t/\(token)/rating\"") && !over.contains("<q>"))
            #expect(try await api.submit("/t/\(token)/rating", "text=ok").status == 422)
            #expect(try await api.submit("/t/\(token)/rating", "stars=4&text=").status == 303)
            #expect(try await api.get("/t/\(token)").reply.text.contains("You gave 4 of 5 stars."))
            #expect(try await api.submit("/t/AAAAAAAAAAAAAAAAAAAAAA/wish", "text=x").status == 404)
        }
    }
}
