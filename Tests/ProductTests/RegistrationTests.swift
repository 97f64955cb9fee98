import HTTP
import TestSupport
import Testing

/// Section 3 of the contract: registration.
@Suite(.database) struct RegistrationTests {
    @Test func `a store registers and is signed in`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.storeForm()
            let answer = try await api.post("/v1/stores", form.with(["something": 1]))
            #expect(answer.status == 201)
            let account = answer.json["account"]
            for name in ["email", "name", "tax_id", "address", "phone"] { #expect(account[name] == form[name]) }
            #expect(account["kind"] == "store" && account["language"] == "en")
            #expect(account["notifications_enabled"] == true)
            let token = try #require(answer.json["session"]["token"].string)
            #expect(token.utf8.count == 43)
            let me = try await api.get("/v1/me", as: token)
            #expect(me.status == 200 && me.json == account)
        }
    }

    @Test func `a courier registers and is signed in`() async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post("/v1/couriers", SamplePeople.courierForm().with(["language": "hr"]))
            #expect(answer.status == 201)
            let account = answer.json["account"]
            #expect(account["kind"] == "courier" && account["language"] == "hr")
            #expect(account["stats"] == ["accepted": 0, "delivered": 0, "cancelled": 0, "declined": 0, "excused": 0])
            #expect(answer.json["partner"] == .null)
            #expect(answer.json["session"]["expires_at"].string?.hasSuffix("Z") == true)
        }
    }

    @Test func `the language is that of the request unless it is said`() async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post(
                "/v1/couriers", SamplePeople.courierForm(), headers: ["Accept-Language": "fr, hr;q=0.8, en;q=0.5"])
            #expect(answer.json["account"]["language"] == "hr")
        }
    }

    @Test func `every wrong field is named at once`() async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post(
                "/v1/stores",
                [
                    "email": "nobody@", "password": "short", "name": " ", "tax_id": "12345678901", "phone": 91,
                    "language": "tlh",
                ])
            #expect(answer.status == 422 && answer.code == "validation_failed")
            #expect(
                answer.wrong == [
                    "email": "invalid_email", "password": "password_too_short", "name": "required",
                    "tax_id": "invalid_tax_id", "address": "required", "phone": "wrong_type",
                    "language": "unknown_language",
                ])
        }
    }

    @Test(arguments: [
        ("/v1/stores", "password", "12345678", "password_too_common"),
        ("/v1/stores", "password_confirmation", "another one", "password_mismatch"),
        ("/v1/stores", "name", String(repeating: "x", count: 101), "too_long"),
        ("/v1/stores", "address", "Ilica\u{0} 1", "control_characters"),
        ("/v1/couriers", "phone", "12 34", "invalid_phone"),
        ("/v1/couriers", "first_name", "Ana\u{202E}", "control_characters"),
    ])
    func `a field that is wrong is refused`(_ path: String, _ field: String, _ value: String, _ code: String)
        async throws
    {
        try await ServedProduct.serving { api in
            let form = path == "/v1/stores" ? SamplePeople.storeForm() : SamplePeople.courierForm()
            let answer = try await api.post(path, form.with([field: .string(value)]))
            #expect(answer.status == 422 && answer.wrong == [field: code])
            #expect(try await api.execute("SELECT FROM accounts").isEmpty)
        }
    }

    @Test(arguments: [("email", "email_taken"), ("tax_id", "tax_id_taken")])
    func `an address or OIB of another store is refused`(_ field: String, _ code: String) async throws {
        try await ServedProduct.serving { api in
            let first = SamplePeople.storeForm()
            try #require(try await api.post("/v1/stores", first).status == 201)
            let taken = first[field].string.map { JSON.string(field == "email" ? $0.uppercased() : $0) } ?? .null
            let answer = try await api.post("/v1/stores", SamplePeople.storeForm().with([field: taken]))
            #expect(answer.status == 409 && answer.code == code)
            #expect(try await api.execute("SELECT FROM accounts").count == 1)
        }
    }

    /// However a number is written, it has one account.
    @Test func `one number has one courier`() async throws {
        try await ServedProduct.serving { api in
            for phone in ["+385 91 234-5678", "00385912345678", "091/234 5678", "(091) 2345678"] {
                let answer = try await api.post(
                    "/v1/couriers", SamplePeople.courierForm().with(["phone": .string(phone)]))
                #expect(answer.status == (phone.hasPrefix("+") ? 201 : 409))
                #expect(answer.code == (phone.hasPrefix("+") ? nil : "phone_taken"))
            }
        }
    }

    @Test(arguments: ["email", "tax_id", "phone"])
    func `one of many registrations at once wins`(_ field: String) async throws {
        try await ServedProduct.serving { api in
            let (path, form) =
                field == "phone" ? ("/v1/couriers", SamplePeople.courierForm) : ("/v1/stores", SamplePeople.storeForm)
            let shared = form()[field]
            let answers = try await together(8) {
                // Where too many wait for their passwords to be hashed, some are asked to come again.
                while true {
                    let answer = try await api.post(path, form().with([field: shared]))
                    if answer.status != 503 { return answer }
                }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.status == 409 && $0.code == "\(field)_taken" } == 7)
            #expect(try await api.execute("SELECT FROM accounts").count == 1)
            #expect(try await api.execute("SELECT FROM sessions").count == 1)
        }
    }

    /// The database itself accepts no registration that the rules refuse.
    @Test(arguments: [
        ("UPDATE stores SET tax_id = '12345678901'", "store_tax_id"),
        ("UPDATE stores SET phone = '091'", "store_phone"),
        ("UPDATE stores SET email = 'x'", "store_email"), ("UPDATE stores SET name = ''", "store_name"),
        ("UPDATE accounts SET password_hash = 'krumpir'", "account_password_is_hashed"),
        ("UPDATE accounts SET kind = 'admin'", "account_kind"),
    ])
    func `changes by hand in the database are held to the rules`(_ sql: String, _ constraint: String) async throws {
        try await ServedProduct.serving { api in
            _ = try await api.store()
            await expectRefusal(by: constraint) { try await api.execute(sql) }
        }
    }
}
