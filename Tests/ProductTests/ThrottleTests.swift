import HTTP
import TestSupport
import Testing

/// Somebody who tries too often is slowed down, and nobody else is.
@Suite(.database) struct ThrottleTests {
    @Test func `guessing is slowed down`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let form = SamplePeople.storeForm()
            try #require(try await api.post("/v1/stores", form).status == 201)
            // The account looks as if it was never here before.
            try await api.execute("DELETE FROM used_addresses")
            let guess: JSON = ["email": form["email"], "password": "wrong-password"]
            for _ in 0..<8 { #expect(try await api.post("/v1/sessions", guess).status == 401) }
            let refused = try await api.post("/v1/sessions", guess)
            #expect(refused.status == 429 && refused.code == "rate_limited")
            let wait = try #require(refused.reply.header("retry-after").flatMap { Int($0) })
            #expect((1...60).contains(wait))
            // Another account is not touched.
            let other = try await api.post("/v1/sessions", ["email": "nobody@example.com", "password": "x"])
            #expect(other.status == 401)
        }
    }

    /// Only failures count. Somebody who knows the password may sign in as often as they like.
    @Test func `tries that succeed are not counted`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let form = SamplePeople.storeForm()
            try #require(try await api.post("/v1/stores", form).status == 201)
            let signIn: JSON = ["email": form["email"], "password": .string(SamplePeople.password)]
            for _ in 0..<12 { #expect(try await api.post("/v1/sessions", signIn).status == 201) }
        }
    }

    /// A stranger's tries fill the account's bucket for strangers, and do not block addresses that the account has
    /// used.
    @Test func `nobody is locked out by a stranger`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let form = SamplePeople.storeForm()
            try #require(try await api.post("/v1/stores", form).status == 201)
            try await api.execute(
                "INSERT INTO throttles SELECT sha256(convert_to('sign-in of ' || lower('\(form["email"].string ?? "")'), 'UTF8')), "
                    + "now() + interval '1 hour'")
            let signIn: JSON = ["email": form["email"], "password": .string(SamplePeople.password)]
            #expect(try await api.post("/v1/sessions", signIn).status == 201)
            try await api.execute("DELETE FROM used_addresses")
            try await api.execute(
                "INSERT INTO throttles SELECT sha256(convert_to('sign-in of ' || lower('\(form["email"].string ?? "")'), 'UTF8')), "
                    + "now() + interval '1 hour'")
            #expect(try await api.post("/v1/sessions", signIn).status == 429)
        }
    }

    @Test func `redeeming is throttled`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let courier = try await api.courier()
            let guess: JSON = ["code": "00000-00000"]
            for _ in 0..<10 {
                #expect(try await api.post("/v1/partners", guess, as: courier.token).code == "unknown_code")
            }
            #expect(try await api.post("/v1/partners", guess, as: courier.token).status == 429)
        }
    }

    @Test func `a looser throttle allows ten times as many tries`() async throws {
        try await ServedProduct.serving(looseness: 10) { api in
            let courier = try await api.courier()
            for _ in 0..<30 {
                let answer = try await api.post("/v1/password_resets", ["phone": .string(courier.login)])
                #expect(answer.status == 202)
            }
        }
    }

    /// However many tries come at once, no more get through than one after the other.
    @Test func `tries at once are counted right`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let courier = try await api.courier()
            let answers = try await together(25) {
                try await api.post("/v1/partners", ["code": "00000-00000"], as: courier.token)
            }
            #expect(answers.count { $0.status == 404 } == 10)
            #expect(answers.count { $0.status == 429 } == 15)
        }
    }
}
