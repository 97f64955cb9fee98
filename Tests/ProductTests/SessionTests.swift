import HTTP
import TestSupport
import Testing

/// Signing in and out, and the sessions that an account has.
@Suite(.database) struct SessionTests {
    /// A store that has registered, and so can sign in.
    private func registered(_ api: ServedProduct) async throws -> (email: JSON, token: String) {
        let answer = try await api.post("/v1/stores", SamplePeople.storeForm())
        return (answer.json["account"]["email"], try #require(answer.json["session"]["token"].string))
    }

    private func signIn(_ api: ServedProduct, _ email: JSON, _ more: [String: JSON] = [:]) async throws -> Answer {
        let form: JSON = ["email": email, "password": .string(SamplePeople.password)]
        return try await api.post("/v1/sessions", form.with(more), headers: ["User-Agent": "phone"])
    }

    @Test func `a store signs in by its e-mail address in any case`() async throws {
        try await ServedProduct.serving { api in
            let (email, _) = try await registered(api)
            let answer = try await signIn(api, .string(email.string?.uppercased() ?? ""))
            #expect(answer.status == 201 && answer.json["account"]["email"] == email)
            #expect(try await api.get("/v1/me", as: answer.json["token"].string).status == 200)
        }
    }

    @Test func `a courier signs in by any writing of the number`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.courierForm().with(["phone": "+385912345678"])
            try #require(try await api.post("/v1/couriers", form).status == 201)
            let answer = try await api.post(
                "/v1/sessions", ["phone": "091 234-56-78", "password": .string(SamplePeople.password)])
            #expect(answer.status == 201 && answer.json["account"]["kind"] == "courier")
        }
    }

    /// One character to a reader can have thousands of bytes, of which the database takes 800.
    @Test(arguments: ["e" + String(repeating: "\u{301}", count: 5000), String(repeating: "👩‍👩‍👧‍👦", count: 300)])
    func `the name of a browser is cut by its bytes`(_ userAgent: String) async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post("/v1/stores", SamplePeople.storeForm(), headers: ["User-Agent": userAgent])
            try #require(answer.status == 201)
            let token = try #require(answer.json["session"]["token"].string)
            let listed = try await api.get("/v1/sessions", as: token).items[0]["user_agent"].string ?? ""
            #expect(userAgent.utf8.starts(with: listed.utf8))
            #expect((300...800).contains(listed.utf8.count))
        }
    }

    /// A wrong password and an unknown account look the same.
    @Test func `a refused sign-in does not tell what is wrong`() async throws {
        try await ServedProduct.serving { api in
            let (email, _) = try await registered(api)
            let wrongPassword = try await signIn(api, email, ["password": "wrong-password"])
            let wrongEmail = try await signIn(api, "nobody@example.com")
            for answer in [wrongPassword, wrongEmail] {
                #expect(answer.status == 401 && answer.code == "wrong_credentials")
            }
            #expect(wrongPassword.json.without("request_id") == wrongEmail.json.without("request_id"))
        }
    }

    @Test func `a password or login that is missing is named`() async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.post("/v1/sessions", ["cookie": "yes"])
            #expect(answer.status == 422)
            #expect(answer.wrong == ["email": "email_or_phone", "password": "required", "cookie": "wrong_type"])
            for name in ["email", "phone"] {
                let wrong = try await api.post("/v1/sessions", [name: ""]).wrong
                #expect(wrong == [name: "required", "password": "required"])
            }
        }
    }

    @Test func `a cookie holds the session instead`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (email, _) = try await registered(api)
            let answer = try await signIn(api, email, ["cookie": true])
            #expect(answer.status == 201 && answer.json.names == ["account", "expires_at"])
            let cookie = try #require(answer.reply.header("set-cookie"))
            for flag in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/"] { #expect(cookie.contains(flag)) }
            let pair = String(cookie.prefix { $0 != ";" })
            #expect(try await api.get("/v1/me", headers: ["Cookie": "theme=dark; \(pair)"]).status == 200)
        }
    }

    /// A session in use goes on for half a year, and so must what a browser has of it.
    @Test func `a browser keeps its cookie for as long as a session can last`() async throws {
        try await ServedProduct.serving { api in
            let form = SamplePeople.storeForm().with(["cookie": true])
            let registered = try await api.post("/v1/stores", form)
            let signedIn = try await signIn(api, form["email"], ["cookie": true])
            for answer in [registered, signedIn] {
                let cookie = try #require(answer.reply.header("set-cookie"))
                let age = try #require(cookie.firstMatch(of: #/Max-Age=([0-9]+)/#))
                #expect(Int(age.1) == 180 * 86400)
            }
        }
    }

    /// Another site can make a browser send the cookie, but it can neither pretend to be ours nor add a header.
    @Test(arguments: [
        ([:], 403), (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
        (["Sec-Fetch-Site": "same-origin"], 200), (["X-Requested-With": "kurir"], 200),
        (["Origin": "https://evil.example"], 403), (["Origin": "null"], 403),
        (["Origin": "http://127.0.0.1:PORT"], 200),
        (["Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "cross-site"], 403),
    ])
    func `a cookie alone changes nothing`(_ headers: [String: String], _ status: Int) async throws {
        try await ServedProduct.serving { api in
            let (email, _) = try await registered(api)
            let cookie = try await signIn(api, email, ["cookie": true]).reply.header("set-cookie") ?? ""
            let pair = String(cookie.prefix { $0 != ";" })
            let answer = try await api.call(
                "PATCH", "/v1/me", ["name": "Other"],
                headers: headers.mapValues { $0.replacing("PORT", with: "\(api.port)") }.merging(["Cookie": pair]) {
                    $1
                })
            #expect(answer.status == status && answer.code == (status == 403 ? "forbidden" : nil))
        }
    }

    @Test func `sessions are listed newest first`() async throws {
        try await ServedProduct.serving { api in
            let (email, first) = try await registered(api)
            let second = try #require(try await signIn(api, email).json["token"].string)
            let sessions = try await api.get("/v1/sessions", as: second).items
            #expect(sessions.map { $0["current"] } == [true, false])
            #expect(sessions.first?["user_agent"] == "phone" && sessions.first?["address"] == "127.0.0.1")
            #expect(try await api.get("/v1/sessions", as: first).items.map { $0["current"] } == [false, true])
            let page = try await api.get("/v1/sessions?limit=1", as: first)
            let cursor = try #require(page.json["next_cursor"].string)
            let next = try await api.get("/v1/sessions?limit=1&cursor=\(cursor)", as: first)
            #expect(page.items + next.items == (try await api.get("/v1/sessions", as: first).items))
            #expect(next.json["next_cursor"] == .null)
        }
    }

    @Test func `a session ends at once`() async throws {
        try await ServedProduct.serving { api in
            let (email, first) = try await registered(api)
            let second = try #require(try await signIn(api, email).json["token"].string)
            for _ in 0..<4 { try #require(try await api.get("/v1/me", as: first).status == 200) }
            let id = try await api.get("/v1/sessions", as: second).items[1]["id"].string ?? ""
            #expect(try await api.call("DELETE", "/v1/sessions/\(id)", as: second).status == 204)
            // This holds on every loop, whichever takes the connection.
            for _ in 0..<8 { #expect(try await api.get("/v1/me", as: first).status == 401) }
            #expect(try await api.call("DELETE", "/v1/sessions/\(id)", as: second).status == 404)
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: second).status == 204)
            for _ in 0..<8 { #expect(try await api.get("/v1/me", as: second).status == 401) }
        }
    }

    @Test func `an expired session is none`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await api.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
            let answer = try await api.get("/v1/me", as: store.token)
            #expect(answer.status == 401 && answer.code == "unauthenticated")
            #expect(answer.reply.header("www-authenticate") == "Bearer")
        }
    }

    private let lastsThirtyDays = """
        SELECT expires_at BETWEEN now() + interval '29 days' AND now() + interval '30 days' FROM sessions
        ORDER BY id DESC LIMIT 1
        """

    @Test func `a session lasts thirty days from signing in`() async throws {
        try await ServedProduct.serving { api in
            let (email, _) = try await registered(api)
            #expect(try await api.execute(lastsThirtyDays) == [["t"]])
            let answer = try await signIn(api, email)
            #expect(answer.status == 201 && answer.json["expires_at"].string != nil)
            #expect(try await api.execute(lastsThirtyDays) == [["t"]])
        }
    }

    @Test func `a session in use lasts on`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await api.execute(
                "UPDATE sessions SET used_at = now() - interval '2 hours', expires_at = now() + interval '1 day'")
            #expect(try await api.get("/v1/me", as: store.token).status == 200)
            #expect(try await api.execute("SELECT now() - used_at < interval '1 hour' FROM sessions") == [["t"]])
            #expect(try await api.execute(lastsThirtyDays) == [["t"]])
        }
    }

    @Test(arguments: ["", "Bearer", "Basic abc", "Bearer x y", "Bearer " + String(repeating: "x", count: 2000)])
    func `a text that is no token signs nobody in`(_ authorization: String) async throws {
        try await ServedProduct.serving { api in
            let answer = try await api.get("/v1/me", headers: ["Authorization": authorization])
            #expect(answer.status == 401 && answer.code == "unauthenticated")
        }
    }

    /// Only the hashes of tokens are kept.
    @Test func `no token is in the database`() async throws {
        try await ServedProduct.serving { api in
            let (_, token) = try await registered(api)
            let rows = try await api.execute("SELECT sessions::text, accounts::text FROM sessions, accounts")
            #expect(
                !rows.joined().contains { $0?.contains(token) == true || $0?.contains(SamplePeople.password) == true })
        }
    }
}
