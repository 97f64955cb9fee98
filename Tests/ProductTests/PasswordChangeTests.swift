import HTTP
import TestSupport
import Testing

/// Changing a password.
@Suite(.database) struct PasswordChangeTests {
    private let newPassword = "palačinke-s-orasima"

    private func registered(_ api: ServedProduct) async throws -> (form: JSON, token: String) {
        let form = SamplePeople.storeForm().with(["language": "hr"])
        let answer = try await api.post("/v1/stores", form)
        return (form, try #require(answer.json["session"]["token"].string))
    }

    private func signIn(_ api: ServedProduct, _ form: JSON, _ password: String) async throws -> Answer {
        try await api.post("/v1/sessions", ["email": form["email"], "password": .string(password)])
    }

    @Test func `a new password ends every other session`() async throws {
        try await ServedProduct.serving { api in
            let (form, token) = try await registered(api)
            let other = try #require(try await signIn(api, form, SamplePeople.password).json["token"].string)
            let change: JSON = [
                "current_password": .string(SamplePeople.password), "new_password": .string(newPassword),
            ]
            try #require(try await api.get("/v1/me", as: other).status == 200)
            #expect(try await api.call("PUT", "/v1/me/password", change, as: token).status == 204)
            for _ in 0..<4 {
                #expect(try await api.get("/v1/me", as: token).status == 200)
                #expect(try await api.get("/v1/me", as: other).status == 401)
            }
            #expect(try await signIn(api, form, SamplePeople.password).status == 401)
            #expect(try await signIn(api, form, newPassword).status == 201)
        }
    }

    @Test func `a change of password asks for the current one`() async throws {
        try await ServedProduct.serving { api in
            let (form, token) = try await registered(api)
            let answer = try await api.call(
                "PUT", "/v1/me/password", ["current_password": "wrong", "new_password": .string(newPassword)], as: token
            )
            #expect(answer.status == 422 && answer.wrong == ["current_password": "wrong_password"])
            let weak = try await api.call(
                "PUT", "/v1/me/password",
                ["current_password": .string(SamplePeople.password), "new_password": "lozinka123"], as: token)
            #expect(weak.status == 422 && weak.wrong == ["new_password": "password_too_common"])
            #expect(try await signIn(api, form, SamplePeople.password).status == 201)
        }
    }

    /// A session that begins with the old password at that very moment does not outlive the change.
    @Test func `no session of the old password is left`() async throws {
        try await ServedProduct.serving(hashingThreads: 2) { api in
            let (form, token) = try await registered(api)
            var current = SamplePeople.password
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
