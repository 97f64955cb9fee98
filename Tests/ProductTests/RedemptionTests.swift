import HTTP
import TestSupport
import Testing

/// Redeeming the code of an invite, which is the only way in which a partnership begins.
@Suite(.database) struct RedemptionTests {
    private func invited(_ api: ServedProduct, _ store: Person, _ courier: Person) async throws -> String {
        let answer = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
        return try #require(answer.json["code"].string)
    }

    private func redeem(_ api: ServedProduct, _ code: String, _ courier: Person) async throws -> Answer {
        try await api.post("/v1/partners", ["code": .string(code)], as: courier.token)
    }

    private func partners(_ api: ServedProduct) async throws -> Int {
        try await api.execute("SELECT FROM partners").count
    }

    @Test func `redeeming a code makes the partnership`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier())
            let answer = try await redeem(api, try await invited(api, store, courier), courier)
            #expect(answer.status == 201 && answer.json["store"]["id"] == .string(store.id))
            #expect(answer.json["store"].names == ["id", "name", "address", "phone"])
            let stores = try await api.get("/v1/partners", as: courier.token).items
            #expect(stores.map { $0["name"] } == ["Kod Mare"])
            let couriers = try await api.get("/v1/partners", as: store.token).items
            #expect(couriers.map { $0["id"] } == [.string(courier.id)])
        }
    }

    @Test func `a code is taken however it is typed`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let writings: [(String) -> String] = [
                { $0.lowercased() }, { $0.filter { $0 != "-" } },
                { " \($0.replacing("0", with: "o").replacing("1", with: "l")) " },
            ]
            for write in writings {
                let code = try await invited(api, try await api.store(), courier)
                #expect(try await redeem(api, write(code), courier).status == 201)
            }
        }
    }

    @Test func `every refusal has its code`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, other) = (try await api.store(), try await api.courier(), try await api.courier())
            for unknown in ["00000-00000", "nonsense", ""] {
                let answer = try await redeem(api, unknown, courier)
                #expect(answer.status == 404 && answer.code == "unknown_code")
            }
            #expect(try await api.post("/v1/partners", [:], as: courier.token).wrong == ["code": "required"])

            let code = try await invited(api, store, courier)
            let notTheirs = try await redeem(api, code, other)
            #expect(notTheirs.status == 403 && notTheirs.code == "code_not_yours")
            try await api.execute("UPDATE invites SET expires_at = now()")
            let expired = try await redeem(api, code, courier)
            #expect(expired.status == 410 && expired.code == "code_expired")

            let second = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            _ = try await api.call("DELETE", "/v1/invites/\(second["id"].string ?? "")", as: store.token)
            let revoked = try await redeem(api, second["code"].string ?? "", courier)
            #expect(revoked.status == 410 && revoked.code == "code_revoked")

            let third = try await invited(api, store, courier)
            #expect(try await redeem(api, third, courier).status == 201)
            let again = try await redeem(api, third, courier)
            #expect(again.status == 409 && again.code == "already_partner")
            try await api.execute("DELETE FROM partners")
            let used = try await redeem(api, third, courier)
            #expect(used.status == 410 && used.code == "code_used")
            #expect(try await partners(api) == 0)
        }
    }

    @Test func `the store is told in its language`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(language: "hr"), try await api.courier(name: ("Eva", "Ević")))
            _ = try await api.call("PUT", "/v1/me/devices/till", ["platform": "fcm"], as: store.token)
            _ = try await redeem(api, try await invited(api, store, courier), courier)
            let told = try await api.execute(
                """
                SELECT channel, address, language, body LIKE '%Eva Ević%', data->>'courier_id' FROM outbox
                WHERE kind = 'partner_joined'
                """)
            #expect(told == [["push", "till", "hr", "t", courier.id]])
        }
    }

    // MARK: With a registration

    @Test func `registering with the code makes the partner`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store(name: "Kod Mare")
            let form = SamplePeople.courierForm()
            let made = try await api.post("/v1/invites", ["phone": form["phone"]], as: store.token)
            let answer = try await api.post("/v1/couriers", form.with(["invite_code": made.json["code"]]))
            #expect(answer.status == 201 && answer.json["partner"]["store"]["name"] == "Kod Mare")
            #expect(try await partners(api) == 1)
        }
    }

    @Test func `registering first and redeeming then works too`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let courier = Person(id: "", token: "", login: SamplePeople.phone())
            let made = try await api.post("/v1/invites", ["phone": .string(courier.login)], as: store.token)
            let registered = try await api.post(
                "/v1/couriers", SamplePeople.courierForm().with(["phone": .string(courier.login)]))
            let token = registered.json["session"]["token"].string
            #expect(try await api.post("/v1/partners", ["code": made.json["code"]], as: token).status == 201)
        }
    }

    @Test func `a bad code refuses the whole registration`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let form = SamplePeople.courierForm()
            let mine = try await api.post("/v1/invites", ["phone": form["phone"]], as: store.token).json
            let others = try await api.post("/v1/invites", ["phone": "+385999999999"], as: store.token).json
            func register(_ code: JSON) async throws -> Answer {
                try await api.post("/v1/couriers", form.with(["invite_code": code]))
            }
            #expect(try await register("00000-00000").code == "unknown_code")
            #expect(try await register(others["code"]).code == "code_not_yours")
            try await api.execute("UPDATE invites SET expires_at = now() + interval '1 day' * 0")
            #expect(try await register(mine["code"]).code == "code_expired")
            try await api.execute("UPDATE invites SET expires_at = now() + interval '1 day', state = 'revoked'")
            #expect(try await register(mine["code"]).code == "code_revoked")
            #expect(try await api.execute("SELECT FROM couriers").isEmpty)
            #expect(try await api.execute("SELECT FROM accounts").count == 1)
            #expect(try await api.execute("SELECT FROM sessions").count == 1)
        }
    }

    // MARK: At once

    @Test func `a code is redeemed once`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            for _ in 0..<100 {
                let code = try await invited(api, try await api.store(), courier)
                let answers = try await together(20) { try await redeem(api, code, courier) }
                #expect(answers.count { $0.status == 201 } == 1)
                #expect(answers.count { $0.status == 409 && $0.code == "already_partner" } == 19)
            }
            #expect(try await partners(api) == 100)
            #expect(try await api.execute("SELECT FROM invites WHERE state = 'redeemed'").count == 100)
        }
    }

    @Test func `an invite is either redeemed or taken back`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            for _ in 0..<100 {
                let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
                let (id, code) = (made["id"].string ?? "", made["code"].string ?? "")
                async let revoked = api.call("DELETE", "/v1/invites/\(id)", as: store.token)
                async let redeemed = redeem(api, code, courier)
                let statuses = [try await revoked.status, try await redeemed.status]
                #expect(statuses == [204, 410] || statuses == [410, 201])
                #expect(try await partners(api) == (statuses == [410, 201] ? 1 : 0))
                try await api.execute("DELETE FROM partners")
            }
        }
    }

    @Test func `two invites of one store make one partnership`() async throws {
        try await ServedProduct.serving { api in
            for _ in 0..<100 {
                let (store, courier) = (try await api.store(), try await api.courier())
                let first = try await invited(api, store, courier)
                // The first looks as if it was made for the number before it was registered.
                try await api.execute(
                    "UPDATE invites SET courier_id = NULL, phone = '+385900000000' WHERE store_id = '\(store.id)'")
                let second = try await invited(api, store, courier)
                try await api.execute(
                    "UPDATE invites SET phone = '\(courier.login)' WHERE phone = '+385900000000'")
                async let one = redeem(api, first, courier)
                async let other = redeem(api, second, courier)
                #expect([try await one.status, try await other.status].sorted() == [201, 409])
            }
        }
    }
}
