import HTTP
import TestSupport
import Testing

/// Partnerships, and what stores may know of couriers.
@Suite(.database) struct PartnerTests {
    @Test func `both sides see the other by name`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier(name: ("Eva", "Ević")))
            let (first, second) = (try await api.courier(name: ("Ana", "Ević")), try await api.store(name: "aprikoza"))
            for (store, courier) in [(store, courier), (store, first), (second, courier)] {
                try await api.join(store, courier)
            }
            let couriers = try await api.get("/v1/partners", as: store.token).items
            #expect(couriers.map { $0["first_name"] } == ["Ana", "Eva"])
            #expect(couriers[1]["phone"] == .string(courier.login) && couriers[1]["stats"]["accepted"] == 0)
            let stores = try await api.get("/v1/partners", as: courier.token).items
            #expect(stores.map { $0["name"] } == ["aprikoza", "Kod Mare"])
            #expect(
                stores[0].names == ["id", "name", "address", "phone", "since", "location", "picture", "description"])
            for person in [store, courier] {
                let page = try await api.get("/v1/partners?limit=1", as: person.token)
                let cursor = try #require(page.json["next_cursor"].string)
                let next = try await api.get("/v1/partners?limit=1&cursor=\(cursor)", as: person.token)
                #expect(page.items + next.items == (try await api.get("/v1/partners", as: person.token).items))
            }
        }
    }

    @Test func `the directory shows numbers of partners only`() async throws {
        try await ServedProduct.serving { api in
            let (store, partner) = (try await api.store(), try await api.courier(name: ("Eva", "Ević")))
            _ = try await api.courier(name: ("Ana", "100%"))
            try await api.join(store, partner)
            try await api.join(try await api.store(), try await api.courier(name: ("Iva", "Ivić")))
            func list(_ query: String) async throws -> [JSON] {
                try await api.get("/v1/couriers\(query)", as: store.token).items
            }
            let all = try await list("")
            #expect(all.map { $0["first_name"] } == ["Ana", "Eva", "Iva"])
            #expect(all.map { $0["partner"] } == [false, true, false])
            #expect(all.map { $0["phone"] } == [.null, .string(partner.login), .null])
            #expect(try await list("?partner=true").map { $0["first_name"] } == ["Eva"])
            #expect(try await list("?partner=false").map { $0["first_name"] } == ["Ana", "Iva"])
            #expect(try await list("?q=eV").map { $0["first_name"] } == ["Eva"])
            #expect(try await list("?q=IVI%C4%87%20iv").map { $0["first_name"] } == ["Iva"])
            #expect(try await list("?q=100%25").map { $0["first_name"] } == ["Ana"])
            for nobody in ["%25", "_", "eva%20ivic", "91'"] { #expect(try await list("?q=\(nobody)").isEmpty) }
            #expect(try await list("?q=e&partner=false").isEmpty)
            #expect(try await list("?q=e&partner=true").map { $0["first_name"] } == ["Eva"])
            #expect(try await list("?q=\(partner.login.dropFirst(4))").map { $0["first_name"] } == ["Eva"])
            let wrong = try await api.get("/v1/couriers?partner=yes", as: store.token)
            #expect(wrong.status == 422 && wrong.wrong == ["partner": "wrong_type"])
        }
    }

    @Test func `the directory goes page by page`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            // Their names are equal, so that only the id distinguishes them.
            for _ in 0..<7 { _ = try await api.courier() }
            var (seen, cursor): ([JSON], String?) = ([], nil)
            repeat {
                let page = try await api.get(
                    "/v1/couriers?limit=3" + (cursor.map { "&cursor=\($0)" } ?? ""), as: store.token)
                seen += page.items
                cursor = page.json["next_cursor"].string
                _ = try await api.courier(name: ("Aaa", "Aaa"))
            } while cursor != nil
            #expect(Set(seen.compactMap { $0["id"].string }).count == 7)
        }
    }

    @Test func `only the store ends a partnership`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier(language: "hr"))
            _ = try await api.call("PUT", "/v1/me/devices/bike", ["platform": "apns"], as: courier.token)
            try await api.join(store, courier)
            let path = "/v1/partners/\(courier.id)"
            #expect(try await api.call("DELETE", "/v1/partners/\(store.id)", as: courier.token).status == 403)
            #expect(try await api.call("DELETE", path, as: try await api.store().token).status == 404)
            #expect(try await api.call("DELETE", "\(path)?release=perhaps", as: store.token).status == 422)
            #expect(try await api.call("DELETE", path, as: store.token).status == 204)
            #expect(try await api.call("DELETE", path, as: store.token).status == 404)
            #expect(try await api.get("/v1/partners", as: courier.token).items.isEmpty)
            let told = try await api.execute(
                "SELECT address, platform, language, body LIKE '%Kod Mare%' FROM outbox WHERE kind = 'partnership_ended'"
            )
            #expect(told == [["bike", "apns", "hr", "t"]])
        }
    }

    @Test func `a partnership that has ended can begin again`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            for _ in 0..<2 {
                let code = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json[
                    "code"]
                #expect(try await api.post("/v1/partners", ["code": code], as: courier.token).status == 201)
                #expect(try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token).status == 204)
            }
        }
    }

    @Test func `cancellations hide from others whose deliveries they were`() async throws {
        try await ServedProduct.serving { api in
            let (store, other) = (try await api.store(name: "Kod Mare"), try await api.store())
            let courier = try await api.courier()
            try await api.execute(
                """
                INSERT INTO cancellations (id, courier_id, store_id, delivery_id, reason)
                VALUES (gen_random_uuid(), '\(courier.id)', '\(store.id)', gen_random_uuid(), 'flat tyre')
                """)
            let path = "/v1/couriers/\(courier.id)/cancellations"
            for reader in [store, courier] {
                let items = try await api.get(path, as: reader.token).items
                #expect(
                    items.count == 1 && items[0]["reason"] == "other" && items[0]["note"] == "flat tyre"
                        && items[0]["store"]["name"] == "Kod Mare")
                #expect(items[0]["delivery_id"].string != nil)
            }
            let hidden = try await api.get(path, as: other.token).items
            #expect(hidden.count == 1 && hidden[0].names == ["id", "at", "reason", "state"])
            #expect(try await api.get(path, as: try await api.courier().token).status == 404)
            #expect(try await api.get("/v1/couriers/\(store.id)/cancellations", as: store.token).status == 404)
            await expectRefusal(by: "cancellations_never_rewritten") {
                try await api.execute("UPDATE cancellations SET at = now()")
            }
        }
    }
}
