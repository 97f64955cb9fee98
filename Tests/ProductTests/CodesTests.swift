import HTTP
import Postgres
import TestSupport
import Testing

@testable import Outbox

/// Codes are not in `messages` once they have arrived or are void.
@Suite(.database) struct CodesTests {
    /// An invite of a number, and the code in it.
    private func invite(_ api: ServedProduct, _ store: Person) async throws -> (id: String, code: String, phone: String)
    {
        let phone = SamplePeople.phone()
        let made = try await api.post("/v1/invites", ["phone": .string(phone)], as: store.token)
        try #require(made.status == 201)
        return (made.json["id"].string ?? "", made.json["code"].string ?? "", phone)
    }

    /// How many messages have it, wherever in them.
    private func holders(_ api: ServedProduct, of code: String) async throws -> String? {
        try await api.execute("SELECT count(*) FROM messages m WHERE m::text LIKE '%\(code)%'")[0][0]
    }

    @Test func `a code that has arrived is forgotten, and one that waits is not`() async throws {
        try await ServedProduct.serving { api in
            let (key, store) = (try await api.key(), try await api.store())
            let (first, second) = (try await invite(api, store), try await invite(api, store))
            let messages = try await api.claim(key, 1)
            #expect(messages[0]["body"].string?.contains(first.code) == true)
            #expect(try await holders(api, of: first.code) == "1")
            #expect(try await api.tell(key, "ack", messages) == ["done"])
            #expect(try await holders(api, of: first.code) == "0")
            #expect(try await holders(api, of: second.code) == "1")
            // What is left of it says when something was sent to whom.
            let left = try await api.execute(
                "SELECT address, data->>'invite_id', body LIKE '%…%' FROM messages WHERE subject = '\(first.id)'")
            #expect(left == [[first.phone, first.id, "t"]])
        }
    }

    /// A push may go by SMS in the end, and has its words with it.
    @Test func `a code that went by push is forgotten in its SMS as well`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, courier) = (try await api.key("push"), try await api.store(), try await api.courier())
            _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
            let code = made.json["code"].string ?? ""
            #expect(made.json["channel"] == "push" && code.count == 11)
            let sms = "SELECT count(*) FROM messages WHERE sms LIKE '%\(code)%'"
            #expect(try await api.execute(sms) == [["1"]])
            #expect(try await api.tell(key, "ack", try await api.claim(key, channel: "push")) == ["done"])
            #expect(try await holders(api, of: code) == "0")
        }
    }

    @Test func `a code that is void is forgotten, also where a gateway has it`() async throws {
        try await ServedProduct.serving { api in
            let (key, store) = (try await api.key(), try await api.store())
            let (waiting, held) = (try await invite(api, store), try await invite(api, store))
            try await api.execute(
                "UPDATE message_queue SET ready_at = now() + interval '1 hour' WHERE subject = '\(waiting.id)'")
            #expect(try await api.claim(key).count == 1)
            for (id, code, _) in [waiting, held] {
                #expect(try await api.call("DELETE", "/v1/invites/\(id)", as: store.token).status == 204)
                #expect(try await holders(api, of: code) == "0")
            }
            let redeemed = try await invite(api, store)
            let form = SamplePeople.courierForm().with([
                "phone": .string(redeemed.phone), "invite_code": .string(redeemed.code),
            ])
            #expect(try await api.post("/v1/couriers", form).status == 201)
            #expect(try await holders(api, of: redeemed.code) == "0")
        }
    }

    @Test func `the code of a password is forgotten when it is used`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            _ = try await api.post("/v1/password_resets", ["phone": .string(courier.login)])
            let sent = try await api.execute("SELECT data->>'code' FROM outbox WHERE kind = 'password_reset'")
            let code = try #require(sent[0][0])
            let used = try await api.call(
                "PUT", "/v1/password_resets",
                ["phone": .string(courier.login), "code": .string(code), "new_password": "palačinke-s-orasima"])
            #expect(used.status == 204)
            #expect(try await holders(api, of: code) == "0")
        }
    }

    /// What was given up may be tried again, as long as that is of use.
    @Test func `a code that was given up is kept as long as it is good`() async throws {
        try await ServedProduct.serving { api in
            let (key, store) = (try await api.key(), try await api.store())
            let (id, code, _) = try await invite(api, store)
            let reason: [String: JSON] = ["reason": "no such number", "permanent": true]
            #expect(try await api.tell(key, "nack", try await api.claim(key), reason) == ["dead"])
            try await api.database.run(ForgetVoidCodes())
            let dead = try await api.get("/v1/outbox/dead", as: key).items
            #expect(dead.count == 1 && dead[0]["data"]["code"].string == code)
            let path = "/v1/outbox/dead/\(dead[0]["id"].string ?? "")/retry"
            #expect(try await api.post(path, as: key).status == 204)
            #expect(try await api.tell(key, "nack", try await api.claim(key), reason) == ["dead"])
            #expect(try await holders(api, of: code) == "1")
            #expect(try await api.call("DELETE", "/v1/invites/\(id)", as: store.token).status == 204)
            #expect(try await api.database.run(ForgetVoidCodes()) == [1])
            #expect(try await holders(api, of: code) == "0")
            #expect(try await api.post(path, as: key).status == 410)
        }
    }

    /// The push leaves the queue in the same commit.
    @Test func `a code that goes by another way has not been forgotten before`() async throws {
        try await ServedProduct.serving { api in
            let (key, store, courier) = (try await api.key(), try await api.store(), try await api.courier())
            _ = try await api.call("PUT", "/v1/me/devices/gone", ["platform": "fcm"], as: courier.token)
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
            let code = made.json["code"].string ?? ""
            let push = try await api.claim(key, channel: "push")
            #expect(
                try await api.tell(key, "nack", push, ["reason": "410", "unregistered": true]) == ["dead"])
            let text = try await api.claim(key)
            #expect(text.count == 1 && text[0]["body"].string?.contains(code) == true)
        }
    }

    /// As a migration finds them.
    @Test func `codes of before are forgotten, but for those that wait`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let (former, waiting) = (try await invite(api, store), try await invite(api, store))
            for sql in [
                "ALTER TABLE message_queue DISABLE TRIGGER code_is_forgotten",
                "DELETE FROM message_queue WHERE subject = '\(former.id)'",
                "ALTER TABLE message_queue ENABLE TRIGGER code_is_forgotten",
            ] { try await api.execute(sql) }
            #expect(try await holders(api, of: former.code) == "1")
            let step = "SELECT done FROM forget_former_codes('00000000-0000-0000-0000-000000000000')"
            #expect(try await api.execute(step) == [["2"]])
            #expect(try await holders(api, of: former.code) == "0")
            #expect(try await holders(api, of: waiting.code) == "1")
        }
    }
}
