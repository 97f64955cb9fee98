import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// `serve` sends on by itself: to browsers always, and to whatever else it is told of.
@Suite(.database) struct OwnGatewayTests {
    private static let kills = 24
    private static let devices = 60

    /// What a node needs so that it sends to the push service of tests.
    private func options(_ receivers: Receivers) throws -> [String] {
        let file = TemporaryDirectory.path("push-ca.pem")
        try receivers.told("ca").write(toFile: file, atomically: true, encoding: .utf8)
        return ["--database", TestDatabase.current.url, "--push-hosts", "127.0.0.1", "--ca", file]
    }

    /// A directory with Firebase's key, for which nobody listens where tokens are given out.
    private func keys(_ receivers: Receivers) throws -> String {
        let keys = TemporaryDirectory.path("keys")
        try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true)
        let account = String(decoding: receivers.account, as: UTF8.self)
            .replacing(try receivers.told("http"), with: "http://127.0.0.1:1")
        try Data(account.utf8).write(to: URL(fileURLWithPath: keys + "/fcm.json"))
        return keys
    }

    private func json(_ answer: (status: Int, body: String), _ status: Int = 200) throws -> JSON {
        try #require(answer.status == status, "\(answer)")
        return JSON(Array(answer.body.utf8)) ?? .null
    }

    @Test func `a courier with the page closed is reached, and the key is the one that was told`() async throws {
        try await Receivers.running { receivers in
            let options = try options(receivers)
            let kurir = try await Kurir.start(options, environment: ["KURIR_THROTTLE": "off"])
            let about = try json(try await kurir.get("/v1/about"))
            #expect(about["channels"]["push"].string == "live")
            let key = try #require(about["web_push_key"].string)
            let store = try json(
                try await kurir.send(
                    "POST", "/v1/stores",
                    #"{"email":"klas@example.com","password":"Vanilija-7!","name":"Klas","tax_id":"12345678903","address":"Ilica 1","phone":"+38514812345"}"#
                ), 201)["session"]["token"].string
            let made = try json(
                try await kurir.send("POST", "/v1/invites", #"{"phone":"+385911234567"}"#, as: store), 201)
            let registered = try json(
                try await kurir.send(
                    "POST", "/v1/couriers",
                    #"{"first_name":"Ana","last_name":"Anić","phone":"+385911234567","password":"Vanilija-7!","invite_code":"\#(made["code"].string ?? "")"}"#
                ), 201)
            let (courier, id) = (registered["session"]["token"].string, registered["account"]["id"].string ?? "")
            func claim(_ name: String) async throws {
                let endpoint = try receivers.told("webpush") + "/" + name
                let claimed = try await kurir.send(
                    "PUT", "/v1/me/devices/my-browser",
                    #"{"platform":"webpush","endpoint":"\#(endpoint)","keys":{"p256dh":"\#(receivers.told("p256dh"))","auth":"\#(receivers.told("auth"))"}}"#,
                    as: courier)
                #expect(claimed.status == 204)
            }
            try await claim("ana")
            let delivery = try json(
                try await kurir.send(
                    "POST", "/v1/deliveries",
                    #"{"recipient":{"first_name":"Iva","last_name":"Ivić","address":"Vukovarska 5"},"description":"Torta","courier_ids":["\#(id)"]}"#,
                    as: store), 201)["id"].string
            try await eventually { !receivers.arrived(at: "webpush").isEmpty }
            let arrived = try #require(receivers.arrived(at: "webpush").first)
            #expect(arrived["key"].string == key && arrived["payload"]["kind"].string == "delivery_offered")
            #expect(arrived["payload"]["data"]["delivery_id"].string == delivery)
            let url = TestDatabase.current.url
            let path = "/v1/deliveries/\(delivery ?? "")"
            func told(_ kind: String) async throws -> JSON? {
                try json(try await kurir.send("GET", path + "/notices", as: store))["items"].items
                    .first { $0["kind"].string == kind }
            }
            // What is not known to have arrived yet would go to the next address of the device once more.
            try await eventually { try await told("delivery_offered")?["state"].string == "arrived" }
            // An invite is worth telling of for as long as it holds, and takes the place of nothing.
            let another = try json(
                try await kurir.send(
                    "POST", "/v1/stores",
                    #"{"email":"lipa@example.com","password":"Vanilija-7!","name":"Lipa","tax_id":"10000000000","address":"Ilica 2","phone":"+38514812346"}"#
                ), 201)["session"]["token"].string
            _ = try json(
                try await kurir.send("POST", "/v1/invites", #"{"courier_id":"\#(id)"}"#, as: another), 201)
            try await eventually { receivers.arrived(at: "webpush").count == 2 }
            let invited = receivers.arrived(at: "webpush")[1]
            let rest = try await blocking {
                try BlockingConnection(url: url).query(
                    "SELECT ceil(extract(epoch FROM max(expires_at) - now()))::int8 FROM invites")
            }
            let (left, lasts) = (Int(rest[0][0] ?? "") ?? 0, Int(invited["head"]["TTL"].string ?? "") ?? -1)
            #expect(left > 0 && (left...left + 600).contains(lasts), "\(lasts) of \(left) seconds")
            #expect(invited["payload"]["kind"].string == "invite" && invited["head"]["Topic"].string == nil)
            // What its service calls too long comes at once, and shorter.
            try await claim("short")
            _ = try await kurir.send("POST", path + "/accept", "{}", as: courier)
            let reason = String(repeating: "🍋", count: 500)
            _ = try await kurir.send("POST", path + "/cancel", #"{"reason":"\#(reason)"}"#, as: store)
            func short() -> [JSON] { receivers.arrived(at: "webpush").filter { $0["name"].string == "short" } }
            try await eventually { short().count == 2 }
            #expect(short().map { ($0["size"].integer ?? 0) > 1500 } == [true, false])
            // What is told of a delivery takes the place of what was told of it before.
            let topics = ([arrived] + short()).map { $0["head"]["Topic"].string }
            #expect(topics[0] != nil && Set(topics).count == 1)
            try await eventually {
                let cancelled = try await told("delivery_cancelled")
                return cancelled?["state"].string == "arrived" && cancelled?["attempts"].integer == 1
            }
            // A browser that is no more is forgotten, and nobody says that it was told.
            try await claim("410")
            let second = try json(
                try await kurir.send(
                    "POST", "/v1/deliveries",
                    #"{"recipient":{"first_name":"Mia","last_name":"Matić","address":"Savska 1"},"description":"Torta","courier_ids":["\#(id)"]}"#,
                    as: store), 201)["id"].string
            try await eventually {
                try await blocking { try BlockingConnection(url: url).query("SELECT FROM devices") }.isEmpty
            }
            let notices = try json(
                try await kurir.send("GET", "/v1/deliveries/\(second ?? "")/notices", as: store))["items"].items
            #expect(notices.map { $0["state"].string } == ["given_up"])
            // Another node has the same key, also after a restart.
            kurir.program.signal(SIGTERM)
            #expect(try await kurir.program.end() == 0)
            try await Kurir.serving("--database", TestDatabase.current.url) { other in
                let told = try json(try await other.get("/v1/about"))
                #expect(told["web_push_key"].string == key)
            }
            try await Kurir.serving("--database", TestDatabase.current.url, "--gateway", "webpush=off") { silent in
                let told = try json(try await silent.get("/v1/about"))
                #expect(told["web_push_key"].string == nil)
            }
        }
    }

    @Test(arguments: [true, false]) func `one process is enough for SMS and mail, too`(byOptions: Bool) async throws {
        try await Receivers.running { receivers in
            let arguments = [
                "--database", TestDatabase.current.url, "--insecure-transport",
            ]
            let gateways = [
                "sms=" + (try receivers.told("http")) + "/hook", "email=" + (try receivers.told("http")) + "/plain",
            ]
            let kurir = try await Kurir.start(
                arguments + (byOptions ? gateways.flatMap { ["--gateway", $0] } : []),
                environment: [
                    "KURIR_THROTTLE": "off", "KURIR_WEBHOOK_SECRET": Receivers.secret,
                    "KURIR_GATEWAYS": byOptions ? "" : gateways.joined(separator: ","),
                ])
            let url = TestDatabase.current.url
            try await blocking {
                _ = try BlockingConnection(url: url).query(
                    """
                    INSERT INTO messages (kind, channel, address, language, title, body, data)
                    VALUES ('invite', 'sms', '+385911234567', 'hr', 'T', 'B', '{}'),
                        ('invite', 'email', 'ana@example.com', 'hr', 'T', 'B', '{}')
                    """)
            }
            try await eventually {
                receivers.arrived(at: "webhook").count == 1 && receivers.arrived(at: "plain").count == 1
            }
            #expect(receivers.arrived(at: "webhook")[0]["message"]["channel"].string == "sms")
            #expect(receivers.arrived(at: "plain")[0]["message"]["channel"].string == "email")
            kurir.program.signal(SIGTERM)
            #expect(try await kurir.program.end() == 0)
        }
    }

    @Test func `a way that cannot be made ready keeps no other channel waiting`() async throws {
        try await Receivers.running { receivers in
            let keys = try keys(receivers)
            let kurir = try await Kurir.start(
                [
                    "--database", TestDatabase.current.url, "--insecure-transport", "--gateway",
                    "push=fcm+" + (try receivers.told("http")), "--gateway",
                    "sms=" + (try receivers.told("http")) + "/hook",
                ],
                environment: [
                    "KURIR_THROTTLE": "off", "KURIR_WEBHOOK_SECRET": Receivers.secret,
                    "KURIR_FCM_KEY": keys + "/fcm.json",
                ])
            let url = TestDatabase.current.url
            try await blocking {
                _ = try BlockingConnection(url: url).query(
                    """
                    INSERT INTO messages (kind, channel, platform, address, language, title, body, data)
                    VALUES ('invite', 'push', 'fcm', 'phone', 'hr', 'T', 'B', '{}'),
                        ('invite', 'sms', NULL, '+385911234567', 'hr', 'T', 'B', '{}')
                    """)
            }
            try await eventually { receivers.arrived(at: "webhook").count == 1 }
            try await eventually { kurir.program.complained.contains("no access token") }
            // What has arrived is noted as sent a moment later.
            try await eventually {
                try await blocking {
                    try BlockingConnection(url: url).query(
                        "SELECT address, attempt FROM message_queue JOIN messages USING (id, created_at)")
                } == [["phone", "0"]]
            }
            kurir.program.signal(SIGTERM)
            #expect(try await kurir.program.end() == 0)
        }
    }

    /// Android's and Apple's phones are told by one channel.
    @Test func `a way that cannot be made ready keeps no other platform waiting`() async throws {
        try await Receivers.running { receivers in
            let keys = try keys(receivers)
            try Data(try receivers.told("p8").utf8).write(to: URL(fileURLWithPath: keys + "/apns.p8"))
            let kurir = try await Kurir.start(
                try options(receivers) + [
                    "--insecure-transport", "--gateway", "push=fcm+" + (try receivers.told("http")), "--gateway",
                    "push=apns+" + (try receivers.told("apns")), "--apns-topic", "hr.example.courier", "--apns-team",
                    "TEAM123456", "--apns-key-id", "KEY1234567",
                ],
                environment: [
                    "KURIR_THROTTLE": "off", "KURIR_FCM_KEY": keys + "/fcm.json", "KURIR_APNS_KEY": keys + "/apns.p8",
                ])
            let url = TestDatabase.current.url
            try await blocking {
                _ = try BlockingConnection(url: url).query(
                    """
                    INSERT INTO messages (kind, channel, platform, address, language, title, body, data)
                    VALUES ('invite', 'push', 'fcm', 'droid', 'hr', 'T', 'B', '{}'),
                        ('invite', 'push', 'apns', 'phone', 'hr', 'T', 'B', '{}')
                    """)
            }
            try await eventually { receivers.arrived(at: "apns").count == 1 }
            // The other waits for its next try, and it is said why.
            try await eventually {
                try await blocking {
                    try BlockingConnection(url: url).query(
                        "SELECT address FROM message_queue JOIN messages USING (id, created_at) WHERE attempt > 0")
                } == [["droid"]]
            }
            #expect(kurir.program.complained.contains("no access token"))
            kurir.program.signal(SIGTERM)
            #expect(try await kurir.program.end() == 0)
        }
    }

    @Test func `a push service that says nothing keeps nobody else's messages waiting`() async throws {
        try await Receivers.running { receivers in
            let options = try options(receivers).map { $0 == "127.0.0.1" ? "127.0.0.1,127.0.0.2" : $0 }
            let kurir = try await Kurir.start(options, environment: ["KURIR_THROTTLE": "off"])
            try await put(300, at: try receivers.told("silent"), receivers)
            // It has all the room now, and must give it up before it answers or fails.
            try await eventually {
                kurir.program.complained.contains("attempt 1: the push service of this device is slow")
            }
            try await put(1, at: try receivers.told("webpush"), receivers)
            try await eventually { !receivers.arrived(at: "webpush").isEmpty }
            kurir.program.signal(SIGKILL)
            try await kurir.program.end()
        }
    }

    @Test(arguments: [
        ("pigeon=log", "CHANNEL=TARGET"), ("webpush=maybe", "on or off"), ("sms=twilio", "KURIR_SMS_USER"),
        ("email=smtp://mail.example", "--email-sender"), ("sms=http://hook.example", "--insecure-transport"),
        ("push=twilio", "but for sms"), ("sms=carrier", "does not know carrier"),
    ])
    func `a wrong gateway is refused at the start, with what to write`(_ gateway: String, _ said: String) async throws {
        let answer = try await Kurir.run("serve", "--database", TestDatabase.current.url, "--gateway", gateway)
        #expect(answer.code == 64 && answer.complained.contains(said), "\(answer.complained)")
    }

    /// Nodes share the work; each dies again and again, at any moment.
    @Test(.timeLimit(.minutes(20)))
    func `no push is lost or out of turn when nodes are killed`() async throws {
        var seed = Seed.forThisRun()
        print("nodes that are killed: \(seed)")
        try await Receivers.running { receivers in
            let options = try options(receivers)
            func node() async throws -> Kurir {
                try await Kurir.start(options, environment: ["KURIR_THROTTLE": "off", "KURIR_LOOPS": "1"])
            }
            var nodes = [try await node(), try await node()]
            var put = 0
            for _ in 0..<Self.kills {
                put += try await putSome(after: put, receivers)
                try await Task.sleep(for: .milliseconds(seed.number(20...200)))
                let victim = seed.number(0...1)
                nodes[victim].program.signal(SIGKILL)
                try await nodes[victim].program.end()
                put += try await putSome(after: put, receivers)
                nodes[victim] = try await node()
            }
            // What killed nodes had comes back when their leases end.
            try await outboxEmpties()
            for node in nodes {
                node.program.signal(SIGTERM)
                try await node.program.end()
            }
            let arrived = receivers.arrived(at: "webpush").filter {
                $0["payload"]["data"]["n"].integer != nil || $0["payload"]["data"]["n"].string != nil
            }
            func number(_ push: JSON) -> Int { Int(push["payload"]["data"]["n"].string ?? "") ?? -1 }
            #expect(Set(arrived.map(number)).count == put)
            print("\(put) pushes, \(arrived.count - put) sent more than once")
            for (device, pushes) in Dictionary(grouping: arrived, by: { $0["name"].string ?? "" }) {
                // A push may come again, but never after a later one.
                #expect(pushes.map(number) == pushes.map(number).sorted(), "\(device)")
            }
        }
    }

    private func putSome(after put: Int, _ receivers: Receivers) async throws -> Int {
        try await self.put(40, after: put, at: try receivers.told("webpush"), receivers)
        return 40
    }

    /// Writes so many messages to devices of a push service.
    private func put(_ count: Int, after put: Int = 0, at endpoint: String, _ receivers: Receivers) async throws {
        let url = TestDatabase.current.url
        let (point, secret) = (try receivers.told("p256dh"), try receivers.told("auth"))
        let devices = max(Self.devices, count)
        try await blocking {
            _ = try BlockingConnection(url: url).query(
                """
                INSERT INTO messages (kind, channel, address, platform, language, title, body, data)
                SELECT 'invite', 'push', $3 || '/d' || n % $2::integer, 'webpush', 'hr', 'T', 'B',
                    jsonb_build_object('n', n, 'keys', jsonb_build_object('p256dh', $4::text, 'auth', $5::text))
                FROM generate_series($1::integer, $1::integer + $6 - 1) n
                """, ["\(put)", "\(devices)", endpoint, point, secret, "\(count)"])
        }
    }
}
