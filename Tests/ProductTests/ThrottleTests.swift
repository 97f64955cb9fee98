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

    /// The attack: an account of one's own by somebody's number, to sign in to between guesses at the other.
    @Test func `an account by the same unproven number gives no more guesses`() async throws {
        try await ServedProduct.serving(looseness: 1, verifies: true) { api in
            let phone = SamplePeople.phone()
            _ = try await api.registerCourier(phone, ["password": "lozinka-vlasnika"])
            _ = try await api.registerCourier(phone)
            var statuses: [Int] = []
            for round in 0..<16 {
                statuses.append(try await api.signIn(phone, round % 4 == 3 ? SamplePeople.password : "nije-ova").status)
            }
            #expect(statuses.prefix(8) == [401, 401, 401, 201, 401, 401, 401, 201])
            #expect(statuses.contains(429))
        }
    }

    /// The attack: an account of one's own by somebody's number makes one's networks known, each of which could guess.
    @Test func `who is at home with one of several is no stranger, and has not all guesses at another`() async throws {
        try await ServedProduct.serving(looseness: 1, verifies: true) { api in
            let phone = SamplePeople.phone()
            let owner = try await api.registerCourier(phone, ["password": "lozinka-vlasnika"])
            let thief = try await api.registerCourier(phone)
            try await api.execute("UPDATE used_addresses SET address = '192.0.2.1' WHERE account_id = '\(owner.id)'")
            try await api.execute(
                """
                INSERT INTO used_addresses (account_id, address, agent)
                SELECT '\(thief.id)', '203.0.113.' || n, 0 FROM generate_series(1, 60) n
                """)
            func signIn(_ password: String, from address: String) async throws -> Int {
                let form: JSON = ["phone": .string(phone), "password": .string(password)]
                return try await api.post("/v1/sessions", form, headers: ["X-Forwarded-For": address]).status
            }
            var guesses: [Int] = []
            for number in 1...60 { guesses.append(try await signIn("nije-ova", from: "203.0.113.\(number)")) }
            #expect(guesses.prefix(40).allSatisfy { $0 == 401 } && guesses.contains(429))
            // What strangers do counts apart.
            try await api.execute("DELETE FROM throttles")
            guesses = []
            for number in 1...60 { guesses.append(try await signIn("nije-ova", from: "198.51.100.\(number)")) }
            #expect(guesses.contains(429))
            #expect(try await signIn("lozinka-vlasnika", from: "192.0.2.1") == 201)
        }
    }

    /// Who has a whole range of addresses is one subscriber all the same. Three times as many tries have a /56, and nine times a /48.
    @Test(arguments: [
        ("2001:db8:7:%::1", 60, "POST", "couriers"), ("2001:db8:7:%::1", 60, "POST", "password_resets"),
        ("2001:db8:7:%00::1", 180, "PUT", "password_resets"), ("203.0.113.%", .max, "PUT", "password_resets"),
    ])
    func `neighbours have their tries together`(near: String, most: Int, method: String, path: String) async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let answers = try await together(Array(10...99) + Array(10...99) + Array(10...29)) { number in
                let form: JSON =
                    path == "couriers"
                    ? SamplePeople.courierForm()
                    : method == "POST"
                        ? ["email": .string(SamplePeople.email())]
                        : ["email": .string(SamplePeople.email()), "code": "00000000", "new_password": "kruh-sa-sirom"]
                let from = ["X-Forwarded-For": near.replacing("%", with: "\(number)")]
                return try await api.call(method, "/v1/\(path)", form, headers: from).status
            }
            let tried = answers.filter { $0 != 429 }.count
            #expect(most == .max ? tried == answers.count : (most...most + 9).contains(tried), "\(tried)")
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

    /// Three wishes and one rating are all that a link takes; so it is tries that are counted, by address, whatever they are for.
    @Test(arguments: ["wish", "rating"])
    func `what recipients say is counted by address, whatever link it goes by`(_ action: String) async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            try await api.act("accept", id, as: couriers[0])
            if action == "rating" { try await api.act("deliver", id, as: couriers[0]) }
            let (near, far) = ("192.0.2.7", "198.51.100.9")
            @Sendable func say(_ token: String, from address: String) async throws -> Answer {
                let said: JSON = action == "wish" ? ["text": "Zvono ne radi"] : ["stars": 5]
                return try await api.post(
                    "/v1/tracking/\(token)/\(action)", said, headers: ["X-Forwarded-For": address])
            }
            let taken = action == "wish" ? 3 : 1
            let answers = try await together(Array(0..<19)) { _ in try await say(token, from: near) }
            #expect(answers.count { $0.status == 200 } == taken && answers.count { $0.status == 409 } == 19 - taken)
            // One that is guessed counts with the others. Whoever is slow here regains some.
            var guessed: [Answer] = []
            while guessed.last?.status != 429, guessed.count < 20 {
                guessed.append(try await say("AAAAAAAAAAAAAAAAAAAAAA", from: near))
            }
            #expect(guessed.count >= 2 && guessed.dropLast().allSatisfy { $0.status == 404 })
            #expect(guessed.last?.code == "rate_limited")
            #expect((1...30).contains(guessed.last?.reply.header("retry-after").flatMap { Int($0) } ?? 0))
            // By the page as over the API.
            let form = action == "wish" ? "text=Molim" : "stars=5"
            var shown: [Int] = []
            while shown.last != 429, shown.count < 20 {
                shown.append(
                    try await api.submit("/t/\(token)/\(action)", form, headers: ["X-Forwarded-For": near]).status)
            }
            #expect(shown.last == 429)
            #expect(try await say(token, from: far).status == 409)
        }
    }

    /// The page of a link costs the same as what the API says of it, also if there is no such link.
    @Test func `links are looked up so often from an address, by the page or the API, and wrong ones count`()
        async throws
    {
        try await ServedProduct.serving(looseness: 1) { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            let from = ["X-Forwarded-For": "192.0.2.7"]
            let paths = [
                "/t/x": 404, "/t/AAAAAAAAAAAAAAAAAAAAAA": 404, "/v1/tracking/x": 404, "/t/\(token)": 200,
                "/v1/tracking/\(token)": 200,
            ]
            var (refused, tries): (Set<String>, Int) = ([], 0)
            while refused.count < paths.count, tries < 400 {
                for (path, status) in paths {
                    let answer = try await api.get(path, headers: from).status
                    if answer == 429 { refused.insert(path) } else { #expect(answer == status) }
                    tries += 1
                }
            }
            #expect(refused.count == paths.count && tries > 120)
            for (path, status) in paths {
                #expect(try await api.get(path, headers: ["X-Forwarded-For": "198.51.100.9"]).status == status)
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

    @Test func `a clock that was ahead keeps nobody waiting for longer than ever`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let take = "SELECT throttle(ARRAY[sha256('one')], ARRAY[60.0::float8], ARRAY[10.0::float8])"
            let share = "SELECT take_share(sha256('two'), 60, 10, 1, 1)"
            _ = try await api.execute(take)
            _ = try await api.execute(share)
            _ = try await api.execute("UPDATE throttles SET drained_at = drained_at + interval '20 days'")
            let wait = try await api.execute(take)[0][0].flatMap(Double.init)
            #expect(try #require(wait) <= 86_400)
            let missing = try await api.execute(share)[0][0].flatMap(Double.init)
            #expect(try #require(missing) >= -60)
        }
    }
}
