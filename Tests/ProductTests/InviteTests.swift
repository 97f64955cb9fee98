import HTTP
import TestSupport
import Testing

/// Invites: how they are made, what goes out, who sees them, how they are taken back.
@Suite(.database) struct InviteTests {
    private func invite(_ api: ServedProduct, _ store: Person, _ courier: Person) async throws -> Answer {
        try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
    }

    @Test func `a courier with a device gets a push`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example") { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier(language: "hr"))
            for device in ["one", "two"] {
                _ = try await api.call("PUT", "/v1/me/devices/\(device)", ["platform": "fcm"], as: courier.token)
            }
            let answer = try await invite(api, store, courier)
            #expect(answer.status == 201 && answer.json["channel"] == "push")
            #expect(answer.json.names == ["id", "code", "url", "channel", "channel_is_live", "expires_at"])
            let code = try #require(answer.json["code"].string)
            #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/) != nil)
            #expect(answer.json["url"] == .string("https://kurir.example/i/\(code)"))
            let sent = try await api.execute(
                """
                SELECT address, platform, language, kind, data->>'type', data->>'code', data->>'invite_id',
                    data->>'url', body LIKE '%Kod Mare%', account_id::text
                FROM outbox WHERE channel = 'push' ORDER BY address
                """)
            let expected = [
                "fcm", "hr", "invite", "invite", code, answer.json["id"].string, answer.json["url"].string, "t",
                courier.id,
            ]
            #expect(sent == [["one"] + expected, ["two"] + expected])
            #expect(try await api.execute("SELECT FROM outbox").count == 2)
        }
    }

    @Test(arguments: [true, false])
    func `a courier without device or notifications gets an SMS`(_ hasDevice: Bool) async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier(language: "hr"))
            if hasDevice {
                _ = try await api.call("PUT", "/v1/me/devices/one", ["platform": "fcm"], as: courier.token)
                _ = try await api.call("PATCH", "/v1/me", ["notifications_enabled": false], as: courier.token)
            }
            let answer = try await invite(api, store, courier)
            #expect(answer.status == 201 && answer.json["channel"] == "sms")
            let (code, url) = (answer.json["code"].string ?? "", answer.json["url"].string ?? "")
            let sent = try await api.execute("SELECT channel, address, platform, language, body FROM outbox")
            #expect(sent.count == 1 && Array(sent[0].prefix(4)) == ["sms", courier.login, nil, "hr"])
            #expect(sent[0][4]?.contains(code) == true && sent[0][4]?.contains(url) == true)
        }
    }

    @Test func `a number without an account gets an SMS in the language of the store`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store(language: "hr")
            let answer = try await api.post("/v1/invites", ["phone": "091 765-4321"], as: store.token)
            #expect(answer.status == 201 && answer.json["channel"] == "sms")
            let sent = try await api.execute("SELECT address, language, account_id FROM outbox")
            #expect(sent == [["+385917654321", "hr", nil]])
        }
    }

    @Test func `there is no other invite while one is live`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let first = try await invite(api, store, courier)
            let again = try await invite(api, store, courier)
            let byNumber = try await api.post("/v1/invites", ["phone": .string(courier.login)], as: store.token)
            for answer in [again, byNumber] { #expect(answer.status == 200 && answer.json == first.json) }
            #expect(try await api.execute("SELECT FROM outbox").count == 1)
            let other = try await invite(api, try await api.store(), courier)
            #expect(other.status == 201 && other.json["code"] != first.json["code"])
        }
    }

    @Test func `there can be another invite after one is over`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let first = try await invite(api, store, courier)
            try await api.execute("UPDATE invites SET expires_at = now() - interval '1 second'")
            let second = try await invite(api, store, courier)
            #expect(second.status == 201 && second.json["id"] != first.json["id"])
            let id = second.json["id"].string ?? ""
            #expect(try await api.call("DELETE", "/v1/invites/\(id)", as: store.token).status == 204)
            #expect(try await invite(api, store, courier).status == 201)
            let states = try await api.get("/v1/invites", as: store.token).items.map { $0["state"] }
            #expect(states == ["live", "revoked", "expired"])
        }
    }

    @Test func `a partner is not invited`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            try await api.join(store, courier)
            let answer = try await invite(api, store, courier)
            #expect(answer.status == 409 && answer.code == "already_partner")
            #expect(try await api.execute("SELECT FROM outbox").isEmpty)
        }
    }

    @Test func `an invite must say clearly who is invited`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let forms: [(JSON, [String: String])] = [
                ([:], ["courier_id": "courier_or_phone"]),
                (["courier_id": .string(courier.id), "phone": "+385912345678"], ["courier_id": "courier_or_phone"]),
                (["courier_id": .string(store.id)], ["courier_id": "unknown_courier"]),
                (["courier_id": "x"], ["courier_id": "invalid_id"]), (["phone": "x"], ["phone": "invalid_phone"]),
            ]
            for (form, wrong) in forms {
                let answer = try await api.post("/v1/invites", form, as: store.token)
                #expect(answer.status == 422 && answer.wrong == wrong)
            }
        }
    }

    @Test func `what a store writes is in the push, in the app and on the page, but in no SMS`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier())
            let message: JSON = "Tražimo <kurire>\nza vikend: evil.com"
            for device in ["", "one"] {
                if !device.isEmpty {
                    _ = try await api.call("PUT", "/v1/me/devices/\(device)", ["platform": "fcm"], as: courier.token)
                }
                let form: JSON = ["courier_id": .string(courier.id), "message": message]
                let made = try await api.post("/v1/invites", form, as: try await api.store().token)
                #expect(made.status == 201)
                let page = try await api.get("/i/\(made.json["code"].string ?? "")").reply.text
                #expect(page.contains("Tražimo &lt;kurire&gt;<br>za vikend"))
            }
            let told = try await api.execute(
                "SELECT channel, body LIKE '%za vikend%', data::text LIKE '%vikend%' FROM outbox ORDER BY seq")
            #expect(told == [["sms", "f", "f"], ["push", "t", "f"]])
            // A push that does not arrive is followed by an SMS.
            _ = try await api.call("DELETE", "/v1/me/devices/one", as: courier.token)
            #expect(try await api.execute("SELECT FROM outbox WHERE (title || body) LIKE '%vikend%'").isEmpty)
            let got = try await api.get("/v1/invites", as: courier.token).items
            #expect(got.map { $0["message"] } == [message, message])
            _ = try await invite(api, store, courier)
            #expect(try await api.get("/v1/invites", as: store.token).items.map { $0["message"] } == [.null])
            try await api.numberEvents()
            let events = try await api.get("/v1/events", as: courier.token).items
            #expect(events.map { $0["data"]["message"] } == [message, message, .null])
        }
    }

    @Test func `an invite says whether anything sends what waits for its channel`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            func invited() async throws -> Answer {
                try await api.post("/v1/invites", ["phone": .string(SamplePeople.phone())], as: store.token)
            }
            func listed() async throws -> [JSON] { try await api.get("/v1/invites", as: store.token).items }
            #expect(try await invited().json["channel_is_live"] == false)
            #expect(try await listed().map { $0["channel_is_live"] } == [false])
            _ = try await api.claim(try await api.key())
            #expect(try await invited().json["channel_is_live"] == true)
            #expect(try await listed().map { $0["channel_is_live"] } == [true, true])
            try await api.execute("UPDATE stores SET email_verified = false")
            let byLink = try await invited().json
            #expect(byLink["channel"] == "link" && byLink["channel_is_live"] == false)
            // Of what cannot be redeemed any more nothing is said.
            let link = "/v1/invites/\(byLink["id"].string ?? "")"
            #expect(try await api.call("DELETE", link, as: store.token).status == 204)
            #expect(try await listed().map { $0["channel_is_live"] } == [.null, true, true])
        }
    }

    /// Whoever sends pushes to phones reaches nobody who has a browser alone, while nodes send to browsers themselves.
    @Test func `what is said of a push is so for the devices of that courier`() async throws {
        try await ServedProduct.serving { api in
            let (phone, browser) = (try await api.courier(), try await api.courier())
            _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: phone.token)
            let subscribed = try await api.call(
                "PUT", "/v1/me/devices/d", Subscription.json("https://push.example/1"), as: browser.token)
            try #require(subscribed.status == 204)
            func live(_ courier: Person) async throws -> JSON {
                let store = try await api.store()
                let invited = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
                #expect(invited.json["channel"] == "push")
                let listed = try await api.get("/v1/invites", as: store.token).items
                #expect(listed.map { $0["channel_is_live"] } == [invited.json["channel_is_live"]])
                return invited.json["channel_is_live"]
            }
            for courier in [phone, browser] { #expect(try await live(courier) == false) }
            _ = try await api.execute("SELECT FROM outbox_take('webpush', 10, 60)")
            #expect(try await live(phone) == false)
            #expect(try await live(browser) == true)
        }
    }

    /// The code comes by the invited number, so that an account alone does not reveal it.
    @Test func `a courier sees who invites but not the code`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier())
            let made = try await invite(api, store, courier)
            let byNumber = try await api.post(
                "/v1/invites", ["phone": "+385911111111"], as: try await api.store(name: "Kod Joze").token)
            try await api.execute("UPDATE couriers SET phone = '+385911111111'")
            let got = try await api.get("/v1/invites", as: courier.token).items
            #expect(got.map { $0["store"]["name"] } == ["Kod Joze", "Kod Mare"])
            #expect(got.map { $0["state"] } == ["live", "live"] && byNumber.status == 201)
            for invite in got { #expect(invite["code"] == .null && invite["url"] == .null && invite["phone"] == .null) }
            let sent = try await api.get("/v1/invites", as: store.token).items
            #expect(sent.count == 1 && sent[0]["code"] == made.json["code"] && sent[0]["url"] == made.json["url"])
            #expect(sent[0]["courier"]["first_name"] == "Ana" && sent[0]["phone"] == .null)
            #expect(try await api.get("/v1/invites", as: try await api.courier().token).items.isEmpty)
        }
    }

    @Test func `lists go on where they were though invites come`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for _ in 0..<5 { _ = try await invite(api, store, try await api.courier()) }
            let all = try await api.get("/v1/invites", as: store.token).items
            let first = try await api.get("/v1/invites?limit=2", as: store.token)
            _ = try await invite(api, store, try await api.courier())
            let cursor = try #require(first.json["next_cursor"].string)
            let second = try await api.get("/v1/invites?limit=3&cursor=\(cursor)", as: store.token)
            #expect(first.items + second.items == all && second.json["next_cursor"] == .null)
            for wrong in ["x", "", "WyJ4Il0", "e30"] {
                let answer = try await api.get("/v1/invites?cursor=\(wrong)", as: store.token)
                #expect(answer.status == 422 && answer.wrong == ["cursor": "invalid_cursor"])
            }
            for wrong in ["0", "201", "x", "-1"] {
                let answer = try await api.get("/v1/invites?limit=\(wrong)", as: store.token)
                #expect(answer.status == 422 && answer.wrong == ["limit": "out_of_range"])
            }
        }
    }

    @Test func `an invite that is taken back is withdrawn`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let id = try await invite(api, store, courier).json["id"].string ?? ""
            #expect(try await api.call("DELETE", "/v1/invites/\(id)", as: try await api.store().token).status == 404)
            #expect(try await api.execute("SELECT FROM outbox").count == 1)
            for _ in 0..<2 { #expect(try await api.call("DELETE", "/v1/invites/\(id)", as: store.token).status == 204) }
            #expect(try await api.execute("SELECT FROM outbox").isEmpty)
            #expect(try await api.call("DELETE", "/v1/invites/x", as: store.token).status == 404)
        }
    }

    @Test func `a redeemed invite cannot be taken back`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let made = try await invite(api, store, courier).json
            #expect(try await api.post("/v1/partners", ["code": made["code"]], as: courier.token).status == 201)
            let answer = try await api.call("DELETE", "/v1/invites/\(made["id"].string ?? "")", as: store.token)
            #expect(answer.status == 410 && answer.code == "code_used")
            #expect(try await api.get("/v1/invites", as: store.token).items.map { $0["state"] } == ["redeemed"])
        }
    }

    /// The message has the code. Nothing else has it or its plain hash.
    @Test func `no code of an invite is kept`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let code = try await invite(api, store, courier).json["code"].string ?? ""
            let plain = code.filter { $0 != "-" }
            let tables = try await api.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT IN ('outbox', 'messages') AND table_name NOT LIKE 'messages_20%'"
            )
            try #require(tables.count > 10)
            for table in tables {
                let rows = try await api.execute("SELECT t::text FROM \(table[0] ?? "") t").joined().compactMap(\.self)
                #expect(!rows.contains { $0.contains(code) || $0.contains(plain) })
            }
            let unlike = "SELECT FROM invites WHERE code_hash IN (sha256('\(code)'), sha256('\(plain)'))"
            #expect(try await api.execute(unlike).isEmpty)
        }
    }

    /// Ten requests at once make one invite, and send one message.
    @Test func `one of many invites at once is made`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for _ in 0..<100 {
                let form: JSON = ["phone": .string(SamplePeople.phone())]
                let answers = try await together(10) { try await api.post("/v1/invites", form, as: store.token) }
                #expect(answers.count { $0.status == 201 } == 1 && answers.count { $0.status == 200 } == 9)
                #expect(Set(answers.map(\.reply.body)).count == 1)
            }
            #expect(try await api.execute("SELECT FROM invites").count == 100)
            #expect(try await api.execute("SELECT FROM outbox").count == 100)
        }
    }

    /// Any store can type any number.
    @Test func `whose a number is that a store invites it learns when that courier accepts`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let invite = try await api.post("/v1/invites", ["phone": .string(courier.login)], as: store.token)
            let sent = try await api.get("/v1/invites", as: store.token).items
            #expect(sent[0]["phone"].string == courier.login && sent[0]["courier"] == .null)
            #expect(try await api.get("/v1/invites", as: courier.token).items.count == 1)
            #expect(try await api.post("/v1/partners", ["code": invite.json["code"]], as: courier.token).status == 201)
            let redeemed = try await api.get("/v1/invites", as: store.token).items
            #expect(redeemed[0]["courier"]["id"].string == courier.id && redeemed[0]["phone"] == .null)
        }
    }
}
