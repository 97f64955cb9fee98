import EventLoop
import HTTP
import TestSupport
import Testing

@testable import API

/// Getting a new password when the old one is forgotten.
@Suite(.database) struct PasswordResetTests {
    private let newPassword = "palačinke-s-orasima"
    private let elsewhere = ["X-Forwarded-For": "203.0.113.9"]

    /// Somebody who forgot the password, with the id of what was asked for.
    private func ask(_ api: ServedProduct, _ who: Person, from headers: [String: String] = [:]) async throws -> JSON {
        let answer = try await api.post("/v1/password_resets", name(who), headers: headers)
        try #require(answer.status == 202, "\(answer.json)")
        return answer.json["reset_id"]
    }

    private func name(_ who: Person) -> JSON {
        [who.login.hasPrefix("+") ? "phone" : "email": .string(who.login)]
    }

    private func reset(
        _ api: ServedProduct, _ id: JSON, _ code: String, _ more: JSON = [:], from headers: [String: String] = [:]
    ) async throws -> Answer {
        var form: JSON = ["code": .string(code), "new_password": .string(newPassword)]
        if id != .null { form = form.with(["reset_id": id]) }
        if case .object(let members) = more { form = form.with(members) }
        return try await api.call("PUT", "/v1/password_resets", form, headers: headers)
    }

    private func code(_ api: ServedProduct, _ who: Person) async throws -> String {
        try await api.code(to: who.login, kind: "password_reset")
    }

    /// What is open in the tables of resets.
    private func rows(_ api: ServedProduct, _ table: String) async throws -> Int {
        try await api.execute("SELECT FROM \(table)").count
    }

    @Test func `a forgotten password is replaced by the code that was sent`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let store = try await api.registerStore(["language": "hr"])
            let asked = try await api.post("/v1/password_resets", name(store))
            #expect(asked.status == 202 && asked.json["sent_by"] == "email" && asked.json["is_live"] == false)
            let id = asked.json["reset_id"]
            let sent = try await api.execute("SELECT channel, address, language, body FROM outbox")
            let code = try await code(api, store)
            #expect(sent.count == 1 && Array(sent[0].prefix(3)) == ["email", store.login, "hr"])
            #expect(sent[0][3]?.contains(code) == true && sent[0][3]?.contains("15 minuta") == true)
            #expect(sent[0][3]?.contains("https://kurir.example/store#reset=\(id.string ?? "").\(code)") == true)
            #expect(try await reset(api, id, code).status == 204)
            #expect(try await api.get("/v1/me", as: store.token).status == 401)
            #expect(try await api.signIn(store.login, newPassword).status == 201)
            let again = try await reset(api, id, code)
            #expect(again.status == 422 && again.code == "wrong_code")
        }
    }

    @Test func `a code resets nobody's password who is named as another`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.registerCourier(), try await api.registerCourier())
            let id = try await ask(api, other)
            let code = try await code(api, other)
            let wrong = try await reset(api, id, code, name(one))
            #expect(wrong.status == 422 && wrong.code == "wrong_code")
            #expect(try await reset(api, id, code, name(other)).status == 204)
        }
    }

    @Test func `a courier gets the code by SMS, proven or not`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example", verifies: true) { api in
            for courier in [try await api.courier(), try await api.registerCourier()] {
                let id = try await ask(api, courier)
                let code = try await code(api, courier)
                let sent = try await api.execute(
                    "SELECT channel, body FROM outbox WHERE kind = 'password_reset' AND address = '\(courier.login)'")
                #expect(sent.count == 1 && sent[0][0] == "sms")
                #expect(sent[0][1]?.hasSuffix("\n\n@kurir.example #\(code)") == true)
                #expect(try await reset(api, id, code).status == 204)
            }
        }
    }

    @Test func `nobody learns whether there is an account`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let known = try await api.post("/v1/password_resets", name(store))
            let unknown = try await api.post("/v1/password_resets", ["email": "nobody@example.com"])
            #expect(known.status == unknown.status)
            #expect(known.json.without("reset_id") == unknown.json.without("reset_id"))
            // The work is the same, too; only the account is told something.
            #expect(try await rows(api, "reset_codes") == 2)
            #expect(try await api.execute("SELECT address FROM outbox") == [[store.login]])
            let wrong = otherCode(than: try await code(api, store))
            let answers = [
                try await reset(api, known.json["reset_id"], wrong),
                try await reset(api, unknown.json["reset_id"], wrong),
                try await reset(api, .null, wrong, name(store)),
                try await reset(api, .null, wrong, ["email": "a@b.example"]),
            ]
            for answer in answers {
                #expect(
                    answer.status == 422 && answer.json.without("request_id") == answers[0].json.without("request_id"))
            }
        }
    }

    @Test func `a code has five tries`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let id = try await ask(api, store)
            let code = try await code(api, store)
            for _ in 0..<4 { #expect(try await reset(api, id, otherCode(than: code)).code == "wrong_code") }
            #expect(try await reset(api, id, "\(code.prefix(4)) \(code.suffix(4))").status == 204)
            let next = try await ask(api, store)
            let second = try await self.code(api, store)
            _ = try await together(10) { try await reset(api, next, otherCode(than: second)) }
            #expect(try await api.execute("SELECT tries_left FROM reset_codes") == [["0"]])
            #expect(try await reset(api, next, second).code == "wrong_code")
        }
    }

    /// The attack: somebody asks and guesses again and again, so that the owner's code never lives long enough.
    @Test func `whoever asks or guesses elsewhere ends nobody's code`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.store()
            let mine = try await ask(api, store)
            let code = try await code(api, store)
            for round in 0..<12 {
                let stranger = ["X-Forwarded-For": "203.0.113.\(round)"]
                let theirs = try await ask(api, store, from: stranger)
                for _ in 0..<6 { _ = try await reset(api, theirs, otherCode(than: code), from: stranger) }
                for _ in 0..<3 {
                    _ = try await reset(api, .null, otherCode(than: code), name(store), from: stranger)
                }
            }
            #expect(try await reset(api, mine, code).status == 204)
        }
    }

    /// The attack: more codes than are looked through for somebody who does not say which is meant, in as many mails.
    @Test func `strangers together have few codes sent to one name`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.registerStore()
            _ = try await ask(api, store)
            let code = try await code(api, store)
            let answers = try await together(Array(0..<240)) { number in
                try await ask(api, store, from: ["X-Forwarded-For": "10.0.\(number / 20).1"])
            }
            #expect(answers.count == 240)
            let codes = try await api.execute("SELECT FROM reset_codes WHERE account_id IS NOT NULL")
            #expect((21...23).contains(codes.count), "\(codes.count)")
            #expect(try await api.kinds(to: store.login).count == codes.count)
            #expect(try await reset(api, .null, code, name(store)).status == 204)
        }
    }

    @Test func `nothing is said to be sent to a number that gets no SMS`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            _ = try await api.claim(try await api.key(), channel: "sms")
            let (courier, stopped) = (try await api.registerCourier(), SamplePeople.phone())
            try await api.execute("SELECT stop_sms('\(stopped)')")
            for (number, isLive) in [(SamplePeople.phone(), true), (stopped, false), ("+436641234567", false)] {
                let asked = try await api.post("/v1/password_resets", ["phone": .string(number)])
                #expect(asked.status == 202 && asked.json["is_live"] == .bool(isLive), "\(number)")
                let wanted = try await api.change(phone: number, as: courier)
                #expect(wanted.status == 202 && wanted.json["is_live"] == .bool(isLive), "\(number)")
            }
            let premium = try await api.post("/v1/password_resets", ["phone": "+385601234567"])
            #expect(premium.status == 202 && premium.json["is_live"] == false)
        }
    }

    @Test func `the code of one request is none for another`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let first = try await ask(api, store)
            let code = try await code(api, store)
            let second = try await ask(api, store)
            #expect(try await reset(api, second, code).code == "wrong_code")
            #expect(try await reset(api, first, code).status == 204)
            // All others are void then.
            #expect(try await rows(api, "reset_codes") == 0)
            #expect(try await api.kinds(to: store.login).contains("password_reset") == false)
        }
    }

    @Test func `without its id any live code is taken, after at most twenty wrong ones a day from elsewhere`()
        async throws
    {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            _ = try await ask(api, store)
            let code = try await code(api, store)
            _ = try await ask(api, store)
            for _ in 0..<20 {
                let wrong = try await reset(api, .null, otherCode(than: code), name(store), from: elsewhere)
                #expect(wrong.code == "wrong_code")
            }
            #expect(try await reset(api, .null, code, name(store), from: elsewhere).code == "wrong_code")
            // From an address that the account has used, and a day later, it is.
            try await api.execute(
                "INSERT INTO used_addresses (account_id, address, agent) VALUES ('\(store.id)', '127.0.0.1', 0)")
            #expect(try await reset(api, .null, code, name(store)).status == 204)
            _ = try await ask(api, store)
            let next = try await self.code(api, store)
            #expect(try await reset(api, .null, next, name(store), from: elsewhere).status == 204)
        }
    }

    @Test func `a day later strangers may guess again`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            _ = try await ask(api, store)
            let code = try await code(api, store)
            try await api.execute("INSERT INTO reset_guesses VALUES ('\(store.id)', 20, now() - interval '23 hours')")
            #expect(try await reset(api, .null, code, name(store), from: elsewhere).code == "wrong_code")
            try await api.execute("UPDATE reset_guesses SET since = now() - interval '25 hours'")
            #expect(try await reset(api, .null, code, name(store), from: elsewhere).status == 204)
        }
    }

    @Test func `a wrong id is what is wrong, and no login beside it`() async throws {
        try await ServedProduct.serving { api in
            let form: JSON = ["reset_id": "x", "code": "123456", "new_password": "sasvim-nova-lozinka"]
            let refused = try await api.call("PUT", "/v1/password_resets", form)
            #expect(refused.wrong == ["reset_id": "invalid_id"])
        }
    }

    /// The work that there is for an account disappears in it.
    @Test func `asking and typing take a while, whoever is meant`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            func time(_ answer: () async throws -> Answer, _ status: Int) async throws {
                let began = ContinuousClock.now
                #expect(try await answer().status == status)
                #expect(ContinuousClock.now - began >= .milliseconds(100))
            }
            for email in [store.login, "nobody@example.com"] {
                let name: JSON = ["email": .string(email)]
                try await time({ try await api.post("/v1/password_resets", name) }, 202)
                try await time({ try await reset(api, .null, "000000", name) }, 422)
            }
        }
    }

    @Test func `what fails ends no sooner either`() async throws {
        let group = try EventLoopGroup(count: 1)
        let time = await group.loops[0].run {
            let began = ContinuousClock.now
            await #expect(throws: CancellationError.self) {
                try await evenly(over: .milliseconds(30)) { throw CancellationError() }
            }
            return ContinuousClock.now - began
        }
        #expect(time >= .milliseconds(30))
        try await blocking { group.stop() }
    }

    @Test func `a code is over after its time`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let id = try await ask(api, store)
            try await api.execute("UPDATE reset_codes SET expires_at = now()")
            #expect(try await reset(api, id, try await code(api, store)).code == "wrong_code")
        }
    }

    /// The code is kept as a keyed hash, so that a reader of the table cannot try all codes.
    @Test func `no code for a new password is kept`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            _ = try await ask(api, store)
            let code = try await code(api, store)
            let rows = try await api.execute(
                "SELECT reset_codes::text, sha256('\(code)')::text, code_hash::text FROM reset_codes")
            #expect(rows[0][0]?.contains(code) == false && rows[0][1] != rows[0][2])
        }
    }

    /// Asking costs whoever asks. The owner, at an address that the account has used, is served all the same.
    @Test func `asking is charged to the address that asks`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let (store, other) = (try await api.store(), try await api.store())
            for _ in 0..<20 { _ = try await ask(api, store, from: elsewhere) }
            let refused = try await api.post("/v1/password_resets", name(store), headers: elsewhere)
            #expect(refused.status == 429)
            #expect(try await api.post("/v1/password_resets", name(other), headers: elsewhere).status == 429)
            _ = try await ask(api, store)
            try await api.execute(
                "INSERT INTO used_addresses (account_id, address, agent) VALUES ('\(store.id)', '203.0.113.9', 0)")
            _ = try await ask(api, store, from: elsewhere)
        }
    }
}
