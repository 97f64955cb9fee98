import Domain
import HTTP
import TestSupport
import Testing

/// Changing what one signs in with: by whom, how, and how it is undone.
@Suite(.database) struct LoginChangeTests {
    /// What an account signs in with.
    enum Way: String, CaseIterable {
        case phone, email

        func other() -> String { self == .phone ? SamplePeople.phone() : SamplePeople.email() }
        /// The page on which its accounts sign in.
        var page: String { self == .phone ? "/courier" : "/store" }
        var channel: String { self == .phone ? "sms" : "email" }
        /// Where it is kept.
        var columns: String {
            self == .phone ? "phone, phone_verified FROM couriers" : "email, email_verified FROM stores"
        }
    }

    /// A courier, or a store, who has proven what it signs in with.
    private func proven(_ api: ServedProduct, _ way: Way = .phone) async throws -> Person {
        let person = way == .phone ? try await api.registerCourier() : try await api.registerStore()
        let code = try await api.code(to: person.login)
        try #require(try await api.confirm(code, way.rawValue, as: person).status == 200)
        return person
    }

    private func ask(_ api: ServedProduct, _ person: Person, for place: String, by way: Way) async throws -> Answer {
        let form: JSON = [way.rawValue: .string(place), "current_password": .string(SamplePeople.password)]
        return try await api.call("PUT", "/v1/me/\(way)", form, as: person.token)
    }

    private func change(
        _ api: ServedProduct, _ person: Person, to place: String, by way: Way = .phone
    ) async throws {
        try #require(try await ask(api, person, for: place, by: way).status == 202)
        try #require(try await api.confirm(try await api.code(to: place), way.rawValue, as: person).status == 200)
    }

    /// The link that went to the place before, as a path.
    private func undoPath(_ api: ServedProduct, _ place: String) async throws -> String {
        let rows = try await api.execute(
            "SELECT data->>'url', body FROM outbox WHERE kind = 'login_changed' AND address = '\(place)' ORDER BY seq DESC LIMIT 1"
        )
        let url = try #require(rows.first?[0])
        #expect(rows[0][1]?.contains(url) == true)
        return "/undo/" + (url.split(separator: "/").last.map(String.init) ?? "")
    }

    /// The attack: a session is stolen, and made an account of one's own by another address.
    @Test func `a session alone changes nothing that one signs in with`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, courier) = (try await api.store(), try await proven(api))
            let patched = try await api.call("PATCH", "/v1/me", ["email": "thief@example.com"], as: store.token)
            #expect(patched.status == 422 && patched.code == "use_confirmation")
            #expect(patched.wrong == ["email": "use_confirmation"])
            let number = try await api.call(
                "PATCH", "/v1/me", ["phone": .string(SamplePeople.phone())], as: courier.token)
            #expect(number.status == 422 && number.code == "use_confirmation")
            #expect(number.wrong == ["phone": "use_confirmation"])
            let guessed = try await api.change(phone: SamplePeople.phone(), as: courier, password: "not-my-password")
            #expect(guessed.status == 422 && guessed.wrong == ["current_password": "wrong_password"])
            #expect(try await api.get("/v1/me", as: store.token).json["email"] == .string(store.login))
            #expect(try await api.get("/v1/me", as: courier.token).json["phone"] == .string(courier.login))
        }
    }

    @Test func `a store's number is not what it signs in with`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let store = try await api.store()
            let answer = try await api.call(
                "PATCH", "/v1/me", ["phone": "01 4828 112", "email": .string(store.login)], as: store.token)
            #expect(answer.status == 200 && answer.json["phone"] == "+38514828112")
        }
    }

    @Test(arguments: Way.allCases)
    func `a change waits for the code, and the old place is told with a link`(_ way: Way) async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (person, place) = (try await proven(api, way), way.other())
            let asked = try await ask(api, person, for: place, by: way)
            #expect(asked.status == 202 && asked.json == ["sent_by": .string(way.channel), "is_live": false])
            #expect(try await api.get("/v1/me", as: person.token).json[way.rawValue] == .string(person.login))
            #expect(try await api.signIn(place).status == 401)
            let changed = try await api.confirm(try await api.code(to: place), way.rawValue, as: person)
            #expect(changed.json[way.rawValue] == .string(place) && changed.json["\(way)_verified"] == true)
            #expect(try await api.signIn(person.login).status == 401)
            #expect(try await api.signIn(place).status == 201)
            #expect(try await api.kinds(to: person.login).last == "login_changed")
            #expect(try await api.kinds(to: place).contains("login_changed"))
            let links = try await api.execute("SELECT address FROM outbox WHERE data ? 'url'")
            #expect(links == [[person.login]])
        }
    }

    @Test func `a wish is dropped by asking for what there is`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, phone) = (try await proven(api), SamplePeople.phone())
            _ = try await api.change(phone: phone, as: courier)
            let code = try await api.code(to: phone)
            #expect(try await api.change(phone: courier.login, as: courier).status == 200)
            #expect(try await api.confirm(code, as: courier).code == "wrong_code")
            #expect(try await api.kinds(to: phone).isEmpty)
        }
    }

    @Test(arguments: Way.allCases)
    func `a place that somebody else has proven is refused`(_ way: Way) async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (one, other) = (try await proven(api, way), try await proven(api, way))
            let answer = try await ask(api, one, for: other.login, by: way)
            #expect(answer.status == 409 && answer.code == "\(way)_taken")
            // Also when that happened while the code was on its way.
            let place = way.other()
            _ = try await ask(api, one, for: place, by: way)
            let code = try await api.code(to: place)
            try await change(api, other, to: place, by: way)
            let late = try await api.confirm(code, way.rawValue, as: one)
            #expect(late.status == 409 && late.code == "\(way)_taken")
            #expect(try await api.get("/v1/me", as: one.token).json[way.rawValue] == .string(one.login))
        }
    }

    // MARK: Undoing

    @Test(arguments: Way.allCases)
    func `looking at the link changes nothing, and its button takes everything back`(_ way: Way) async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (person, place) = (try await proven(api, way), way.other())
            _ = try await api.call("PUT", "/v1/me/devices/thief", ["platform": "fcm"], as: person.token)
            try await change(api, person, to: place, by: way)
            let path = try await undoPath(api, person.login)
            for _ in 0..<3 {
                let page = try await api.get(path)
                #expect(page.status == 200 && page.reply.text.contains("<form method=\"post\">"))
                #expect(!page.reply.text.contains("<script"))
                #expect(page.reply.header("content-security-policy")?.contains("form-action 'self'") == true)
            }
            #expect(try await api.get("/v1/me", as: person.token).json[way.rawValue] == .string(place))
            let done = try await api.post(path)
            #expect(done.status == 200 && done.reply.text.contains("\(way.page)#reset"))
            // Whoever knew the password, or had a session or a device, has nothing of it any more.
            #expect(try await api.get("/v1/me", as: person.token).status == 401)
            #expect(try await api.signIn(person.login).status == 401)
            #expect(try await api.signIn(place).status == 401)
            #expect(try await api.execute("SELECT FROM devices").isEmpty)
            #expect(
                try await api.execute("SELECT \(way.columns) WHERE id = '\(person.id)'") == [[person.login, "t"]])
            for method in ["GET", "POST"] { #expect(try await api.call(method, path).status == 410) }
            // Whoever has the account again hears of it, and the place that was taken from it does not.
            let told = try await api.execute(
                "SELECT data ? 'url' FROM outbox WHERE kind = 'login_changed' AND address = '\(person.login)' ORDER BY seq"
            )
            #expect(told == [["t"], ["f"]])
            #expect(try await api.kinds(to: place).filter { $0 == "login_changed" }.count == 1)
            let asked = try await api.post("/v1/password_resets", [way.rawValue: .string(person.login)])
            let reset = try await api.call(
                "PUT", "/v1/password_resets",
                [
                    "reset_id": asked.json["reset_id"], "new_password": "palačinke-s-orasima",
                    "code": .string(try await api.code(to: person.login, kind: "password_reset")),
                ])
            #expect(reset.status == 204)
            #expect(try await api.signIn(person.login, "palačinke-s-orasima").status == 201)
        }
    }

    /// The attack: whoever has the session and the password signs in by many browsers first. The number is told of each by SMS.
    @Test func `the link is sent although its number has had all SMS of the day`() async throws {
        try await ServedProduct.serving(looseness: 100, verifies: true) { api in
            let courier = try await proven(api)
            let form: JSON = ["phone": .string(courier.login), "password": .string(SamplePeople.password)]
            for browser in 0..<7 {
                let answer = try await api.post("/v1/sessions", form, headers: ["User-Agent": "browser \(browser)"])
                #expect(answer.status == 201)
            }
            #expect(try await api.execute("SELECT DISTINCT reason FROM messages_dead") == [["over_budget"]])
            try await change(api, courier, to: SamplePeople.phone())
            #expect(try await api.post(try await undoPath(api, courier.login)).status == 200)
        }
    }

    /// The attack: as many invites as all SMS of the hour, and then the change.
    @Test func `the link is sent although all SMS of the hour are spent`() async throws {
        var trust = Trust()
        trust.sms.inAll = 2
        try await ServedProduct.serving(looseness: 100, verifies: true, trust: trust) { api in
            let courier = try await proven(api)
            try await change(api, courier, to: SamplePeople.phone())
            let sent = try await api.execute(
                "SELECT FROM message_queue WHERE kind = 'login_changed' AND channel = 'sms'")
            #expect(sent.count == 2)
            #expect(try await api.execute("SELECT FROM messages_dead").isEmpty)
            #expect(try await api.post(try await undoPath(api, courier.login)).status == 200)
        }
    }

    /// A thief signs in first, and changes it then.
    @Test func `undoing leaves the account at home only where that is asked for`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await proven(api)
            let form: JSON = ["phone": .string(courier.login), "password": .string(SamplePeople.password)]
            let thief = try await api.post("/v1/sessions", form, headers: ["X-Forwarded-For": "203.0.113.9"])
            #expect(thief.status == 201)
            try await change(api, courier, to: SamplePeople.phone())
            let path = try await undoPath(api, courier.login)
            #expect(try await api.post(path, headers: ["X-Forwarded-For": "198.51.100.7"]).status == 200)
            #expect(try await api.execute("SELECT address FROM used_addresses") == [["198.51.100.7"]])
        }
    }

    /// The owner undoes another change between a thief's right try and what follows from it.
    @Test func `a code is worth nothing once the wish is gone, however right it was`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, phone) = (try await proven(api), SamplePeople.phone())
            _ = try await api.change(phone: phone, as: courier)
            try await api.execute(
                """
                CREATE FUNCTION undo_meanwhile() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN DELETE FROM confirmations WHERE account_id = NEW.account_id; RETURN NULL; END';
                """)
            try await api.execute(
                """
                CREATE TRIGGER meanwhile AFTER UPDATE ON confirmations
                    FOR EACH ROW EXECUTE FUNCTION undo_meanwhile()
                """)
            #expect(try await api.confirm(try await api.code(to: phone), as: courier).code == "wrong_code")
            #expect(try await api.get("/v1/me", as: courier.token).json["phone"] == .string(courier.login))
        }
    }

    /// Whoever changes it twice has a link to the place between, which is good for nothing once the first is undone.
    @Test func `an undone change takes later links with it`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, second, third) = (try await proven(api), SamplePeople.phone(), SamplePeople.phone())
            try await change(api, courier, to: second)
            try await change(api, courier, to: third)
            let (first, later) = (try await undoPath(api, courier.login), try await undoPath(api, second))
            #expect(try await api.post(first).status == 200)
            #expect(try await api.post(later).status == 410)
            #expect(try await api.execute("SELECT phone FROM couriers") == [[courier.login]])
        }
    }

    @Test func `a link is over after three days`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, phone) = (try await proven(api), SamplePeople.phone())
            try await change(api, courier, to: phone)
            let path = try await undoPath(api, courier.login)
            let lasts =
                "SELECT expires_at - now() BETWEEN interval '71 hours' AND interval '72 hours' FROM former_places"
            #expect(try await api.execute(lasts) == [["t"]])
            try await api.execute("UPDATE former_places SET expires_at = now()")
            #expect(try await api.post(path).status == 410)
            #expect(try await api.get("/v1/me", as: courier.token).json["phone"] == .string(phone))
        }
    }

    @Test func `a place that somebody else has proven meanwhile is not taken back`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, phone) = (try await proven(api), SamplePeople.phone())
            try await change(api, courier, to: phone)
            let path = try await undoPath(api, courier.login)
            let other = try await api.registerCourier(courier.login)
            _ = try await api.confirm(try await api.code(to: courier.login), as: other)
            #expect(try await api.post(path).status == 409)
            #expect(try await api.get("/v1/me", as: courier.token).json["phone"] == .string(phone))
        }
    }

    @Test func `only hashes of links are kept`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (courier, phone) = (try await proven(api), SamplePeople.phone())
            try await change(api, courier, to: phone)
            let token = try await undoPath(api, courier.login).dropFirst("/undo/".count)
            let rows = try await api.execute("SELECT former_places::text FROM former_places")
            #expect(rows.count == 1 && rows[0][0]?.contains(token) == false)
        }
    }

    /// It begins as a number does, and none of what is sent may go by SMS for that.
    @Test func `an address that begins with a plus is an address`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let store = try await api.registerStore(["email": "+pekara@example.com"])
            #expect(try await api.post("/v1/me/email/code", as: store.token).json["sent_by"] == "email")
            let code = try await api.code(to: store.login)
            try #require(try await api.confirm(code, "email", as: store).status == 200)
            try await change(api, store, to: "+druga@example.com", by: .email)
            #expect(try await api.execute("SELECT DISTINCT channel FROM messages") == [["email"]])
            let undone = try await api.post(try await undoPath(api, "+pekara@example.com"))
            #expect(undone.status == 200)
            #expect(
                try await api.execute("SELECT email, email_verified FROM stores") == [["+pekara@example.com", "t"]])
        }
    }
}
