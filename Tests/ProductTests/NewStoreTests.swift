import Domain
import HTTP
import TestSupport
import Testing

/// How many new stores there may be, and what they may do at first.
@Suite(.database) struct NewStoreTests {
    @Test func `five stores an hour come from one address, and who insists waits for longer`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            for _ in 0..<5 { #expect(try await api.post("/v1/stores", SamplePeople.storeForm()).status == 201) }
            var waits: [Int] = []
            for _ in 0..<4 {
                let refused = try await api.post("/v1/stores", SamplePeople.storeForm())
                #expect(refused.status == 429)
                waits.append(refused.reply.header("retry-after").flatMap { Int($0) } ?? 0)
            }
            #expect(waits == waits.sorted() && (waits.last ?? 0) > (waits.first ?? 0) + 1800)
            // Couriers register as before.
            #expect(try await api.post("/v1/couriers", SamplePeople.courierForm()).status == 201)
        }
    }

    /// Who has a whole range of addresses is one subscriber all the same.
    @Test(arguments: [
        ("203.0.113.%", "203.0.113.77", "203.0.114.77"), ("2001:db8:7:1::%", "2001:db8:7:1:a::", "2001:db8:8::1"),
        ("2001:db8:7:%::1", "2001:db8:7:ff::1", "2001:db8:9::1"),
        ("2001:db8:7:%00::1", "2001:db8:7:ff00::1", "2001:db8:a::1"),
    ])
    func `neighbours have five stores an hour together`(near: String, next: String, far: String) async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            func register(from address: String) async throws -> Int {
                try await api.post("/v1/stores", SamplePeople.storeForm(), headers: ["X-Forwarded-For": address]).status
            }
            var answers: [Int] = []
            for address in (1...5).map({ near.replacing("%", with: "\($0)") }) + [next, far] {
                answers.append(try await register(from: address))
            }
            #expect(answers == [201, 201, 201, 201, 201, 429, 201])
        }
    }

    @Test func `a store that waits for approval signs in, reads and changes itself, and no more`() async throws {
        var trust = Trust()
        trust.storeApproval = true
        try await ServedProduct.serving(trust: trust) { api in
            let form = SamplePeople.storeForm()
            let registered = try await api.post("/v1/stores", form)
            #expect(registered.status == 201)
            let (token, id) = (
                registered.json["session"]["token"].string ?? "", registered.json["account"]["id"].string ?? ""
            )
            let store = Person(id: id, token: token, login: form["email"].string ?? "")
            let courier = try await api.courier()
            try await api.join(store, courier)
            #expect(try await api.get("/v1/me", as: token).status == 200)
            #expect(try await api.call("PATCH", "/v1/me", ["name": "Klas"], as: token).status == 200)
            let invitation: JSON = ["phone": .string(SamplePeople.phone())]
            #expect(try await api.post("/v1/invites", invitation, as: token).code == "not_approved")
            let delivery = SampleDelivery.form(to: [courier])
            #expect(try await api.post("/v1/deliveries", delivery, as: token).code == "not_approved")
            // What it says of the road would be read by everybody, and five of its kind would remove what others said.
            let danger: JSON = [
                "kind": "danger", "road_type": "city", "title": "Ulje", "location": ["lat": 45, "lon": 16],
            ]
            #expect(try await api.post("/v1/roads", danger, as: token).code == "not_approved")
            let report = try await api.post("/v1/roads", danger, as: courier.token)
            for vote in ["gone", "still_there"] {
                let path = "/v1/roads/\(report.json["id"].string ?? "")/\(vote)"
                #expect(try await api.post(path, as: token).code == "not_approved")
            }
            // Sessions that are remembered hear of it.
            try await api.execute("UPDATE accounts SET approved = true WHERE id = '\(id)'")
            try await eventually { try await api.post("/v1/deliveries", delivery, as: token).status == 201 }
            #expect(try await api.post("/v1/invites", invitation, as: token).status == 201)
        }
    }
}
