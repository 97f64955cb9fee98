import HTTP
import TestSupport
import Testing

/// What an account is told of when it happens to it, and how long a session may last.
@Suite(.database) struct SecurityNoticeTests {
    private let phone = ["User-Agent": "phone"]

    private func signIn(_ api: ServedProduct, _ who: Person, _ headers: [String: String]) async throws -> Answer {
        try await api.post(
            "/v1/sessions", ["email": .string(who.login), "password": .string(SamplePeople.password)], headers: headers)
    }

    @Test func `a sign-in by another device or from another address is told, and only the first`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.registerStore()
            for headers in [phone, phone, phone.merging(["X-Forwarded-For": "203.0.113.9"]) { $1 }, phone] {
                #expect(try await signIn(api, store, headers).status == 201)
            }
            let told = try await api.execute("SELECT channel, address, body FROM outbox ORDER BY seq")
            #expect(told.map { $0[0] } == ["email", "email"] && told.map { $0[1] } == [store.login, store.login])
            #expect(told[0][2]?.contains("127.0.0.1") == true && told[1][2]?.contains("203.0.113.9") == true)
            #expect(try await api.kinds(to: store.login) == ["new_device", "new_device"])
        }
    }

    /// Browsers take another address of version 6 every day.
    @Test func `a network of version 6 is one place`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.registerStore()
            for host in 1...3 {
                let home = phone.merging(["X-Forwarded-For": "2001:db8:0:7::\(host)"]) { $1 }
                #expect(try await signIn(api, store, home).status == 201)
            }
            #expect(try await api.kinds(to: store.login) == ["new_device"])
            // Sessions say from which address exactly.
            let sessions = try await api.get("/v1/sessions", as: store.token).items
            #expect(sessions.compactMap { $0["address"].string }.contains("2001:db8:0:7::3"))
            // So whoever is at home is not held up by strangers.
            try await api.execute(
                "INSERT INTO throttles SELECT sha256(convert_to('sign-in of ' || lower('\(store.login)'), 'UTF8')), "
                    + "now() + interval '1 hour'")
            func again(_ address: String) async throws -> Int {
                try await signIn(api, store, phone.merging(["X-Forwarded-For": address]) { $1 }).status
            }
            #expect(try await again("2001:db8:0:8::4") == 429)
            #expect(try await again("2001:db8:0:7::4") == 201)
        }
    }

    /// A device may be in other hands.
    @Test func `nothing of this goes by push`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.registerStore()
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: store.token)
            _ = try await signIn(api, store, phone)
            #expect(try await api.execute("SELECT FROM outbox WHERE channel = 'push'").isEmpty)
        }
    }

    @Test func `a changed password and an ended session are told`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.registerStore()
            let token = try #require(try await signIn(api, store, [:]).json["token"].string)
            let other = try await api.get("/v1/sessions", as: token).items.first { $0["current"] == false }
            let id = try #require(other?["id"].string)
            #expect(try await api.call("DELETE", "/v1/sessions/\(id)", as: token).status == 204)
            let change: JSON = [
                "current_password": .string(SamplePeople.password), "new_password": "palačinke-s-orasima",
            ]
            #expect(try await api.call("PUT", "/v1/me/password", change, as: token).status == 204)
            #expect(try await api.kinds(to: store.login) == ["session_ended", "password_changed"])
            // Who signs out knows it.
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: token).status == 204)
            #expect(try await api.kinds(to: store.login).count == 2)
        }
    }

    @Test func `a new password by a code is told`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let id = try await api.post("/v1/password_resets", ["phone": .string(courier.login)]).json["reset_id"]
            let code = try await api.code(to: courier.login, kind: "password_reset")
            _ = try await api.call(
                "PUT", "/v1/password_resets",
                ["reset_id": id, "code": .string(code), "new_password": "palačinke-s-orasima"])
            #expect(try await api.kinds(to: courier.login) == ["password_changed"])
        }
    }

    // MARK: Sessions

    @Test func `no session lasts longer than half a year`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await api.execute(
                "UPDATE sessions SET created_at = now() - interval '170 days', used_at = now() - interval '2 hours'")
            #expect(try await api.get("/v1/me", as: store.token).status == 200)
            let left =
                "SELECT expires_at BETWEEN now() + interval '9 days' AND now() + interval '10 days' FROM sessions"
            #expect(try await api.execute(left) == [["t"]])
        }
    }

    @Test func `where people come by TLS browsers keep to it, and the cookie is of this very host`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let store = try await api.registerStore()
            let answer = try await api.post(
                "/v1/sessions",
                ["email": .string(store.login), "password": .string(SamplePeople.password), "cookie": true])
            let cookie = try #require(answer.reply.header("set-cookie"))
            #expect(
                cookie.hasPrefix("__Host-kurir_session=") && cookie.contains("Secure") && cookie.contains("Path=/;"))
            #expect(answer.reply.header("strict-transport-security") == "max-age=31536000")
            let refused = try await api.get("/v1/me")
            #expect(refused.reply.header("strict-transport-security") == "max-age=31536000")
            // A neighbour of the host can set a cookie only without the prefix.
            let token = cookie.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
            #expect(try await api.get("/v1/me", headers: ["Cookie": "kurir_session=\(token)"]).status == 401)
            #expect(try await api.get("/v1/me", headers: ["Cookie": "__Host-kurir_session=\(token)"]).status == 200)
        }
    }

    @Test func `nobody is held to TLS where there is none`() async throws {
        try await ServedProduct.serving { api in
            let plain = try await api.get("/v1/about")
            #expect(plain.status == 200 && plain.reply.header("strict-transport-security") == nil)
        }
    }

    @Test func `a cookie that comes twice is refused`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let pair = "kurir_session=\(store.token)"
            #expect(try await api.get("/v1/me", headers: ["Cookie": pair]).status == 200)
            for doubled in ["\(pair); kurir_session=planted", "kurir_session=planted; \(pair)", "\(pair); \(pair)"] {
                let answer = try await api.get("/v1/me", headers: ["Cookie": doubled])
                #expect(answer.status == 400 && answer.code == "bad_request")
            }
        }
    }

    @Test func `a field that says who calls, or which request it is, comes once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let other = try await api.store()
            let doubled = ["authorization": "Bearer \(other.token)"]
            #expect(try await api.get("/v1/me", as: store.token, headers: doubled).code == "bad_request")
            #expect(try await api.get("/v1/outbox/stats", as: "key", headers: doubled).code == "bad_request")
            let answer = try await api.post(
                "/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token,
                headers: ["Idempotency-Key": "one", "idempotency-key": "other"])
            #expect(answer.status == 400 && answer.json["detail"].string?.contains("idempotency-key") == true)
        }
    }

    @Test func `a body that is said to be two things is refused`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.storeForm()
            let said = ["Content-Type": "application/json", "content-type": "text/plain"]
            let refused = try await api.post("/v1/stores", form, headers: said)
            #expect(refused.status == 415 && refused.code == "unsupported_media_type")
        }
    }

    @Test func `a body that is said to be compressed is refused`() async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post(
                "/v1/stores", SamplePeople.storeForm(), headers: ["Content-Encoding": "gzip"])
            #expect(answer.status == 415 && answer.code == "unsupported_media_type")
        }
    }

    // MARK: Passwords

    @Test func `a password is no name, address or number of one's own`() async throws {
        try await ServedProduct.serving { api in
            for password in ["Pekara2026!", "mare.1234567", "MARE-MARE-1", "kurir-2026", "primjer12345"] {
                let form = SamplePeople.storeForm().with(["email": "mare@primjer.hr", "password": .string(password)])
                let answer = try await api.post("/v1/stores", form)
                #expect(answer.wrong == ["password": "password_too_personal"], "\(password)")
            }
            for password in ["Anić12345", "anic-1990", "ana.anic.1", "0912223334"] {
                let form = SamplePeople.courierForm().with(["phone": "+385912223334", "password": .string(password)])
                let answer = try await api.post("/v1/couriers", form)
                #expect(answer.wrong == ["password": "password_too_personal"], "\(password)")
            }
            let store = try await api.registerStore()
            let change: JSON = ["current_password": .string(SamplePeople.password), "new_password": "pekara123456"]
            let answer = try await api.call("PUT", "/v1/me/password", change, as: store.token)
            #expect(answer.wrong == ["new_password": "password_too_personal"])
            let both = try await api.call(
                "PUT", "/v1/me/password", change.with(["current_password": "ovo-nije-to"]), as: store.token)
            #expect(
                both.wrong == ["current_password": "wrong_password", "new_password": "password_too_personal"])
            let id = try await api.post("/v1/password_resets", ["email": .string(store.login)]).json["reset_id"]
            let code = try await api.code(to: store.login, kind: "password_reset")
            let form: JSON = ["reset_id": id, "code": .string(code)]
            func reset(to password: String) async throws -> Answer {
                try await api.call("PUT", "/v1/password_resets", form.with(["new_password": .string(password)]))
            }
            // The code was right each time: that is none of its five tries.
            for number in 0..<6 {
                #expect(try await reset(to: "pekara12345\(number)").wrong == ["new_password": "password_too_personal"])
            }
            #expect(try await reset(to: "palačinke-s-orasima").status == 204)
        }
    }
}
