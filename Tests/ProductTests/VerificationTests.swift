import HTTP
import TestSupport
import Testing

/// What one signs in with is proven by a code that was sent there.
@Suite(.database) struct VerificationTests {
    @Test func `registering sends a code to the number, which proves it`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example", verifies: true) { api in
            let courier = try await api.registerCourier()
            #expect(try await api.get("/v1/me", as: courier.token).json["phone_verified"] == false)
            let code = try await api.code(to: courier.login)
            #expect(code.utf8.count == 6 && code.allSatisfy(\.isNumber))
            let sent = try await api.execute("SELECT channel, body FROM outbox")
            #expect(sent.count == 1 && sent[0][0] == "sms")
            // By this line a phone knows for which site the code is.
            #expect(sent[0][1]?.hasSuffix("\n\n@kurir.example #\(code)") == true)
            let answer = try await api.confirm(code, as: courier)
            #expect(answer.status == 200 && answer.json["phone_verified"] == true)
            #expect(answer.json == (try await api.get("/v1/me", as: courier.token).json))
        }
    }

    @Test func `a store proves its e-mail address`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let store = try await api.registerStore()
            #expect(try await api.get("/v1/me", as: store.token).json["email_verified"] == false)
            let body = try await api.execute("SELECT channel, body FROM outbox")
            #expect(body.count == 1 && body[0][0] == "email" && body[0][1]?.contains("@") == false)
            let answer = try await api.confirm(try await api.code(to: store.login), "email", as: store)
            #expect(answer.status == 200 && answer.json["email_verified"] == true)
        }
    }

    @Test func `a code has five tries, and another one can be asked for`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let first = try await api.code(to: courier.login)
            for _ in 0..<5 {
                let wrong = try await api.confirm(otherCode(than: first), as: courier)
                #expect(wrong.status == 422 && wrong.code == "wrong_code")
            }
            #expect(try await api.confirm(first, as: courier).code == "wrong_code")
            let again = try await api.post("/v1/me/phone/code", as: courier.token)
            #expect(again.status == 202 && again.json == ["sent_by": "sms", "is_live": false])
            let second = try await api.code(to: courier.login)
            #expect(try await api.confirm("\(second.prefix(3)) \(second.suffix(3))", as: courier).status == 200)
            let nothing = try await api.post("/v1/me/phone/code", as: courier.token)
            #expect(nothing.status == 409 && nothing.code == "nothing_to_confirm")
        }
    }

    @Test func `a wrong code that is sent again is one try`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let code = try await api.code(to: courier.login)
            let same = ["Idempotency-Key": "one"]
            for _ in 0..<6 {
                #expect(try await api.confirm(otherCode(than: code), as: courier, headers: same).code == "wrong_code")
            }
            #expect(try await api.confirm(code, as: courier).status == 200)
        }
    }

    /// The second finds no try left while the first is not done yet: its answer must not be taken for that of both.
    @Test func `the last try, sent twice at once with one key, is not lost`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let couriers = try await together(10) { try await api.registerCourier() }
            _ = try await together(couriers) { courier in
                let code = try await api.code(to: courier.login)
                for _ in 0..<4 { _ = try await api.confirm(otherCode(than: code), as: courier) }
                let same = ["Idempotency-Key": "last"]
                let answers = try await together(4) { try await api.confirm(code, as: courier, headers: same).status }
                #expect(answers.contains(200), "\(answers)")
                #expect(try await api.confirm(code, as: courier, headers: same).status == 200)
            }
        }
    }

    /// A transaction that keeps answers would give each wrong try back.
    @Test func `a wrong code counts though it comes with a key`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let code = try await api.code(to: courier.login)
            for number in 0..<5 {
                let key = ["Idempotency-Key": "try-\(number)"]
                #expect(try await api.confirm(otherCode(than: code), as: courier, headers: key).status == 422)
            }
            #expect(try await api.confirm(code, as: courier).code == "wrong_code")
        }
    }

    @Test func `a confirmation that is sent again with its key is answered the same`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let code = try await api.code(to: courier.login)
            let first = try await api.confirm(code, as: courier, headers: ["Idempotency-Key": "one"])
            let again = try await api.confirm(code, as: courier, headers: ["Idempotency-Key": "one"])
            #expect(first.status == 200 && again.status == 200 && again.json == first.json)
            #expect(again.reply.header("idempotent-replayed") == "true")
        }
    }

    @Test func `tries at once are no more than the five allowed`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let wrong = otherCode(than: try await api.code(to: courier.login))
            _ = try await together(12) { try await api.confirm(wrong, as: courier) }
            #expect(try await api.execute("SELECT tries_left FROM confirmations") == [["0"]])
        }
    }

    /// Otherwise somebody who holds a number unproven would have codes sent to whoever has proven it.
    @Test func `no code goes to a number that somebody else has proven meanwhile`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (phone, wanted) = (SamplePeople.phone(), SamplePeople.phone())
            let first = try await api.registerCourier(phone)
            let changing = try await api.registerCourier()
            #expect(try await api.change(phone: wanted, as: changing).status == 202)
            for (number, loser) in [(phone, first), (wanted, changing)] {
                let holder = try await api.registerCourier(number)
                let codes = try await api.execute(
                    "SELECT data->>'code' FROM outbox WHERE address = '\(number)' ORDER BY seq DESC LIMIT 1")
                #expect(try await api.confirm(codes[0][0] ?? "", as: holder).status == 200)
                let sent = try await api.kinds(to: number).count
                let answer = try await api.post("/v1/me/phone/code", as: loser.token)
                #expect(answer.status == 409 && ["phone_taken", "nothing_to_confirm"].contains(answer.code))
                #expect(try await api.kinds(to: number).count == sent)
            }
        }
    }

    @Test func `a code is over after ten minutes`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let lasts =
                "SELECT expires_at - now() BETWEEN interval '9 minutes' AND interval '10 minutes' FROM confirmations"
            #expect(try await api.execute(lasts) == [["t"]])
            try await api.execute("UPDATE confirmations SET expires_at = now()")
            let answer = try await api.confirm(try await api.code(to: courier.login), as: courier)
            #expect(answer.code == "wrong_code")
        }
    }

    @Test func `a code is good for one account and one place`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let phone = SamplePeople.phone()
            let (one, other) = (try await api.registerCourier(phone), try await api.registerCourier(phone))
            let codes = try await api.execute("SELECT data->>'code' FROM outbox ORDER BY seq").compactMap { $0[0] }
            try #require(codes.count == 2 && codes[0] != codes[1])
            #expect(try await api.confirm(codes[0], as: other).code == "wrong_code")
            // Asking for another number makes the code to the first one good for nothing.
            #expect(try await api.change(phone: SamplePeople.phone(), as: one).status == 202)
            #expect(try await api.confirm(codes[0], as: one).code == "wrong_code")
            #expect(try await api.confirm(codes[1], as: other).status == 200)
        }
    }

    /// A reader of the table can try no codes against what is kept.
    @Test func `no code is kept but in its message`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let courier = try await api.registerCourier()
            let code = try await api.code(to: courier.login)
            let rows = try await api.execute(
                "SELECT confirmations::text, sha256('\(code)')::text, code_hash::text FROM confirmations")
            #expect(rows[0][0]?.contains(code) == false && rows[0][1] != rows[0][2])
            _ = try await api.confirm(code, as: courier)
            #expect(try await api.execute("SELECT FROM confirmations").isEmpty)
        }
    }

    @Test func `codes are sent to one place seldom, whoever asks`() async throws {
        try await ServedProduct.serving(looseness: 1, verifies: true) { api in
            let phone = SamplePeople.phone()
            var couriers: [Person] = []
            for _ in 0..<8 { couriers.append(try await api.registerCourier(phone)) }
            #expect(try await api.kinds(to: phone).count == 5)
            #expect(try await api.post("/v1/me/phone/code", as: couriers[7].token).status == 429)
        }
    }

    // MARK: What an unproven one may not

    /// The attack: somebody registers another's number, and waits for the invites to it on a phone of its own.
    @Test func `whoever registers another's number gets none of its invites`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, phone) = (try await api.store(), SamplePeople.phone())
            let thief = try await api.registerCourier(phone)
            _ = try await api.call("PUT", "/v1/me/devices/thief", ["platform": "fcm"], as: thief.token)
            let made = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token)
            #expect(made.status == 201 && made.json["channel"] == "sms")
            let sent = try await api.execute("SELECT channel, address FROM outbox WHERE kind = 'invite'")
            #expect(sent == [["sms", phone]])
            #expect(try await api.get("/v1/invites", as: thief.token).items.isEmpty)
            let events = try await api.get("/v1/events", as: thief.token).items
            #expect(!events.contains { $0["type"] == "invite.received" })
            let id = made.json["id"].string ?? ""
            let refused = try await api.post("/v1/invites/\(id)/accept", as: thief.token)
            #expect(refused.status == 403 && refused.code == "phone_unverified")
            #expect(try await api.execute("SELECT FROM partners").isEmpty)
        }
    }

    @Test func `a code makes the partner, and proves no number`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, phone) = (try await api.store(), SamplePeople.phone())
            let code = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token).json["code"]
            let courier = try await api.registerCourier(phone, ["invite_code": code])
            #expect(try await api.get("/v1/partners", as: courier.token).items.count == 1)
            #expect(try await api.get("/v1/me", as: courier.token).json["phone_verified"] == false)
        }
    }

    @Test func `a proven number has its invites listed and accepted without their codes`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, phone) = (try await api.store(name: "Kod Mare"), SamplePeople.phone())
            let id = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token).json["id"]
            let courier = try await api.registerCourier(phone)
            _ = try await api.confirm(try await api.code(to: phone), as: courier)
            #expect(try await api.get("/v1/invites", as: courier.token).items.map { $0["id"] } == [id])
            let path = "/v1/invites/\(id.string ?? "")/accept"
            #expect(try await api.post(path, as: try await api.courier().token).status == 404)
            let joined = try await api.post(path, as: courier.token)
            #expect(joined.status == 201 && joined.json["store"]["name"] == "Kod Mare")
            #expect(try await api.post(path, as: courier.token).code == "already_partner")
        }
    }

    @Test func `a number that a partner has is not invited, proven or not`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, phone) = (try await api.store(), SamplePeople.phone())
            let code = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token).json["code"]
            let courier = try await api.registerCourier(phone, ["invite_code": code])
            let again = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token)
            #expect(again.status == 409 && again.code == "already_partner")
            #expect(try await api.post("/v1/invites", ["phone": .string(phone)], as: api.store().token).status == 201)
            _ = try await api.confirm(try await api.code(to: phone), as: courier)
            #expect(
                try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token).code == "already_partner")
        }
    }

    @Test func `an invite by account is accepted without its code`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let id = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json["id"]
            let path = "/v1/invites/\(id.string ?? "")/accept"
            let answers = try await together(6) { try await api.post(path, as: courier.token) }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.code == "already_partner" } == 5)
        }
    }

    @Test func `a number that is not proven gets no SMS but its code and invites by number`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, courier) = (try await api.store(), try await api.registerCourier())
            try await api.join(store, courier)
            let other = try await api.store()
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: other.token)
            #expect(made.status == 201 && made.json["channel"] == "link")
            // A cancellation goes by SMS where there is no device.
            let id = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", id, as: courier)
            try await api.act("cancel", id, as: store)
            #expect(try await api.kinds(to: courier.login) == ["confirmation_code"])
            let second = try await api.delivery(of: store, to: [courier])
            _ = try await api.confirm(try await api.code(to: courier.login), as: courier)
            try await api.act("accept", second, as: courier)
            try await api.act("cancel", second, as: store)
            #expect(try await api.kinds(to: courier.login).contains("delivery_cancelled"))
        }
    }

    /// The attack: fresh stores send SMS to strangers as fast as they can register.
    @Test func `a store that has proven nothing sends no SMS`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, courier) = (try await api.registerStore(), try await api.courier())
            for form: JSON in [["phone": .string(SamplePeople.phone())], ["courier_id": .string(courier.id)]] {
                let made = try await api.post("/v1/invites", form, as: store.token)
                #expect(made.status == 201 && made.json["channel"] == "link")
                #expect(made.json["code"].string?.isEmpty == false && made.json["url"].string?.isEmpty == false)
            }
            #expect(try await api.execute("SELECT FROM outbox WHERE kind = 'invite'").isEmpty)
            _ = try await api.confirm(try await api.code(to: store.login), "email", as: store)
            let made = try await api.post("/v1/invites", ["phone": .string(SamplePeople.phone())], as: store.token)
            #expect(made.json["channel"] == "sms")
        }
    }

    /// A push that cannot arrive any more goes by SMS otherwise.
    @Test func `a device that goes away makes no SMS of an unproven store's invite`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let (store, courier) = (try await api.registerStore(), try await api.courier())
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: courier.token)
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
            #expect(made.json["channel"] == "push")
            _ = try await api.call("DELETE", "/v1/me/devices/d", as: courier.token)
            #expect(try await api.execute("SELECT FROM outbox WHERE kind = 'invite'").isEmpty)
        }
    }

    @Test func `one SMS a day invites a number, however many stores do`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let phone = SamplePeople.phone()
            var stores: [Person] = []
            for _ in 0..<6 { stores.append(try await api.store()) }
            let all = stores
            let turns = Counter()
            let answers = try await together(6) {
                try await api.post("/v1/invites", ["phone": .string(phone)], as: all[turns.next() % 6].token)
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(answers.count { $0.json["channel"] == "sms" } == 1)
            #expect(answers.count { $0.json["channel"] == "link" } == 5)
            #expect(try await api.kinds(to: phone) == ["invite"])
            try await api.execute("UPDATE invited_numbers SET invited_at = now() - interval '25 hours'")
            let next = try await api.post("/v1/invites", ["phone": .string(phone)], as: try await api.store().token)
            #expect(next.json["channel"] == "sms")
        }
    }

    @Test func `nothing but codes goes to an address that is not proven`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let store = try await api.registerStore()
            _ = try await api.call(
                "PUT", "/v1/me/password",
                ["current_password": .string(SamplePeople.password), "new_password": "palačinke-s-orasima"],
                as: store.token)
            _ = try await api.signIn(store.login, "palačinke-s-orasima")
            _ = try await api.post("/v1/password_resets", ["email": .string(store.login)])
            #expect(try await api.kinds(to: store.login) == ["confirmation_code", "password_reset"])
        }
    }

    // MARK: Taking over

    @Test func `proving a number takes it from whoever only said that it was theirs`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let phone = SamplePeople.phone()
            let (squatter, owner) = (try await api.registerCourier(phone), try await api.registerCourier(phone))
            #expect(try await api.confirm(try await api.code(to: phone), as: owner).status == 200)
            let left = try await api.get("/v1/me", as: squatter.token)
            #expect(left.status == 200 && left.json["phone"] == .null && left.json["phone_verified"] == false)
            #expect(left.json["first_name"] == "Ana")
            #expect(try await api.signIn(phone).json["account"]["id"] == .string(owner.id))
            let taken = try await api.post("/v1/couriers", SamplePeople.courierForm().with(["phone": .string(phone)]))
            #expect(taken.status == 409 && taken.code == "phone_taken")
            // Who has lost it goes on with another one.
            let other = SamplePeople.phone()
            #expect(try await api.change(phone: other, as: squatter).status == 202)
            #expect(try await api.confirm(try await api.code(to: other), as: squatter).json["phone"] == .string(other))
        }
    }

    @Test func `proving an address takes it from whoever only said that it was theirs`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let email = SamplePeople.email()
            let squatter = try await api.registerStore(["email": .string(email.uppercased())])
            let owner = try await api.registerStore(["email": .string(email)])
            #expect(try await api.confirm(try await api.code(to: email), "email", as: owner).status == 200)
            let left = try await api.get("/v1/me", as: squatter.token)
            #expect(left.status == 200 && left.json["email"] == .null && left.json["email_verified"] == false)
            #expect(left.json["name"] == "Pekara")
            #expect(try await api.signIn(email).json["account"]["id"] == .string(owner.id))
            let taken = try await api.post("/v1/stores", SamplePeople.storeForm().with(["email": .string(email)]))
            #expect(taken.status == 409 && taken.code == "email_taken")
            // Who has lost it goes on with another one.
            let other = SamplePeople.email()
            let form: JSON = ["email": .string(other), "current_password": .string(SamplePeople.password)]
            #expect(try await api.call("PUT", "/v1/me/email", form, as: squatter.token).status == 202)
            let proven = try await api.confirm(try await api.code(to: other), "email", as: squatter)
            #expect(proven.json["email"] == .string(other))
        }
    }

    @Test func `of all who prove a number at once one has it`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            for _ in 0..<4 {
                let phone = SamplePeople.phone()
                var couriers: [(Person, String)] = []
                for _ in 0..<6 {
                    let courier = try await api.registerCourier(phone)
                    couriers.append((courier, try await api.code(to: phone)))
                }
                let (all, turns) = (couriers, Counter())
                let answers = try await together(6) {
                    let (courier, code) = all[turns.next() % 6]
                    return try await api.confirm(code, as: courier)
                }
                #expect(answers.count { $0.status == 200 } == 1)
                #expect(answers.allSatisfy { $0.status == 200 || $0.code == "phone_taken" || $0.code == "wrong_code" })
                let holders =
                    "SELECT count(*), count(*) FILTER (WHERE phone_verified) FROM couriers WHERE phone = '\(phone)'"
                #expect(try await api.execute(holders) == [["1", "1"]])
            }
        }
    }

    @Test func `the database gives no number to two who have proven it`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.courier(), try await api.courier())
            await expectRefusal(by: "phone_taken") {
                try await api.execute("UPDATE couriers SET phone = '\(one.login)' WHERE id = '\(other.id)'")
            }
            await expectRefusal(by: "courier_verified_phone") {
                try await api.execute("UPDATE couriers SET phone = NULL")
            }
        }
    }

    @Test func `the password decides who signs in with a number that several say is theirs`() async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let phone = SamplePeople.phone()
            let passwords = ["juha-od-rajčice", "rižoto-s-liganjima", "štrudla-od-jabuka"]
            var couriers: [Person] = []
            for password in passwords {
                couriers.append(try await api.registerCourier(phone, ["password": .string(password)]))
            }
            for (courier, password) in zip(couriers, passwords) {
                #expect(try await api.signIn(phone, password).json["account"]["id"] == .string(courier.id))
            }
            #expect(try await api.signIn(phone, "krumpir-na-tavi").status == 401)
            // They share a salt, so that however many there are, one hash tells.
            let salts = "SELECT DISTINCT split_part(password_hash, '$', 4) FROM accounts"
            #expect(try await api.execute(salts).count == 1)
            _ = try await api.call(
                "PUT", "/v1/me/password", ["current_password": .string(passwords[0]), "new_password": "kruh-sa-sirom"],
                as: couriers[0].token)
            #expect(try await api.execute(salts).count == 1)
            #expect(try await api.signIn(phone, "kruh-sa-sirom").json["account"]["id"] == .string(couriers[0].id))
        }
    }

    @Test func `of two with one number and one password, who was at the address signs in, else the newer`() async throws
    {
        try await ServedProduct.serving(verifies: true) { api in
            let phone = SamplePeople.phone()
            let (older, newer) = (try await api.registerCourier(phone), try await api.registerCourier(phone))
            func whoSignsIn() async throws -> String? {
                try await api.signIn(phone).json["account"]["id"].string
            }
            for _ in 0..<3 { #expect(try await whoSignsIn() == newer.id) }
            // From then on only the older one has been here.
            try await api.execute("DELETE FROM used_addresses WHERE account_id = '\(newer.id)'")
            for _ in 0..<3 { #expect(try await whoSignsIn() == older.id) }
            try await api.execute("DELETE FROM used_addresses")
            #expect(try await whoSignsIn() == newer.id)
            // Whoever has proven it is the only one, wherever that is asked.
            try await api.execute("SELECT prove_place('\(older.id)', '\(phone)')")
            #expect(try await whoSignsIn() == older.id)
        }
    }

    /// The attack: as many accounts by somebody's number as it takes until that one is not found any more.
    @Test(arguments: [true, false]) func `nobody is pushed out by those who say later that a number is theirs`(
        _ isFirst: Bool
    ) async throws {
        try await ServedProduct.serving(verifies: true) { api in
            let phone = SamplePeople.phone()
            if !isFirst { for _ in 0..<25 { _ = try await api.registerCourier(phone) } }
            let owner = try await api.registerCourier(phone, ["password": "juha-od-rajčice"])
            if isFirst {
                for _ in 0..<25 { _ = try await api.registerCourier(phone) }
                // Wherever it is.
                try await api.execute("DELETE FROM used_addresses")
            } else {
                // The first of all is wherever it has been before.
                try await api.execute("DELETE FROM used_addresses WHERE account_id <> '\(owner.id)'")
            }
            #expect(try await api.signIn(phone, "juha-od-rajčice").json["account"]["id"] == .string(owner.id))
            #expect(try await api.post("/v1/password_resets", ["phone": .string(phone)]).status == 202)
            #expect(try await api.execute("SELECT account_id FROM reset_codes") == [[owner.id]])
        }
    }

    // MARK: Without verification

    @Test func `without verification everybody counts as proven, and nothing is sent`() async throws {
        try await ServedProduct.serving { api in
            let (courier, store) = (try await api.registerCourier(), try await api.registerStore())
            #expect(try await api.get("/v1/me", as: courier.token).json["phone_verified"] == true)
            #expect(try await api.get("/v1/me", as: store.token).json["email_verified"] == true)
            #expect(try await api.execute("SELECT FROM outbox").isEmpty)
            let phone = SamplePeople.phone()
            let changed = try await api.change(phone: phone, as: courier)
            #expect(changed.status == 200 && changed.json["phone"] == .string(phone))
            #expect(try await api.kinds(to: courier.login) == ["login_changed"])
        }
    }

    @Test(arguments: [true, false]) func `everybody is told what this server is`(_ verifies: Bool) async throws {
        try await ServedProduct.serving(verifies: verifies) { api in
            let about = try await api.get("/v1/about")
            #expect(about.status == 200 && about.json["verification"] == (verifies ? "on" : "off"))
            #expect(about.json["version"] == "0" && about.json["languages"] == ["en", "de", "hr"])
            #expect(about.json["channels"] == ["push": "silent", "sms": "silent", "email": "silent"])
            for name in ["web_push_key", "map", "router", "geocoder", "weather"] {
                #expect(about.json.names.contains(name) && about.json[name] == .null)
            }
            _ = try await api.claim(try await api.key(), channel: "sms")
            let channels = try await api.get("/v1/about").json["channels"]
            #expect(channels == ["push": "silent", "sms": "live", "email": "silent"])
            try await api.execute("UPDATE channel_claims SET claimed_at = now() - interval '6 minutes'")
            #expect(try await api.get("/v1/about").json["channels"]["sms"] == "silent")
        }
    }
}
