import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// What an account takes with it.
@Suite(.database) struct ExportTests {
    private func export(_ api: ServedProduct, _ person: Person) async throws -> Reply {
        try await Client(api.port).get("/v1/me/export", "Authorization: Bearer \(person.token)\r\n")
    }

    @Test func `an account gets all of its own, and nothing that is others'`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            for person in [store, ana, ivo] {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
            }
            let invite: JSON = ["phone": "+385912345678", "message": "Dođi k nama"]
            _ = try await api.post("/v1/invites", invite, as: store.token)
            let carried = try await api.delivery(of: store, to: [ana], ["pay": ["amount": 350, "currency": "EUR"]])
            _ = try await api.call("PATCH", "/v1/me", ["opening_hours": "7 do 20"], as: store.token)
            _ = try await api.post("/v1/bulletin", ["title": "Vijest", "text": "Sutra ne radimo."], as: store.token)
            try await api.act("accept", carried, as: ana)
            try await api.act("deliver", carried, as: ana, ["note": "moja poruka"])
            // What the other one has now is none of hers.
            let lost = try await api.delivery(of: store, to: couriers, ["description": "Tajna torta"])
            try await api.act("accept", lost, as: ivo)
            let returned = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", returned, as: ivo)
            try await api.act("cancel", returned, as: ivo, ["reason": "guma", "note": "tuđa poruka"])
            try await api.act("accept", returned, as: ana)
            for (person, note) in [(ana, "moj ured"), (ivo, "tuđi ured")] {
                let place: JSON = ["name": "Ured", "address": "Ilica 1", "note": .string(note)]
                let made = try await api.post("/v1/places", place, as: person.token)
                _ = try await api.call("PUT", "/v1/places/selected", ["id": made.json["id"]], as: person.token)
            }
            var reports: [String] = []
            for (person, meters) in [(ana, 0.0), (ivo, 1000)] {
                reports.append(try await api.report(["title": .string("Radovi \(meters)")], at: meters, by: person))
            }
            for (person, report) in [(ana, reports[1]), (ivo, reports[0])] {
                #expect(try await api.post("/v1/roads/\(report)/gone", [:], as: person.token).status == 200)
            }
            try await api.numberEvents()

            let hers = try await export(api, ana)
            #expect(hers.status == 200 && hers.header("content-type") == "application/json")
            #expect(hers.header("content-disposition")?.contains("kurir.json") == true)
            #expect(hers.headers("cache-control") == ["no-store"])
            let json = try #require(JSON(hers.body))
            #expect(json.names == Set(Export.lists))
            #expect(json["account"].items.map { $0["id"].string } == [ana.id])
            #expect(Set(json["deliveries"].items.compactMap { $0["id"].string }) == [carried, returned])
            let one = try #require(json["deliveries"].items.first { $0["id"].string == carried })
            #expect(one["history"].items.last?["note"] == "moja poruka" && one["recipient"]["last_name"] == "Ivić")
            #expect(json["devices"].items.count == 1 && json["sessions"].items.count == 1)
            #expect(json["partners"].items.map { $0["store_id"].string } == [store.id])
            #expect(json["events"].items.count >= 5 && json["messages"].items.count >= 3)
            #expect(
                json["places"].items.map { $0["note"] } == ["moj ured"] && json["places"].items[0]["selected"] == true)
            for text in ["tuđa poruka", "Tajna torta", "guma", "tuđi ured", ana.token] {
                #expect(!hers.text.contains(text), "\(text)")
            }
            #expect(json["road_reports"].items.map { $0["title"] } == ["Radovi 0.0"])
            let votes = json["road_votes"].items.map { [$0["report_id"].string, $0["vote"].string] }
            #expect(votes == [[reports[1], "gone"]])
            let offer = try #require(json["messages"].items.first { $0["subject"].string == lost })
            #expect(!offer.names.contains("body") && !offer.names.contains("title"))

            #expect(json["earnings"].items.map { $0["amount"].integer } == [350])
            #expect(json["account"].items[0]["on_duty"] == true)
            let ivos = try #require(JSON(try await export(api, ivo).body))
            #expect(ivos["cancellations"].items.map { $0["note"] } == ["guma\ntuđa poruka"])

            let its = try await export(api, store)
            let all = try #require(JSON(its.body))
            #expect(
                all["bulletins"].items.map { $0["text"] } == ["Sutra ne radimo."] && json["bulletins"].items.isEmpty)
            #expect(all["deliveries"].items.count == 3 && all["partners"].items.count == 2)
            #expect(
                all["account"].items[0]["opening_hours"] == "7 do 20"
                    && all["account"].items[0]["proof"]["pin"] == false)
            #expect(its.text.contains("tuđa poruka") && its.text.contains("Tajna torta"))
            let invites = all["invites"].items
            #expect(invites.map { $0["phone"].string } == ["+385912345678"] && invites[0]["message"] == "Dođi k nama")
            let code = try #require(
                try await api.execute("SELECT data->>'code' FROM outbox WHERE kind = 'invite'")[0][0])
            #expect(!its.text.contains(code))
        }
    }

    @Test func `an export is as long as it must be, page by page`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.execute(
                """
                INSERT INTO deliveries (id, store_id, status, version, candidates, recipient_first_name, recipient_last_name,
                    recipient_address, description, created_at, updated_at)
                SELECT gen_random_uuid(), store_id, status, version, candidates, 'Iva', 'Ivić', 'Ilica 1', 'Torta', now(), now()
                FROM deliveries, generate_series(1, 450) n WHERE id = '\(id)'
                """)
            try await api.execute(
                """
                INSERT INTO audit (kind, account_id) SELECT 'test.many', '\(store.id)' FROM generate_series(1, 401) n
                """)
            let all = try #require(JSON(try await export(api, store).body))
            #expect(Set(all["deliveries"].items.compactMap { $0["id"].string }).count == 451)
            #expect(Set(all["security"].items.compactMap { $0["id"].string }).count == 402)
        }
    }

    @Test func `an account gets an export once an hour`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.store()
            #expect(try await export(api, store).status == 200)
            let refused = try await export(api, store)
            #expect(refused.status == 429 && JSON(refused.body)?["code"] == "rate_limited")
            let wait = try #require(refused.header("retry-after").flatMap { Int($0) })
            #expect((3000...3600).contains(wait))
            #expect(try await export(api, try await api.store()).status == 200)
            let noted = try await api.execute("SELECT count(*) FROM audit WHERE kind = 'account.exported'")
            #expect(noted == [["2"]])
        }
    }
}
