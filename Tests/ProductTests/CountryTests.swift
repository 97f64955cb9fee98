import HTTP
import TestSupport
import Testing

/// Stores of every country, and the numbers that couriers may have.
@Suite(.database) struct CountryTests {
    private func register(_ api: ServedProduct, _ more: [String: JSON]) async throws -> Answer {
        try await api.post("/v1/stores", SamplePeople.storeForm().with(more))
    }

    @Test(arguments: [
        ("AT", "ATU13585627", "AT", "U13585627"), ("de", "DE 136 695 976", "DE", "136695976"),
        ("EL", "EL 094259216", "GR", "094259216"), ("GR", "94259216", "GR", "094259216"),
        ("NL", "NL004495445B01", "NL", "004495445B01"), ("XI", "XI 980 7806 84", "GB", "980780684"),
        // Elsewhere only the form is looked at.
        ("GB", "123456789", "GB", "123456789"), ("US", "12-3456789", "US", "123456789"),
        ("RS", "RS 101 234 567", "RS", "101234567"), ("CH", "CHE-123.456.788 MWST", "CH", "CHE123456788MWST"),
    ])
    func `a store says its country, and has a number of that`(
        _ country: String, _ number: String, _ code: String, _ kept: String
    ) async throws {
        try await ServedProduct.serving { api in
            let answer = try await register(api, ["country": .string(country), "tax_id": .string(number)])
            try #require(answer.status == 201, "\(answer.json)")
            #expect(answer.json["account"]["country"].string == code)
            #expect(answer.json["account"]["tax_id"].string == kept)
            let me = try await api.get("/v1/me", as: answer.json["session"]["token"].string)
            #expect(me.json == answer.json["account"])
        }
    }

    @Test(
        arguments: [
            (["country": "DE", "tax_id": "136695975"], ["tax_id": "invalid_tax_id"]),
            (["country": "SI", "tax_id": "12345678903"], ["tax_id": "invalid_tax_id"]),
            (["country": "US", "tax_id": "?"], ["tax_id": "invalid_tax_id"]),
            (["country": "XI", "tax_id": "XI980780685"], ["tax_id": "invalid_tax_id"]),
            // Whose number it would be is not known then.
            (["country": "ZZ", "tax_id": "1"], ["country": "unknown_country"]),
            (["country": "Hrvatska"], ["country": "unknown_country"]),
            (["country": "ß"], ["country": "unknown_country"]),
        ] as [([String: JSON], [String: String])])
    func `a number that is none of its country is refused`(_ more: [String: JSON], _ wrong: [String: String])
        async throws
    {
        try await ServedProduct.serving { api in
            let answer = try await register(api, more)
            #expect(answer.status == 422 && answer.wrong == wrong, "\(answer.json)")
        }
    }

    @Test func `a number is taken in its country alone`() async throws {
        try await ServedProduct.serving { api in
            let form: [String: JSON] = ["country": "SI", "tax_id": "50223054"]
            #expect(try await register(api, form).status == 201)
            let again = try await register(api, ["country": "SI", "tax_id": "SI 50223054"])
            #expect(again.status == 409 && again.code == "tax_id_taken")
            #expect(try await register(api, ["country": "US", "tax_id": "50223054"]).status == 201)
        }
    }

    @Test func `a store moves to another country with a number of that`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            func change(_ form: JSON) async throws -> Answer {
                try await api.call("PATCH", "/v1/me", form, as: store.token)
            }
            let without = try await change(["country": "DE"])
            #expect(without.status == 422 && without.wrong == ["tax_id": "invalid_tax_id"])
            let moved = try await change(["country": "DE", "tax_id": "DE136695976"])
            #expect(moved.status == 200 && moved.json["country"] == "DE" && moved.json["tax_id"] == "136695976")
            let wrong = try await change(["tax_id": .string(SamplePeople.taxID())])
            #expect(wrong.status == 422 && wrong.wrong == ["tax_id": "invalid_tax_id"])
            #expect(try await change(["tax_id": "DE 136695976", "name": "Bäckerei"]).json["name"] == "Bäckerei")
        }
    }

    // MARK: Mobile numbers

    @Test(arguments: ["01 4828 111", "+385 21 312 345", "090 123 4567", "+385961234567"])
    func `a courier's number is a mobile one`(_ number: String) async throws {
        try await ServedProduct.serving { api in
            let refused = try await api.post(
                "/v1/couriers", SamplePeople.courierForm().with(["phone": .string(number)]))
            #expect(refused.status == 422 && refused.wrong == ["phone": "not_mobile"])
            let courier = try await api.registerCourier()
            let changed = try await api.change(phone: number, as: courier)
            #expect(changed.status == 422 && changed.wrong == ["phone": "not_mobile"])
            let store = try await api.store()
            let invited = try await api.post("/v1/invites", ["phone": .string(number)], as: store.token)
            #expect(invited.status == 422 && invited.wrong == ["phone": "not_mobile"])
            // A store is called, and gets no messages.
            #expect(try await register(api, ["phone": .string(number)]).status == 201)
        }
    }
}
