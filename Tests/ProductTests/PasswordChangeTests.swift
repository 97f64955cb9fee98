import HTTP
import TestSupport
import Testing

/// Changing a password, and getting a new one when the old one is forgotten.
@Suite(.database) struct PasswordChangeTests {
    private let newPassword = "palačinke-s-orasima"

    private func registered(_ api: API) async throws -> (form: JSON, token: String) {
        let form = People.storeForm().with(["language": "hr"])
        let answer = try await api.post("/v1/stores", form)
        return (form, try #require(answer.json["session"]["token"].string))
    }

    private func signIn(_ api: API, _ form: JSON, _ password: String) async throws -> Answer {
        try await api.post("/v1/sessions", ["email": form["email"], "password": .string(password)])
    }

    /// The code that was sent last.
    private func code(_ api: API) async throws -> String {
        let rows = try await api.execute(
            "SELECT data->>'code' FROM outbox WHERE kind = 'password_reset' ORDER BY seq DESC LIMIT 1")
        return try #require(rows.first?.first ?? nil)
    }

    private func reset(_ api: API, _ form: JSON, _ code: String) async throws -> Answer {
        try await api.call(
            "PUT", "/v1/password_resets",
            ["email": form["email"], "code": .string(code), "new_password": .string(newPassword)])
    }

    @Test func `a new password ends every other session`() async throws {
        try await API.serving { api in
            let (form, token) = try await registered(api)
            let other = try #require(try await signIn(api, form, People.password).json["token"].string)
            let change: JSON = ["current_password": .string(People.password), "new_password": .string(newPassword)]
            try #require(try await api.get("/v1/me", as: other).status == 200)
            #expect(try await api.call("PUT", "/v1/me/password", change, as: token).status == 204)
            for _ in 0..<4 {
                #expect(try await api.get("/v1/me", as: token).status == 200)
                #expect(try await api.get("/v1/me", as: other).status == 401)
            }
            #expect(try await signIn(api, form, People.password).status == 401)
            #expect(try await signIn(api, form, newPassword).status == 201)
        }
    }

    @Test func `a change of password asks for the current one`() async throws {
        try await API.serving { api in
            let (form, token) = try await registered(api)
            let answer = try await api.call(
                "PUT", "/v1/me/password", ["current_password": "wrong", "new_password": .string(newPassword)], as: token
            )
            #expect(answer.status == 422 && answer.wrong == ["current_password": "wrong_password"])
            let weak = try await api.call(
                "PUT", "/v1/me/password",
                ["current_password": .string(People.password), "new_password": "lozinka123"], as: token)
            #expect(weak.status == 422 && weak.wrong == ["new_password": "password_too_common"])
            #expect(try await signIn(api, form, People.password).status == 201)
        }
    }

    @Test func `a forgotten password is replaced by the code that was sent`() async throws {
        try await API.serving { api in
            let (form, token) = try await registered(api)
            #expect(try await api.post("/v1/password_resets", ["email": form["email"]]).status == 202)
            let sent = try await api.execute(
                "SELECT channel, address, language, body FROM outbox WHERE kind = 'password_reset'")
            let code = try await code(api)
            #expect(
                sent.count == 1 && sent[0][0] == "email" && sent[0][1] == form["email"].string && sent[0][2] == "hr")
            #expect(sent[0][3]?.contains(code) == true && sent[0][3]?.contains("15 minuta") == true)
            #expect(try await reset(api, form, code).status == 204)
            #expect(try await api.get("/v1/me", as: token).status == 401)
            #expect(try await signIn(api, form, newPassword).status == 201)
            let again = try await reset(api, form, code)
            #expect(again.status == 422 && again.code == "wrong_code")
        }
    }

    @Test func `a courier gets the code by SMS`() async throws {
        try await API.serving { api in
            let courier = try await api.courier()
            #expect(try await api.post("/v1/password_resets", ["phone": .string(courier.login)]).status == 202)
            let sent = try await api.execute("SELECT channel, address FROM outbox")
            #expect(sent == [["sms", courier.login]])
        }
    }

    @Test func `nobody learns whether there is an account`() async throws {
        try await API.serving { api in
            let answer = try await api.post("/v1/password_resets", ["email": "nobody@example.com"])
            #expect(answer.status == 202 && answer.reply.body.isEmpty)
            let reset = try await reset(api, ["email": "nobody@example.com"], "12345678")
            #expect(reset.status == 422 && reset.code == "wrong_code")
            #expect(try await api.execute("SELECT FROM outbox").isEmpty)
        }
    }

    @Test func `a code has five tries`() async throws {
        try await API.serving { api in
            let (form, _) = try await registered(api)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            let code = try await code(api)
            let wrong = code == "00000000" ? "11111111" : "00000000"
            for _ in 0..<4 { #expect(try await reset(api, form, wrong).code == "wrong_code") }
            #expect(try await reset(api, form, "\(code.prefix(4)) \(code.suffix(4))").status == 204)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            let next = try await self.code(api)
            for _ in 0..<5 { #expect(try await reset(api, form, next == wrong ? code : wrong).status == 422) }
            #expect(try await reset(api, form, next).code == "wrong_code")
        }
    }

    @Test func `ten tries at once count as the five allowed`() async throws {
        try await API.serving { api in
            let (form, _) = try await registered(api)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            _ = try await together(10) { try await reset(api, form, "00000000") }
            #expect(try await api.execute("SELECT tries_left FROM password_resets") == [["0"]])
        }
    }

    @Test func `a code is over after its time and when a newer one is sent`() async throws {
        try await API.serving { api in
            let (form, _) = try await registered(api)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            let first = try await code(api)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            let second = try await code(api)
            #expect(try await reset(api, form, first).code == (first == second ? nil : "wrong_code"))
            try await api.execute("UPDATE password_resets SET expires_at = now()")
            #expect(try await reset(api, form, second).code == "wrong_code")
        }
    }

    /// The code is kept as a keyed hash, so that a reader of the table cannot try all codes.
    @Test func `no code for a new password is kept`() async throws {
        try await API.serving { api in
            let (form, _) = try await registered(api)
            _ = try await api.post("/v1/password_resets", ["email": form["email"]])
            let code = try await code(api)
            let rows = try await api.execute(
                "SELECT password_resets::text, sha256('\(code)')::text, code_hash::text FROM password_resets")
            #expect(rows[0][0]?.contains(code) == false && rows[0][1] != rows[0][2])
        }
    }

    /// A session that begins with the old password at that very moment does not outlive the change.
    @Test func `no session of the old password is left`() async throws {
        try await API.serving(hashingThreads: 2) { api in
            let (form, token) = try await registered(api)
            var current = People.password
            for round in 0..<6 {
                let (old, next) = (current, "palačinke-broj-\(round)")
                let change: JSON = ["current_password": .string(old), "new_password": .string(next)]
                async let changed = api.call("PUT", "/v1/me/password", change, as: token)
                async let signedIn = signIn(api, form, old)
                let (answer, session) = (try await changed, try await signedIn)
                try #require(answer.status == 204)
                if let old = session.json["token"].string {
                    #expect(try await api.get("/v1/me", as: old).status == 401)
                } else {
                    #expect(session.status == 401)
                }
                current = next
            }
        }
    }
}
