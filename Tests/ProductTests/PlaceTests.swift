import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

/// The places that an account keeps, in its own order.
@Suite(.database) struct PlaceTests {
    private static let office: JSON = [
        "name": "Ured", "address": "Ilica 1, Zagreb", "location": ["lat": .number(45.813), "lon": .number(15.977)],
        "phone": "01 4828 111", "note": "Drugi kat\nzvono Anić",
    ]

    private func keep(_ name: String, at address: String = "Ilica 1", _ api: ServedProduct, _ person: Person)
        async throws -> String
    {
        let made = try await api.post(
            "/v1/places", ["name": .string(name), "address": .string(address)], as: person.token)
        #expect(made.status == 201, "\(made.json)")
        return made.json["id"].string ?? ""
    }

    private func names(_ api: ServedProduct, _ person: Person) async throws -> [String] {
        try await api.get("/v1/places", as: person.token).items.compactMap { $0["name"].string }
    }

    private func order(_ ids: [String], _ api: ServedProduct, _ person: Person) async throws -> Answer {
        try await api.call("PUT", "/v1/places/order", ["ids": .array(ids.map { .string($0) })], as: person.token)
    }

    private func select(_ id: JSON, _ api: ServedProduct, _ person: Person) async throws -> Answer {
        try await api.call("PUT", "/v1/places/selected", ["id": id], as: person.token)
    }

    private func selected(_ api: ServedProduct, _ person: Person) async throws -> JSON {
        try await api.get("/v1/places", as: person.token).json["selected"]
    }

    @Test func `stores and couriers keep places, change them and forget them`() async throws {
        try await ServedProduct.serving { api in
            for person in [try await api.store(), try await api.courier()] {
                let made = try await api.post("/v1/places", Self.office, as: person.token)
                #expect(made.status == 201)
                #expect(made.json.without("id") == Self.office.with(["phone": "+38514828111"]))
                let id = made.json["id"].string ?? ""
                let list = try await api.get("/v1/places", as: person.token).json
                #expect(list == ["items": [made.json], "next_cursor": nil, "selected": nil])
                let changed = try await api.call("PATCH", "/v1/places/\(id)", ["name": "Dom"], as: person.token)
                #expect(changed.status == 200 && changed.json == made.json.with(["name": "Dom"]))
                let less = try await api.call(
                    "PATCH", "/v1/places/\(id)", ["phone": nil, "note": nil, "location": nil], as: person.token)
                #expect(less.json == changed.json.with(["phone": nil, "note": nil, "location": nil]))
                #expect(try await api.call("DELETE", "/v1/places/\(id)", as: person.token).status == 204)
                #expect(try await api.call("DELETE", "/v1/places/\(id)", as: person.token).status == 404)
                #expect(try await api.call("PATCH", "/v1/places/\(id)", ["name": "x"], as: person.token).status == 404)
                #expect(try await names(api, person).isEmpty)
            }
        }
    }

    @Test func `all that is wrong with a place is told`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let wrong = try await api.post(
                "/v1/places", ["address": " ", "location": ["lat": 91, "lon": 0], "phone": "12"], as: store.token)
            #expect(wrong.status == 422)
            #expect(
                wrong.wrong == [
                    "name": "required", "address": "required", "location": "invalid_location", "phone": "invalid_phone",
                ])
            let id = try await keep("Ured", api, store)
            let erased = try await api.call("PATCH", "/v1/places/\(id)", ["name": nil, "address": ""], as: store.token)
            #expect(erased.status == 422 && Set(erased.wrong.keys) == ["name", "address"])
        }
    }

    @Test func `the same place is kept once, whatever its case, accents and spaces`() async throws {
        try await ServedProduct.serving { api in
            let (store, other) = (try await api.store(), try await api.store())
            let id = try await keep("Kod Šime", at: "Žrtava fašizma 7, Split", api, store)
            for (name, address) in [
                ("Kod Šime", "Žrtava fašizma 7, Split"), ("KOD SIME", "zrtava fasizma 7, split"),
                ("kodšime", "Žrtava  fašizma 7 ,Split"), ("Kod\u{a0}S\u{30C}ime", "Žrtava fašizma 7, Split"),
            ] {
                let again: JSON = ["name": .string(name), "address": .string(address)]
                let refused = try await api.post("/v1/places", again, as: store.token)
                #expect(refused.status == 409 && refused.code == "place_exists", "\(name)")
                #expect(refused.json["id"].string == id)
            }
            // Neither alone is the place, nor is somebody else's.
            let second = try await keep("Kod Šime", at: "Žrtava fašizma 8, Split", api, store)
            _ = try await keep("Kod Jure", at: "Žrtava fašizma 7, Split", api, store)
            _ = try await keep("Kod Šime", at: "Žrtava fašizma 7, Split", api, other)
            let moved = try await api.call(
                "PATCH", "/v1/places/\(second)", ["address": "Zrtava Fasizma 7, Split"], as: store.token)
            #expect(moved.status == 409 && moved.json["id"].string == id)
            // What it is already, it may become.
            let same = try await api.call("PATCH", "/v1/places/\(second)", ["name": "KOD ŠIME"], as: store.token)
            #expect(same.status == 200 && same.json["name"] == "KOD ŠIME")
        }
    }

    @Test func `of many that keep the same at once, one does, and the others learn which it is`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let answers = try await together(12) {
                try await api.post("/v1/places", Self.office, as: courier.token)
            }
            let made = answers.filter { $0.status == 201 }
            #expect(made.count == 1)
            let refused = answers.filter { $0.status == 409 && $0.json["id"] == made[0].json["id"] }
            #expect(refused.count == 11)
            // Two of them that become the same at once do not, either.
            let ids = try await together(["A", "B"]) { try await keep($0, at: "Ilica 9", api, courier) }
            let renamed = try await together(ids) {
                try await api.call("PATCH", "/v1/places/\($0)", ["name": "C"], as: courier.token)
            }
            #expect(renamed.map(\.status).sorted() == [200, 409])
            await expectRefusal(by: "place_once") {
                try await api.execute("UPDATE places SET sameness = (SELECT sameness FROM places LIMIT 1)")
            }
        }
    }

    @Test func `an account keeps a thousand places, in any race`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await api.execute(
                """
                INSERT INTO places (account_id, id, rank, name, address, sameness, words)
                SELECT '\(store.id)', uuid_v7(), n, 'Ured ' || n, 'Ilica', place_sameness('Ured ' || n, 'Ilica'), ''
                FROM generate_series(1, 995) n
                """)
            let answers = try await together(Array(1...10)) {
                try await api.post(
                    "/v1/places", ["name": .string("Dom \($0)"), "address": "Savska"], as: store.token)
            }
            #expect(answers.filter { $0.status == 201 }.count == 5)
            #expect(answers.filter { $0.status == 409 && $0.code == "too_many_places" }.count == 5)
            #expect(try await api.execute("SELECT count(*) FROM places") == [["1000"]])
            // All of them, page by page, and put in another order.
            var (ids, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await api.get(
                    "/v1/places?limit=200" + (cursor.map { "&cursor=\($0)" } ?? ""), as: store.token)
                ids += page.items.compactMap { $0["id"].string }
                cursor = page.json["next_cursor"].string
            } while cursor != nil
            #expect(Set(ids).count == 1000)
            #expect(try await order(ids.reversed(), api, store).status == 204)
            let first = try await api.get("/v1/places?limit=1", as: store.token)
            #expect(first.items[0]["id"].string == ids.last)
        }
    }

    @Test func `an order names each place once`() async throws {
        try await ServedProduct.serving { api in
            let (store, other) = (try await api.store(), try await api.store())
            var ids: [String] = []
            for name in ["A", "B", "C"] { ids.append(try await keep(name, api, store)) }
            let stranger = try await keep("D", api, other)
            #expect(try await names(api, store) == ["A", "B", "C"])
            #expect(try await order([ids[2], ids[0], ids[1]], api, store).status == 204)
            #expect(try await names(api, store) == ["C", "A", "B"])
            let wrongs: [[String]] = [
                [], [ids[0], ids[1]], ids + [ids[0]], ids + [stranger], [ids[0], ids[1], stranger],
                [ids[0], ids[0], ids[1]],
            ]
            for wrong in wrongs {
                let refused = try await order(wrong, api, store)
                #expect(refused.status == 422 && refused.wrong == ["ids": "not_each_once"], "\(wrong)")
            }
            #expect(try await order(["x"], api, store).wrong == ["ids": "invalid_id"])
            let none = try await api.call("PUT", "/v1/places/order", [:], as: store.token)
            #expect(none.wrong == ["ids": "required"])
            #expect(try await names(api, store) == ["C", "A", "B"])
            // What comes new comes last.
            _ = try await keep("E", api, store)
            #expect(try await names(api, store) == ["C", "A", "B", "E"])
        }
    }

    @Test func `orders at the same time leave one of them`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            var ids: [String] = []
            for name in ["A", "B", "C", "D"] { ids.append(try await keep(name, api, store)) }
            let orders = [ids, Array(ids.reversed()), [ids[1], ids[0], ids[3], ids[2]]]
            let answers = try await together(orders + orders) { try await order($0, api, store) }
            #expect(answers.allSatisfy { $0.status == 204 })
            let left = try await api.get("/v1/places", as: store.token).items.compactMap { $0["id"].string }
            #expect(orders.contains(left))
        }
    }

    @Test func `what is chosen stays chosen when the order changes, and is nothing when it is forgotten`() async throws
    {
        try await ServedProduct.serving { api in
            let (courier, other) = (try await api.courier(), try await api.courier())
            let (first, second) = (
                try await keep("A", api, courier), try await keep("B", api, courier)
            )
            let stranger = try await keep("C", api, other)
            #expect(try await selected(api, courier) == nil)
            let chosen = try await select(.string(first), api, courier)
            #expect(chosen.status == 200 && chosen.json == ["selected": .string(first)])
            #expect(try await order([second, first], api, courier).status == 204)
            #expect(try await selected(api, courier) == .string(first))
            _ = try await api.call("PATCH", "/v1/places/\(first)", ["name": "Z"], as: courier.token)
            #expect(try await selected(api, courier) == .string(first))
            for nobodys in [stranger, "018f0000-0000-7000-8000-000000000000"] {
                #expect(try await select(.string(nobodys), api, courier).status == 404)
            }
            #expect(try await select("x", api, courier).wrong == ["id": "invalid_id"])
            #expect(try await selected(api, courier) == .string(first))
            #expect(try await select(.string(second), api, courier).status == 200)
            #expect(try await api.call("DELETE", "/v1/places/\(first)", as: courier.token).status == 204)
            #expect(try await selected(api, courier) == .string(second))
            #expect(try await api.call("DELETE", "/v1/places/\(second)", as: courier.token).status == 204)
            #expect(try await selected(api, courier) == nil)
            let third = try await keep("D", api, courier)
            _ = try await select(.string(third), api, courier)
            #expect(try await select(nil, api, courier).json == ["selected": nil])
            #expect(try await selected(api, courier) == nil)
            #expect(try await selected(api, other) == nil)
        }
    }

    @Test func `a place that is chosen while it is forgotten is not chosen`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            for _ in 0..<8 {
                let id = try await keep("A", api, courier)
                async let chosen = select(.string(id), api, courier)
                async let deleted = api.call("DELETE", "/v1/places/\(id)", as: courier.token)
                let statuses = (chosen: try await chosen.status, deleted: try await deleted.status)
                #expect(statuses.deleted == 204 && [200, 404].contains(statuses.chosen))
                #expect(try await selected(api, courier) == nil)
            }
        }
    }

    @Test func `who is being erased keeps nothing any more`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            _ = try await keep("A", api, store)
            try await api.execute("UPDATE accounts SET password_hash = '$scrypt$erased' WHERE id = '\(store.id)'")
            let late = try await api.post("/v1/places", Self.office, as: store.token)
            #expect(late.status == 401)
            #expect(try await api.execute("SELECT count(*) FROM places") == [["1"]])
        }
    }

    @Test func `a place that is sent twice under one key is kept once`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answers = try await together(4) {
                try await api.post("/v1/places", Self.office, as: store.token, headers: ["Idempotency-Key": "one"])
            }
            #expect(answers.allSatisfy { $0.status == 201 || $0.code == "request_in_progress" })
            #expect(Set(answers.compactMap { $0.json["id"].string }).count == 1)
            let refused = try await together(2) {
                try await api.post("/v1/places", Self.office, as: store.token, headers: ["Idempotency-Key": "two"])
            }
            #expect(refused.allSatisfy { $0.code == "place_exists" || $0.code == "request_in_progress" })
        }
    }
}
