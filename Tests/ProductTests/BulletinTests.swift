import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Bulletin

/// What there is to be read.
@Suite(.database) struct BulletinTests {
    private func post(
        _ api: ServedProduct, _ store: Person, _ title: String, _ more: [String: JSON] = [:]
    ) async throws -> Answer {
        let form: JSON = ["title": .string(title), "text": "Vidimo se u ponedjeljak."]
        return try await api.post("/v1/bulletin", form.with(more), as: store.token)
    }

    private func list(_ api: ServedProduct, _ person: Person, _ query: String = "") async throws -> JSON {
        try await api.get("/v1/bulletin" + query, as: person.token).json
    }

    private func titles(_ api: ServedProduct, _ person: Person) async throws -> [String] {
        try await list(api, person)["items"].items.compactMap { $0["title"].string }
    }

    /// Puts entries into everybody's bulletin, and gives how many are new.
    @discardableResult
    private func take(
        _ api: ServedProduct, _ entries: [JSON], from source: String = "HAK", as category: String = "news",
        telling: Bool = false
    ) async throws -> Int {
        let text = String(decoding: JSON.array(entries).bytes, as: UTF8.self).replacing("'", with: "''")
        return try await api.execute(
            "SELECT unnest(publish_bulletins('\(source)', '\(category)', '\(text)', \(telling)))"
        ).count
    }

    @Test func `a store tells its couriers something, and takes it back`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (other, strangers) = try await api.team(1)
            let made = try await post(api, store, "Sutra ne radimo", ["link": "https://example.com/radno-vrijeme"])
            try #require(made.status == 201, "\(made.json)")
            let bulletin = made.json
            #expect(bulletin["source"] == "Pekara" && bulletin["store_id"].string == store.id)
            #expect(bulletin["category"] == "store" && bulletin["urgent"] == false)
            #expect(bulletin["link"] == "https://example.com/radno-vrijeme")
            for reader in couriers + [store] {
                let told = try await list(api, reader)
                #expect(told == ["items": [bulletin], "next_cursor": nil, "total": 1])
                let path = "/v1/bulletin/\(bulletin["id"].string ?? "")"
                #expect(try await api.get(path, as: reader.token).json == bulletin)
            }
            for reader in strangers + [other] {
                #expect(try await list(api, reader) == ["items": [], "next_cursor": nil, "total": 0])
                let path = "/v1/bulletin/\(bulletin["id"].string ?? "")"
                #expect(try await api.get(path, as: reader.token).status == 404)
                #expect(
                    try await api.call("DELETE", path, as: reader.token).status == (reader.id == other.id ? 404 : 403))
            }
            let path = "/v1/bulletin/\(bulletin["id"].string ?? "")"
            #expect(try await api.call("DELETE", path, as: store.token).status == 204)
            #expect(try await api.call("DELETE", path, as: store.token).status == 404)
            #expect(try await list(api, couriers[0])["total"] == 0)
        }
    }

    @Test func `only who works for a store reads what it tells, as long as that is so`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await post(api, store, "Jedan")
            #expect(try await titles(api, couriers[0]) == ["Jedan"])
            try await api.execute("UPDATE partners SET store_off = true")
            #expect(try await titles(api, couriers[0]) == [])
            try await api.execute("UPDATE partners SET store_off = false")
            #expect(try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token).status == 204)
            #expect(try await list(api, couriers[0]) == ["items": [], "next_cursor": nil, "total": 0])
        }
    }

    @Test func `all that is wrong is told`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await api.post(
                "/v1/bulletin", ["title": " ", "link": "javascript:alert(1)", "urgent": "yes"], as: store.token)
            #expect(answer.status == 422)
            #expect(
                answer.wrong == [
                    "title": "required", "text": "required", "link": "invalid_link", "urgent": "wrong_type",
                ])
            for link in [
                "https://", "https:///x", "http://?", "https:// x", "https://x y", "ftp://x", "//x", "https://:80",
                "https://a@", "https",
            ] {
                let refused = try await post(api, store, "Vijest", ["link": .string(link)])
                #expect(refused.wrong == ["link": "invalid_link"], "\(link)")
            }
        }
    }

    @Test func `a link counts by what it means, however its scheme and host are written`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await post(api, store, "Vijest", ["link": "HTTPS://Example.COM:8080/Put?Q=A#B"])
            #expect(answer.json["link"] == "https://example.com:8080/Put?Q=A#B")
        }
    }

    @Test func `it is told in the feeds of couriers, and by push if it is urgent, once a day`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let stranger = try await api.courier()
            for person in couriers + [stranger] {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
            }
            let pushes = "SELECT kind, title, body, data->>'bulletin_id' FROM messages ORDER BY account_id"
            _ = try await post(api, store, "Polako")
            #expect(try await api.execute(pushes).isEmpty)
            let urgent = try await post(api, store, "Zatvoreno", ["urgent": true])
            #expect(urgent.json["urgent"] == true)
            let id = urgent.json["id"].string ?? ""
            let told = ["bulletin_published", "Message from a store", "Pekara: Zatvoreno", id]
            #expect(try await api.execute(pushes) == [told, told])
            let second = try await post(api, store, "Opet zatvoreno", ["urgent": true])
            #expect(second.status == 201 && second.json["urgent"] == false)
            #expect(try await api.execute(pushes).count == 2)
            for courier in couriers {
                try await api.expectEvents([String](repeating: "bulletin.published", count: 3), of: courier)
            }
            let events = try await api.get("/v1/events", as: couriers[0].token).items
            #expect(events.map { $0["data"]["bulletin_id"].string }.contains(id))
            #expect(events[1]["data"]["store_id"].string == store.id && events[1]["data"]["urgent"] == true)
            try await api.expectEvents([], of: stranger)
            try await api.expectEvents([], of: store)
            // What is taken back is pushed no more.
            _ = try await api.call("DELETE", "/v1/bulletin/\(id)", as: store.token)
            #expect(try await api.execute("SELECT FROM message_queue").isEmpty)
            // And it was the urgent one of the day all the same.
            #expect(try await post(api, store, "Još jednom", ["urgent": true]).json["urgent"] == false)
        }
    }

    @Test func `of many at once ten are told in a day, and one of them is urgent`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: couriers[0].token)
            let answers = try await together(Array(0..<40)) {
                try await post(api, store, "Vijest \($0)", ["urgent": true])
            }
            let made = answers.filter { $0.status == 201 }
            let refused = answers.filter { $0.status == 429 && $0.code == "rate_limited" }
            #expect(made.count == Bounds.bulletinsADay && refused.count == 40 - Bounds.bulletinsADay)
            #expect(made.filter { $0.json["urgent"] == true }.count == 1)
            let wait = try #require(refused[0].reply.header("retry-after").flatMap { Int($0) })
            #expect((1...25 * 3600).contains(wait))
            #expect(try await list(api, couriers[0])["total"] == 10)
            #expect(try await api.execute("SELECT FROM messages").count == 1)
            // Room is not made by taking back, and is there again on another day.
            _ = try await api.call("DELETE", "/v1/bulletin/\(made[0].json["id"].string ?? "")", as: store.token)
            #expect(try await post(api, store, "Jedanaesta").status == 429)
            try await api.execute("UPDATE bulletin_days SET day = day - 1")
            #expect(try await post(api, store, "Jedanaesta", ["urgent": true]).json["urgent"] == true)
        }
    }

    @Test func `of ten that tell the same at once one does, and the others learn which it is`() async throws {
        try await ServedProduct.serving { api in
            let (store, other) = (try await api.store(), try await api.store())
            for round in 0..<10 {
                let link: [String: JSON] = round % 2 == 0 ? [:] : ["link": .string("https://example.com/\(round)")]
                // The same title, or the same link under another title.
                let answers = try await together(Array(0..<10)) {
                    try await post(api, store, round % 2 == 0 ? "Vijest \(round)" : "Vijest \(round) \($0)", link)
                }
                let made = answers.filter { $0.status == 201 }
                try #require(made.count == 1)
                let refused = answers.filter { $0.code == "already_published" && $0.json["id"] == made[0].json["id"] }
                #expect(refused.count == 9)
            }
            // What was refused took no place among the ten.
            #expect(try await api.execute("SELECT posts FROM bulletin_days") == [["10"]])
            // Another store is another source, and another day another title's.
            #expect(try await post(api, other, "Vijest 0").status == 201)
            try await api.execute("UPDATE bulletins SET day = day - 1")
            try await api.execute("UPDATE bulletin_days SET day = day - 1")
            #expect(try await post(api, store, "Vijest 0").status == 201)
            let again = try await post(api, store, "Nova", ["link": "https://example.com/1"])
            #expect(again.status == 409 && again.code == "already_published")
        }
    }

    @Test func `a repeated request tells it once`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let form: JSON = ["title": "Vijest", "text": "Vidimo se."]
            let answers = try await together(6) {
                try await api.post("/v1/bulletin", form, as: store.token, headers: ["Idempotency-Key": "one"])
            }
            let made = answers.filter { $0.status == 201 }
            #expect(!made.isEmpty && Set(made.map { $0.json["id"].string }).count == 1)
            #expect(answers.filter { $0.status != 201 }.allSatisfy { $0.code == "request_in_progress" })
            #expect(try await list(api, store)["total"] == 1)
        }
    }

    @Test func `what is for everybody is listed with what stores tell, newest first, page by page`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for number in 0..<60 {
                let at = "2026-11-\(number % 9 + 10)T12:\(number):00.000Z"
                try await take(
                    api, [["title": .string("Vijest \(number)"), "text": "", "published_at": .string(at)]])
            }
            _ = try await post(api, store, "Naša")
            var (seen, cursor): ([JSON], String?) = ([], nil)
            repeat {
                let page = try await list(api, couriers[0], cursor.map { "?cursor=\($0)" } ?? "")
                #expect(page["items"].items.count <= 25 && page["total"] == 61)
                seen += page["items"].items
                cursor = page["next_cursor"].string
            } while cursor != nil
            let times = seen.compactMap { $0["published_at"].string }
            #expect(
                seen.count == 61 && times == times.sorted(by: >) && Set(seen.compactMap { $0["id"].string }).count == 61
            )
            #expect(
                seen.filter { $0["source"] == "HAK" && $0["category"] == "news" && $0["store_id"] == .null }.count == 60
            )
            #expect(try await list(api, couriers[0], "?limit=2")["items"].items.count == 2)
        }
    }

    @Test func `an entry stands once per source, however often and by however many it is brought`() async throws {
        try await ServedProduct.serving { api in
            let reader = try await api.courier()
            let entries: [JSON] = (0..<40).map {
                ["title": .string("Vijest \($0)"), "text": "", "link": .string("https://hak.hr/\($0)")]
            }
            let counts = try await together(8) { try await take(api, entries) }
            #expect(counts.reduce(0, +) == 40)
            #expect(try await take(api, entries) == 0)
            // From another source it is another one; the same title on the same day is the same one.
            #expect(try await take(api, entries, from: "HRT") == 40)
            #expect(try await take(api, [["title": "Vijest 1", "text": "", "link": "https://hak.hr/drugi"]]) == 0)
            // What has no link is known by its name.
            let named: JSON = ["title": "Bez poveznice", "text": "", "guid": "7"]
            #expect(try await take(api, [named, named.with(["title": "Drugi naslov"])]) == 1)
            #expect(try await list(api, reader)["total"] == 81)
            #expect(try await api.execute("SELECT count(*) FROM event_journal") == [["0"]])
            try await api.expectEvents([], of: reader)
        }
    }

    @Test func `what an operator tells is in everybody's feed`() async throws {
        try await ServedProduct.serving { api in
            let people = [try await api.store(), try await api.courier(), try await api.courier()]
            try await take(
                api, [["title": "Bura", "text": "Most je zatvoren."]], from: "Kurir", as: "road", telling: true)
            for person in people {
                try await api.expectEvents(["bulletin.published"], of: person)
                #expect(try await titles(api, person) == ["Bura"])
            }
            // What is there already is not told again.
            try await take(api, [["title": "Bura", "text": ""]], from: "Kurir", as: "road", telling: true)
            try await api.numberEvents()
            try await api.expectEvents(["bulletin.published"], of: people[0])
        }
    }

    @Test func `what came more than a year ago is removed, and the counts stay right`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await post(api, store, "Naša")
            try await take(api, [["title": "Stara", "text": ""], ["title": "Nova", "text": ""]])
            try await api.execute(
                "UPDATE bulletins SET id = first_uuid(now() - interval '401 days') WHERE title = 'Stara'")
            #expect(try await api.database.run(DropOldBulletins()) == [1])
            #expect(try await titles(api, couriers[0]).sorted() == ["Naša", "Nova"])
            #expect(try await list(api, couriers[0])["total"] == 2)
            let counted = "SELECT store_id IS NULL, count FROM bulletin_counts ORDER BY 1"
            #expect(try await api.execute(counted) == [["f", "1"], ["t", "1"]])
        }
    }
}
