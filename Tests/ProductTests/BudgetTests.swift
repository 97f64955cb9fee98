import Domain
import HTTP
import TestSupport
import Testing

/// Nobody spends the operator's money: where SMS go, how many, and who is told when there are no more.
@Suite(.database) struct BudgetTests {
    /// Rules with smaller budgets.
    private func budgets(_ ofStore: Int, _ toNumber: Int, _ inAll: Int) -> Trust {
        var trust = Trust()
        (trust.sms.ofStore, trust.sms.toNumber, trust.sms.inAll) = (ofStore, toNumber, inAll)
        return trust
    }

    private func invite(_ api: ServedProduct, _ number: String, by store: Person) async throws -> Answer {
        try await api.post("/v1/invites", ["phone": .string(number)], as: store.token)
    }

    /// The channel by which a new store invites a number.
    private func channel(_ api: ServedProduct, _ number: String) async throws -> String? {
        try await invite(api, number, by: try await api.store()).json["channel"].string
    }

    private func waiting(_ api: ServedProduct) async throws -> Int {
        try await api.execute("SELECT FROM message_queue WHERE channel = 'sms'").count
    }

    private func reasons(_ api: ServedProduct) async throws -> [String?] {
        try await api.execute("SELECT reason FROM messages_dead ORDER BY id").map { $0[0] }
    }

    // MARK: Attacks

    /// A store and a courier of one's own, and numbers that pay whoever is called. That they may not be invited is one bar,
    /// and that no SMS goes there another.
    @Test func `no SMS goes to a number at a premium, however often it is asked for`() async throws {
        try await ServedProduct.serving(looseness: 100) { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            for number in 0..<250 {
                let dear = "+38560\(1_000_000 + number)"
                let answer = try await invite(api, dear, by: store)
                #expect(answer.status == 422 && answer.wrong == ["phone": "not_mobile"])
                try await api.execute("UPDATE couriers SET phone = '\(dear)' WHERE id = '\(courier.id)'")
                #expect(try await api.post("/v1/password_resets", ["phone": .string(dear)]).status == 202)
            }
            #expect(try await waiting(api) == 0)
            #expect(Set(try await reasons(api)) == ["premium"])
        }
    }

    /// Each of seventeen new stores invites a hundred numbers; here with a tenth of all that.
    @Test func `fresh stores together send no more than all may`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(10, 5, 100)) { api in
            var stores: [Person] = []
            for _ in 0..<17 { stores.append(try await api.store()) }
            let answers = try await withThrowingTaskGroup(of: [Answer].self) { group in
                for store in stores {
                    group.addTask {
                        var answers: [Answer] = []
                        for _ in 0..<20 { answers.append(try await invite(api, SamplePeople.phone(), by: store)) }
                        return answers
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let sent = answers.count { $0.status == 201 }
            // Each has one more after a while.
            #expect((100...110).contains(sent))
            #expect(answers.count { $0.code == "budget_spent" && $0.reply.header("retry-after") != nil } == 340 - sent)
            #expect(try await waiting(api) == sent)
            // What was refused left nothing behind.
            #expect(try await api.execute("SELECT FROM invites").count == sent)
        }
    }

    @Test func `strangers get few SMS to one number, and can still be invited by link`() async throws {
        try await ServedProduct.serving(looseness: 100) { api in
            let courier = try await api.courier()
            try await api.execute("UPDATE sessions SET address = '192.0.2.1'")
            var channels: [String?] = []
            for _ in 0..<20 {
                let answer = try await invite(api, courier.login, by: try await api.store())
                #expect(answer.status == 201)
                channels.append(answer.json["channel"].string)
            }
            #expect(channels == ["sms"] + Array(repeating: "link", count: 19))
            // Each code voids the one before.
            for _ in 0..<40 {
                #expect(try await api.post("/v1/password_resets", ["phone": .string(courier.login)]).status == 202)
            }
            let sent = try await api.execute(
                "SELECT FROM messages WHERE NOT EXISTS (SELECT FROM messages_dead d WHERE d.id = messages.id)")
            #expect(sent.count == 5)
            #expect(Set(try await reasons(api)) == ["over_budget"])
        }
    }

    // MARK: Budgets

    /// What its own account needs is counted apart: what strangers do keeps nobody from being told.
    @Test func `strangers use up nothing of what an account needs itself`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 1, 1000)) { api in
            let (store, couriers) = try await api.team(1)
            let stranger = try await api.store()
            try await api.execute("UPDATE sessions SET address = '192.0.2.1'")
            #expect(try await invite(api, couriers[0].login, by: stranger).json["channel"] == "sms")
            #expect(try await api.post("/v1/password_resets", ["phone": .string(couriers[0].login)]).status == 202)
            #expect(try await reasons(api) == ["over_budget"])
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await api.act("cancel", id, as: store).status == 200)
            #expect(try await reasons(api) == ["over_budget"])
            #expect(try await api.execute("SELECT FROM outbox WHERE kind = 'delivery_cancelled'").count == 1)
        }
    }

    @Test func `a number gets five SMS a day by itself and five by strangers, apart`() async throws {
        try await ServedProduct.serving(looseness: 100) { api in
            let (store, couriers) = try await api.team(1)
            try await api.execute("UPDATE sessions SET address = '192.0.2.1'")
            for round in 1...7 {
                #expect(try await api.post("/v1/password_resets", ["phone": .string(couriers[0].login)]).status == 202)
                try await cancelled(api, store, couriers[0])
                for kind in ["password_reset", "delivery_cancelled"] {
                    #expect(try await sent(kind, api) == min(round, 5), "\(kind)")
                }
            }
            #expect(try await reasons(api) == Array(repeating: "over_budget", count: 4))
        }
    }

    /// Whoever can be told nothing more can still come back to the account.
    @Test func `a new password that is asked for from home has room of its own`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 1, 1000)) { api in
            let (store, courier) = (try await api.store(), try await api.registerCourier())
            try await api.join(store, courier)
            for _ in 0..<2 { try await cancelled(api, store, courier) }
            #expect(try await reasons(api) == ["over_budget"])
            for _ in 0..<2 {
                #expect(try await api.post("/v1/password_resets", ["phone": .string(courier.login)]).status == 202)
                #expect(try await sent("password_reset", api) == 1)
            }
            #expect(try await reasons(api) == ["over_budget", "over_budget"])
        }
    }

    /// The attack: an account of one's own by somebody else's number, so that it is asked for from where it is at home.
    @Test func `whoever only says that a number is its own has it sent no more than strangers`() async throws {
        try await ServedProduct.serving(looseness: 100, verifies: true) { api in
            let phone = SamplePeople.phone()
            let attacker = try await api.registerCourier(phone)
            for _ in 0..<8 {
                #expect(try await api.post("/v1/password_resets", ["phone": .string(phone)]).status == 202)
            }
            #expect(try await api.post("/v1/me/phone/code", as: attacker.token).code == "budget_spent")
            let sent = try await api.execute(
                "SELECT FROM messages WHERE NOT EXISTS (SELECT FROM messages_dead d WHERE d.id = messages.id)")
            #expect(sent.count == 5)
        }
    }

    /// Of a number and of all. What was asked for before stays good.
    @Test(arguments: [(2, 1000), (1000, 3)])
    func `who asks for a code is told that there is nothing left for it`(_ ofNumber: Int, _ inAll: Int) async throws {
        try await ServedProduct.serving(looseness: 100, verifies: true, trust: budgets(100, ofNumber, inAll)) { api in
            // Registering sends a code, too.
            let (other, courier) = (try await api.registerCourier(), try await api.registerCourier())
            #expect(try await api.post("/v1/me/phone/code", as: courier.token).status == 202)
            func kept() async throws -> [[String?]] {
                try await api.execute("SELECT c::text FROM confirmations c ORDER BY account_id")
            }
            let before = try await kept()
            for refused in [
                try await api.post("/v1/me/phone/code", as: courier.token),
                try await api.change(phone: courier.login, as: other),
            ] {
                #expect(refused.status == 429 && refused.code == "budget_spent")
                #expect(refused.reply.header("retry-after") != nil)
            }
            #expect(try await kept() == before)
            #expect(try await api.execute("SELECT FROM messages").count == 3)
            #expect(try await api.confirm(try await api.code(to: courier.login), as: courier).status == 200)
        }
    }

    @Test func `a budget is one for all nodes, and is not full again when one of them has ended`() async throws {
        let trust = budgets(100, 5, 7)
        try await ServedProduct.serving(looseness: 100, trust: trust) { api in
            let store = try await api.store()
            try await ServedProduct.another(looseness: 100, trust: trust) { node in
                var answers: [Answer] = []
                for round in 0..<10 {
                    answers.append(try await invite(round % 2 == 0 ? api : node, SamplePeople.phone(), by: store))
                }
                #expect(answers.map(\.status).prefix(7).allSatisfy { $0 == 201 })
                #expect(answers.dropFirst(7).allSatisfy { $0.code == "budget_spent" })
            }
            try await ServedProduct.another(looseness: 100, trust: trust) { node in
                for one in [api, node] {
                    let refused = try await invite(one, SamplePeople.phone(), by: store)
                    #expect(refused.code == "budget_spent")
                }
            }
            #expect(try await waiting(api) == 7)
        }
    }

    @Test func `a step is done although there is no budget to tell of it`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(2, 5, 1000)) { api in
            let (store, couriers) = try await api.team(4)
            for courier in couriers {
                let id = try await api.delivery(of: store, to: [courier])
                try await api.act("accept", id, as: courier)
                #expect(try await api.act("cancel", id, as: store).json["status"] == "cancelled")
            }
            #expect(try await waiting(api) == 2)
            #expect(try await reasons(api) == ["over_budget", "over_budget"])
        }
    }

    /// The database decides between those who ask at the same moment.
    @Test func `of many who ask at once only as many get through as there is budget`() async throws {
        try await ServedProduct.serving(looseness: 100, poolSize: 8, trust: budgets(7, 5, 1000)) { api in
            let store = try await api.store()
            let answers = try await together(40) { try await invite(api, SamplePeople.phone(), by: store) }
            #expect(answers.count { $0.status == 201 } == 7)
            #expect(answers.count { $0.code == "budget_spent" } == 33)
            #expect(try await waiting(api) == 7)
        }
    }

    /// Somebody's money is not forgotten by a crash, or by a standby that takes over.
    @Test func `budgets are in tables that survive a crash`() async throws {
        try await ServedProduct.serving { api in
            let kinds = try await api.execute(
                "SELECT relname, relpersistence FROM pg_class WHERE relname IN ('sms_budgets', 'sms_stops', 'trust') ORDER BY 1"
            )
            #expect(kinds == [["sms_budgets", "p"], ["sms_stops", "p"], ["trust", "p"]])
        }
    }

    @Test func `it is told once that a budget is nearly used and once that it is`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(5, 100, 1000)) { api in
            let store = try await api.store()
            var told: [String?] = []
            for _ in 0..<5 {
                _ = try await invite(api, SamplePeople.phone(), by: store)
                told.append(try await api.execute("SELECT told FROM sms_budgets WHERE kind = 'store'")[0][0])
            }
            #expect(told == ["0", "0", "0", "80", "100"])
            // The store sees it, too, and no number is named.
            let seen = try await api.get("/v1/me/security", as: store.token).items.compactMap { $0["kind"].string }
            #expect(seen == ["budget.spent", "budget.nearly_spent"])
            let noted = try await api.execute("SELECT DISTINCT detail::text FROM audit")
            #expect(noted == [[#"{"budget": "store"}"#]])
        }
    }

    @Test func `without throttles there are no budgets, and the countries stay`() async throws {
        try await ServedProduct.serving(trust: budgets(1, 1, 1)) { api in
            var channels: [String?] = []
            for number in ["+385911112222", "+385911112222", "+385911112222", "+38641123456"] {
                channels.append(try await channel(api, number))
            }
            #expect(channels == ["sms", "sms", "sms", "link"])
        }
    }

    // MARK: Another go

    @Test func `another go is judged like the first`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 1, 1000)) { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key("sms")
            for _ in 0..<2 { try await cancelled(api, store, couriers[0]) }
            let retry = try await retryOfDead("over_budget", api)
            let refused = try await api.post(retry, as: key)
            #expect(refused.status == 429 && refused.code == "budget_spent")
            #expect(refused.reply.header("retry-after") != nil)
            #expect(try await reasons(api) == ["over_budget"])
            #expect(try await waiting(api) == 1)
            // A day later there is room for one more, which it takes.
            try await api.execute("UPDATE sms_budgets SET drained_at = drained_at - interval '1 day'")
            #expect(try await api.post(retry, as: key).status == 204)
            #expect(try await waiting(api) == 2)
            try await cancelled(api, store, couriers[0])
            #expect(try await reasons(api) == ["over_budget"])
            // What was let through is counted: a gateway's failure costs nothing more.
            let held = try await api.claim(key)
            #expect(try await api.tell(key, "nack", held, ["reason": "no", "permanent": true]) == ["dead"])
            #expect(try await api.post(try await retryOfDead("no", api), as: key).status == 204)
            #expect(try await waiting(api) == 2)
        }
    }

    /// Two stores invite a courier by push, whose phone is gone: both would go by SMS.
    @Test func `an invite that was one too many of a day is raised on the next`() async throws {
        try await ServedProduct.serving(looseness: 100) { api in
            let courier = try await api.courier()
            _ = try await api.call("PUT", "/v1/me/devices/gone", ["platform": "fcm"], as: courier.token)
            for _ in 0..<2 { #expect(try await channel(api, courier.login) == "push") }
            let key = try await api.key("push,sms")
            let push = try await api.claim(key, channel: "push")
            _ = try await api.tell(key, "nack", push, ["reason": "gone", "unregistered": true])
            #expect(try await waiting(api) == 1)
            let retry = try await retryOfDead("invited_already", api)
            let refused = try await api.post(retry, as: key)
            #expect(refused.code == "budget_spent")
            let wait = refused.reply.header("retry-after").flatMap { Int($0) }
            #expect((80_000...86_400).contains(try #require(wait)))
            #expect(try await waiting(api) == 1)
            try await api.execute("UPDATE invited_numbers SET invited_at = invited_at - interval '1 day'")
            #expect(try await api.post(retry, as: key).status == 204)
            #expect(try await waiting(api) == 2)
            // It was that day's.
            #expect(try await channel(api, courier.login) == "link")
        }
    }

    /// Has a store cancel what a courier without a device has accepted, who is told by SMS.
    private func cancelled(_ api: ServedProduct, _ store: Person, _ courier: Person) async throws {
        let id = try await api.delivery(of: store, to: [courier])
        try await api.act("accept", id, as: courier)
        #expect(try await api.act("cancel", id, as: store).status == 200)
    }

    /// How many SMS of a kind were let through.
    private func sent(_ kind: String, _ api: ServedProduct) async throws -> Int {
        try await api.execute(
            """
            SELECT FROM messages m WHERE kind = '\(kind)' AND channel = 'sms'
                AND NOT EXISTS (SELECT FROM messages_dead d WHERE d.id = m.id)
            """
        ).count
    }

    /// Where the one that was given up for that reason is raised.
    private func retryOfDead(_ reason: String, _ api: ServedProduct) async throws -> String {
        let dead = try await api.execute("SELECT id FROM messages_dead WHERE reason = '\(reason)'")
        try #require(dead.count == 1, "\(dead)")
        return "/v1/outbox/dead/\(dead[0][0] ?? "")/retry"
    }

    // MARK: Who gets none

    @Test func `a number of a country that is not allowed is invited by link`() async throws {
        var trust = Trust()
        trust.sms.countries = ["HR", "SI"]
        try await ServedProduct.serving(looseness: 1, trust: trust) { api in
            let store = try await api.store()
            #expect(try await invite(api, "+38641123456", by: store).json["channel"] == "sms")
            let abroad = try await invite(api, "+4915112345678", by: store)
            #expect(abroad.status == 201 && abroad.json["channel"] == "link" && abroad.json["url"].string != nil)
            #expect(try await waiting(api) == 1)
        }
    }

    @Test func `a number that answered STOP gets nothing more, and what waits is given up`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let (store, couriers) = try await api.team(1)
            let (key, number) = (try await api.key("sms"), couriers[0].login)
            try await api.put(to: [number, number])
            let first = try await api.claim(key)
            #expect(try await api.tell(key, "nack", first, ["reason": "STOP", "opted_out": true]) == ["dead"])
            #expect(try await waiting(api) == 0)
            #expect(try await reasons(api) == ["STOP", "opted_out"])
            // Not even who looks after what was given up sends it after all.
            for dead in try await api.get("/v1/outbox/dead", as: key).items {
                let retry = "/v1/outbox/dead/\(dead["id"].string ?? "")/retry"
                #expect(try await api.post(retry, as: key).status == 410)
            }
            #expect(try await waiting(api) == 0)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await api.act("cancel", id, as: store).status == 200)
            #expect(try await channel(api, number) == "link")
            #expect(try await waiting(api) == 0)
            // A day later it is allowed again.
            for table in ["sms_stops", "invited_numbers"] { try await api.execute("DELETE FROM \(table)") }
            #expect(try await channel(api, number) == "sms")
        }
    }

    @Test func `an invite that was not sent does not use up the number's day`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 1, 1000)) { api in
            let number = SamplePeople.phone()
            try await api.execute("SELECT stop_sms('\(number)')")
            #expect(try await channel(api, number) == "link")
            try await api.execute("DELETE FROM sms_stops")
            #expect(try await channel(api, number) == "sms")

            // The second way to an SMS: a push that does not arrive. Strangers have used up what they may send to this number.
            let courier = try await api.courier()
            _ = try await api.call("PUT", "/v1/me/devices/gone", ["platform": "fcm"], as: courier.token)
            try await api.execute("UPDATE sessions SET address = '192.0.2.1'")
            #expect(try await api.post("/v1/password_resets", ["phone": .string(courier.login)]).status == 202)
            #expect(try await channel(api, courier.login) == "push")
            let key = try await api.key("push")
            let push = try await api.claim(key, channel: "push")
            #expect(try await api.tell(key, "nack", push, ["reason": "gone", "unregistered": true]) == ["dead"])
            #expect(try await reasons(api).contains("over_budget"))
            try await api.execute("DELETE FROM sms_budgets")
            let store = try await api.store()
            #expect(try await invite(api, courier.login, by: store).json["channel"] == "sms")
        }
    }

    // MARK: What they say

    @Test func `an SMS says nothing that a user wrote, also when it stands in for a push`() async throws {
        try await ServedProduct.serving(looseness: 1, publicURL: "https://kurir.example") { api in
            let (store, courier) = (try await api.store(name: "Dobitak na evil.com"), try await api.courier())
            try await api.join(store, courier)
            for device in ["", "one"] {
                if !device.isEmpty {
                    _ = try await api.call("PUT", "/v1/me/devices/\(device)", ["platform": "fcm"], as: courier.token)
                }
                let id = try await api.delivery(of: store, to: [courier], ["reference": .string("evil.com \(device)")])
                try await api.act("accept", id, as: courier)
                try await api.act("cancel", id, as: store, ["reason": "evil.com"])
            }
            let push = try await api.execute(
                "SELECT body FROM outbox WHERE kind = 'delivery_cancelled' AND channel = 'push'")
            #expect(push.count == 1 && push[0][0]?.contains("evil.com") == true)
            _ = try await api.call("DELETE", "/v1/me/devices/one", as: courier.token)
            let sms = try await api.execute("SELECT title || body FROM outbox WHERE channel = 'sms'")
            #expect(sms.count == 2 && sms.allSatisfy { $0[0]?.contains("evil") == false })
        }
    }

    @Test func `the kinds that go by SMS are those that the database lets go so`() async throws {
        try await ServedProduct.serving { api in
            for kind in NotificationKind.allCases {
                let reach = try await api.execute("SELECT reach_of('\(kind.rawValue)')")[0][0]
                #expect(!["push", "offer", "else_email"].contains(reach) == kind.goesBySMS, "\(kind)")
            }
        }
    }

    /// Whoever has nothing to prove could have SMS sent to numbers that are not its own, as often as it changes to them.
    @Test func `who changes its number without proving it has told no more than strangers may`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 2, 1000)) { api in
            let courier = try await api.registerCourier()
            let numbers = [SamplePeople.phone(), courier.login]
            for turn in 0..<10 {
                #expect(try await api.change(phone: numbers[turn % 2], as: courier).status == 200)
            }
            for number in numbers { #expect(try await api.kinds(to: number).count == 2) }
            #expect(Set(try await reasons(api)) == ["over_budget"])
        }
    }

    /// For some seconds it was two days ahead, and an SMS was sent.
    @Test func `a clock that was ahead leaves no budget used up`() async throws {
        try await ServedProduct.serving(looseness: 100, trust: budgets(100, 5, 1000)) { api in
            _ = try await api.execute("SELECT take_sms(NULL, '+385911111111', true)")
            _ = try await api.execute(
                "UPDATE sms_budgets SET drained_at = drained_at + interval '2 days' WHERE kind = 'all'")
            let wait = try await api.execute("SELECT take_sms(NULL, '+385912222222', true)")[0][0].flatMap(Double.init)
            #expect(try #require(wait) <= 3.6)
        }
    }
}
