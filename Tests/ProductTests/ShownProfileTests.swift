import Domain
import HTTP
import TestSupport
import Testing

/// What accounts show of themselves, and to whom.
@Suite(.database) struct ShownProfileTests {
    private func show(_ change: JSON, _ api: ServedProduct, _ person: Person) async throws -> Answer {
        try await api.call("PATCH", "/v1/me", change, as: person.token)
    }

    @Test func `an account shows a picture and a description, changes them and takes them away`() async throws {
        try await ServedProduct.serving { api in
            for person in [try await api.store(), try await api.courier()] {
                let before = try await api.get("/v1/me", as: person.token).json
                #expect(before["picture"] == nil && before["description"] == nil && before["public_profile"] == false)
                let (first, second) = (try await api.picture(of: person), try await api.picture(of: person))
                let told = try await show(
                    ["picture": .string(first.description), "description": "Vozim\nbicikl"], api, person)
                #expect(told.status == 200)
                #expect(told.json["picture"].string == first.description && told.json["description"] == "Vozim\nbicikl")
                // The same once more is no mistake.
                #expect(try await show(["picture": .string(first.description)], api, person).status == 200)
                #expect(try await show(["picture": .string(second.description)], api, person).status == 200)
                #expect(try await api.look(at: first, as: person).status == 404)
                let none = try await show(["picture": nil, "description": nil], api, person)
                #expect(none.json["picture"] == nil && none.json["description"] == nil)
                #expect(try await api.look(at: second, as: person).status == 404)
                let others = try await api.picture(of: try await api.courier())
                let refused = try await show(
                    ["picture": .string(others.description), "description": "Ne"], api, person)
                #expect(refused.status == 422 && refused.code == "unknown_file")
                #expect(try await api.get("/v1/me", as: person.token).json["description"] == nil)
                let long = String(repeating: "š", count: 501)
                #expect(try await show(["description": .string(String(long.dropLast()))], api, person).status == 200)
                #expect(
                    try await show(["description": .string(long)], api, person).wrong == ["description": "too_long"])
            }
        }
    }

    @Test func `partners see both, and stores who are none only what is public`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let other = try await api.store()
            let (face, sign) = (try await api.picture(of: courier), try await api.picture(of: store))
            _ = try await show(["picture": .string(face.description), "description": "Vozim"], api, courier)
            _ = try await show(["picture": .string(sign.description), "description": "Pečemo"], api, store)
            func listed(_ person: Person, _ path: String) async throws -> JSON {
                let found = try await api.get(path, as: person.token).items
                return found.first { [courier.id, store.id].contains($0["id"].string) } ?? nil
            }
            let directory = ["", "?q=ana", "?sort=reliability", "?q=ana&sort=reliability"].map { "/v1/couriers" + $0 }
            for path in directory + ["/v1/partners"] {
                let seen = try await listed(store, path)
                #expect(seen["picture"].string == face.description && seen["description"] == "Vozim", "\(path)")
            }
            let seen = try await listed(courier, "/v1/partners")
            #expect(seen["picture"].string == sign.description && seen["description"] == "Pečemo")
            #expect(try await api.conversation(id, of: store)["with"]["picture"].string == face.description)
            for path in directory {
                let hidden = try await listed(other, path)
                #expect(hidden["id"].string == courier.id, "\(path)")
                #expect(hidden["picture"] == nil && hidden["description"] == nil, "\(path)")
            }
            #expect(try await api.look(at: face, as: store).status == 200)
            #expect(try await api.look(at: sign, as: courier).status == 200)
            for picture in [face, sign] { #expect(try await api.look(at: picture, as: other).status == 404) }
            _ = try await show(["public_profile": true], api, courier)
            for path in directory {
                let open = try await listed(other, path)
                #expect(open["picture"].string == face.description && open["description"] == "Vozim", "\(path)")
            }
            #expect(try await api.look(at: face, as: other).status == 200)
            #expect(try await api.look(at: face, as: try await api.courier()).status == 404)
            _ = try await show(["public_profile": false], api, courier)
            try await api.endPartnership(store, courier)
            #expect(try await api.look(at: face, as: store).status == 404)
            #expect(try await api.look(at: sign, as: courier).status == 404)
            #expect(try await api.conversation(id, of: store)["with"]["picture"] == nil)
        }
    }

    @Test func `of two pictures shown at once one stays, and the other is gone`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            var pictures: [ID] = []
            for _ in 0..<4 { pictures.append(try await api.picture(of: courier)) }
            let answers = try await together(pictures) {
                try await show(["picture": .string($0.description)], api, courier)
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(try await api.execute("SELECT count(*) FROM files") == [["1"]])
            #expect(
                try await api.execute("SELECT count(*) FROM files f JOIN accounts a ON a.picture = f.id") == [["1"]])
        }
    }
}
