import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// `kurir gateway run`, and what it meets on the network.
@Suite(.database) struct GatewayTests {
    /// Messages with that title, one to each address.
    private func put(
        _ addresses: [String], title: String = "Nova dostava", channel: String = "sms", platform: String? = nil,
        language: String = "hr"
    ) async throws {
        let url = TestDatabase.current.url
        try await blocking {
            let connection = try BlockingConnection(url: url)
            for address in addresses {
                _ = try connection.query(
                    """
                    INSERT INTO messages (kind, channel, address, platform, language, title, body, data)
                    VALUES ('delivery_offered', $1::message_channel, $2, $3, $4, $5, 'Žuti šećer: 100% & više',
                        '{"type": "delivery_offered", "delivery_id": "d1", "seq": 1}')
                    """, [channel, address, platform, language, title])
            }
        }
    }

    @discardableResult
    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    /// Runs a gateway while `body` does, which it must survive, and stops it.
    private func running(
        _ channel: String, to target: String, _ environment: [String: String] = [:],
        _ body: (Program) async throws -> Void
    ) async throws {
        let gateway = try Program(
            Kurir.path,
            ["gateway", "run", "--channel", channel, "--to", target, "--database", TestDatabase.current.url],
            environment: [
                "KURIR_WEBHOOK_SECRET": Receivers.secret, "KURIR_GATEWAY_INSECURE_TRANSPORT": "true",
            ].merging(environment) { $1 })
        do {
            try await body(gateway)
        } catch {
            gateway.signal(SIGKILL)
            try await gateway.end()
            throw error
        }
        gateway.signal(SIGTERM)
        #expect(try await gateway.end() == 0, "\(gateway.complained)")
    }

    private func empty() async throws -> Bool { try await query("SELECT FROM message_queue").isEmpty }

    @Test func `a webhook gets signed messages in order`() async throws {
        try await Receivers.running { receivers in
            for round in 0..<5 { try await put((0..<20).map { "+38591\(1_000_000 + $0)" }, title: "round \(round)") }
            try await running("sms", to: receivers.told("http") + "/hook?a=1,2+3") { _ in
                try await eventually { try await empty() }
            }
            let arrived = receivers.arrived(at: "webhook").map { $0["message"] }
            #expect(arrived.count == 100 && arrived.allSatisfy { $0["body"].string == "Žuti šećer: 100% & više" })
            #expect(arrived.allSatisfy { $0["data"]["delivery_id"].string == "d1" && $0["lease"] == .null })
            for messages in Dictionary(grouping: arrived, by: { $0["address"].string }).values {
                #expect(messages.compactMap { $0["title"].string } == (0..<5).map { "round \($0)" })
            }
        }
    }

    @Test func `the answer of a receiver decides what becomes of a message`() async throws {
        try await Receivers.running { receivers in
            let answers = [
                "answer 200", "answer 410", "answer 500", "answer 429 600", "answer 302", "answer 400", "garbage",
                "close",
                "endless", "slow", "long",
            ]
            for (number, title) in answers.enumerated() { try await put(["+38591\(1_000_000 + number)"], title: title) }
            try await running("sms", to: receivers.told("http") + "/hook") { gateway in
                try await eventually {
                    try await query("SELECT FROM message_queue WHERE attempt = 0 OR lease IS NOT NULL").isEmpty
                }
                #expect(gateway.complained.contains("429") && !gateway.complained.contains(Receivers.secret))
            }
            // The next try is when the receiver said, or in a minute, give or take.
            let waiting = try await query(
                "SELECT title, attempt, round(extract(epoch FROM ready_at - now())) BETWEEN 500 AND 600 FROM outbox ORDER BY title"
            )
            #expect(
                waiting
                    == [
                        "answer 302", "answer 400", "answer 429 600", "answer 500", "close", "endless", "garbage",
                    ].map { [$0, "1", $0 == "answer 429 600" ? "t" : "f"] })
            let dead = try await query(
                "SELECT title, reason LIKE '410%' FROM messages_dead JOIN messages USING (id, created_at)")
            #expect(dead == [["answer 410", "t"]])
            #expect(try await query("SELECT count(*) FROM messages_done") == [["3"]])
        }
    }

    @Test func `a receiver that hangs holds up nobody, and its message is tried again`() async throws {
        try await Receivers.running { receivers in
            try await put(["+385911111111"], title: "hang")
            try await put((0..<300).map { "+38592\(1_000_000 + $0)" })
            try await running("sms", to: receivers.told("http") + "/hook", ["KURIR_SHUTDOWN_GRACE": "0"]) { _ in
                try await eventually { try await query("SELECT FROM message_queue").count == 1 }
            }
            // The gateway was stopped meanwhile, and has given the message back.
            #expect(
                try await query("SELECT attempt, lease IS NULL, ready_at <= now() FROM message_queue") == [
                    ["1", "t", "t"]
                ])
        }
    }

    @Test func `a gateway that stops finishes what it has`() async throws {
        try await Receivers.running { receivers in
            try await put((0..<30).map { "+38592\(1_000_000 + $0)" }, title: "slow")
            try await running("sms", to: receivers.told("http") + "/hook") { _ in
                try await eventually { receivers.arrived(at: "webhook").count > 5 }
            }
            let arrived = receivers.arrived(at: "webhook").count
            let left = try await query("SELECT count(*) FILTER (WHERE lease IS NULL), count(*) FROM message_queue")
            #expect(left[0][0] == left[0][1])
            #expect(try await query("SELECT count(*) FROM messages_done") == [["\(arrived)"]])
        }
    }

    @Test func `sent messages are reported even while nothing can be claimed`() async throws {
        try await Receivers.running { receivers in
            try await put((0..<10).map { "+38592\(1_000_000 + $0)" }, title: "slow")
            try await running("sms", to: receivers.told("http") + "/hook") { gateway in
                try await eventually { receivers.arrived(at: "webhook").count == 10 }
                // Each message is answered only after a second.
                try await query("ALTER FUNCTION outbox_take RENAME TO outbox_take_elsewhere")
                try await eventually { try await empty() }
                #expect(try await query("SELECT count(*) FROM messages_done") == [["10"]])
                try await eventually { gateway.complained.contains("outbox_take") }
            }
        }
    }

    @Test func `a server that took no writes for a while is used again`() async throws {
        let (database, url) = (TestDatabase.current.name, TestDatabase.current.url)
        try await Receivers.running { receivers in
            try await query("ALTER DATABASE \(database) SET default_transaction_read_only = on")
            try await running("sms", to: receivers.told("http") + "/hook") { gateway in
                try await eventually { gateway.complained.contains("read-only") }
                try await blocking {
                    try BlockingConnection(url: url).execute(
                        "BEGIN READ WRITE; ALTER DATABASE \(database) RESET ALL; COMMIT")
                }
                try await put(["+385911111111"])
                try await eventually { receivers.arrived(at: "webhook").count == 1 }
            }
        }
    }

    @Test func `a gateway goes on after a dead receiver and a lost database`() async throws {
        try await put(["+385911111111"])
        // Nobody listens at that port.
        try await running("sms", to: "http://127.0.0.1:9/hook") { gateway in
            try await eventually {
                try await query("SELECT FROM message_queue WHERE attempt = 1 AND lease IS NULL").count == 1
            }
            try await query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            try await eventually { gateway.complained.contains("connection") }
            _ = try await query("UPDATE message_queue SET ready_at = clock_timestamp()")
            try await eventually {
                try await query("SELECT FROM message_queue WHERE attempt = 2 AND lease IS NULL").count == 1
            }
        }
    }

    @Test func `a gateway without a database stops when it is told`() async throws {
        let gateway = try Program(
            Kurir.path,
            ["gateway", "run", "--channel", "sms", "--to", "log", "--database", "postgresql:///none?host=/nowhere"])
        try await eventually { gateway.complained.contains("not available") }
        gateway.signal(SIGTERM)
        try await eventually { !gateway.isRunning }
        #expect(try await gateway.end() == 0)
    }

    @Test func `Twilio gets its form`() async throws {
        try await Receivers.running { receivers in
            try await put(["+385911111111", "+385911111404", "+385911111429"])
            try await running(
                "sms", to: "twilio+" + receivers.told("http"),
                [
                    "KURIR_GATEWAY_USER": "AC1", "KURIR_GATEWAY_PASSWORD": "tok en",
                    "KURIR_GATEWAY_SENDER": "+385990000000",
                ]
            ) { _ in
                try await eventually {
                    try await query("SELECT FROM message_queue WHERE attempt = 0 OR lease IS NOT NULL").isEmpty
                }
            }
            let arrived = receivers.arrived(at: "twilio")
            #expect(arrived.count == 3 && arrived.allSatisfy { $0["right"] == .bool(true) })
            #expect(
                arrived.first { $0["form"]["To"].string == "+385911111111" }?["form"]
                    == .object([
                        "To": .string("+385911111111"), "From": .string("+385990000000"),
                        "Body": .string("Žuti šećer: 100% & više"),
                    ]))
            let dead = try await query(
                "SELECT address, reason LIKE '400%21211%' FROM messages_dead JOIN messages USING (id, created_at)")
            #expect(dead == [["+385911111404", "t"]])
            #expect(try await query("SELECT address FROM outbox") == [["+385911111429"]])
        }
    }

    @Test func `push messages go to both platforms`() async throws {
        try await Receivers.running { receivers in
            let directory = TemporaryDirectory.path("keys")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(receivers.account).write(to: URL(fileURLWithPath: directory + "/fcm.json"))
            try Data(receivers.told("p8").utf8).write(to: URL(fileURLWithPath: directory + "/apns.p8"))
            try Data(receivers.told("ca").utf8).write(to: URL(fileURLWithPath: directory + "/ca.pem"))
            try await put(["phone", "gone", "wrong", "busy"], channel: "push", platform: "fcm")
            try await put(["phone", "gone", "bad", "many"], channel: "push", platform: "apns")
            try await put(["https://push.example/x"], channel: "push", platform: "webpush")
            _ = try await query(
                """
                WITH made AS (
                    INSERT INTO accounts (id, kind, password_hash, language) VALUES (gen_random_uuid(), 'store', '$scrypt$none', 'hr')
                    RETURNING id)
                INSERT INTO devices (token, account_id, platform)
                    SELECT token, id, 'fcm' FROM made, unnest('{phone,gone,wrong}'::text[]) token
                """)
            try await running(
                "push", to: "fcm+\(receivers.told("http")),apns+\(receivers.told("apns"))",
                [
                    "KURIR_FCM_KEY": directory + "/fcm.json", "KURIR_APNS_KEY": directory + "/apns.p8",
                    "KURIR_GATEWAY_CA": directory + "/ca.pem", "KURIR_APNS_KEY_ID": "KEY1234567",
                    "KURIR_APNS_TEAM": "TEAM123456",
                    "KURIR_APNS_TOPIC": "hr.example.courier",
                ]
            ) { _ in
                try await eventually {
                    try await query("SELECT FROM message_queue WHERE attempt = 0 OR lease IS NOT NULL").isEmpty
                }
            }
            checkFirebase(receivers)
            checkApple(receivers)
            let dead = try await query(
                "SELECT platform, address FROM messages_dead JOIN messages USING (id, created_at) ORDER BY 1, 2")
            #expect(dead == [["apns", "bad"], ["apns", "gone"], ["fcm", "gone"], ["fcm", "wrong"]])
            let waiting = try await query("SELECT platform, address FROM outbox ORDER BY 1, 2")
            #expect(waiting == [["apns", "many"], ["fcm", "busy"], ["webpush", "https://push.example/x"]])
            #expect(try await query("SELECT token FROM devices ORDER BY 1") == [["phone"], ["wrong"]])
        }
    }

    private func checkFirebase(_ receivers: Receivers) {
        let tokens = receivers.arrived(at: "token")
        #expect(tokens.count == 1 && tokens[0]["grant"].string == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(tokens[0]["claims"]["iss"].string == "kurir@test.example")
        let arrived = receivers.arrived(at: "fcm")
        #expect(arrived.count == 4 && arrived.allSatisfy { $0["authorization"].string == "Bearer ya29.x" })
        let first = arrived.first { $0["message"]["token"].string == "phone" } ?? .null
        #expect(first["path"].string == "/v1/projects/kurir-test/messages:send")
        #expect(first["message"]["notification"]["body"].string == "Žuti šećer: 100% & više")
        #expect(first["message"]["data"]["delivery_id"].string == "d1" && first["message"]["data"]["seq"].string == "1")
    }

    private func checkApple(_ receivers: Receivers) {
        let arrived = receivers.arrived(at: "apns")
        #expect(arrived.count == 4 && arrived.allSatisfy { $0["key"].string == "KEY1234567" })
        let first = arrived.first { $0["headers"][":path"].string == "/3/device/phone" } ?? .null
        #expect(first["headers"]["apns-topic"].string == "hr.example.courier")
        #expect(first["headers"]["apns-push-type"].string == "alert" && first["claims"]["iss"].string == "TEAM123456")
        #expect(first["payload"]["aps"]["alert"]["title"].string == "Nova dostava")
        #expect(first["payload"]["delivery_id"].string == "d1")
    }

    @Test func `mail is written so that mail programs read it`() async throws {
        try await Receivers.running { receivers in
            let title = "Dostava je otkazana: sljedeća šansa za žutu čokoladu i đumbir stiže već sutra ujutro"
            try await put(
                ["ana@example.com", "nobody@example.com", "full@example.com"], title: title, channel: "email")
            try await running(
                "email", to: receivers.told("smtp"), ["KURIR_GATEWAY_SENDER": "dostava@kurir.example"]
            ) { _ in
                try await eventually {
                    try await query("SELECT FROM message_queue WHERE attempt = 0 OR lease IS NOT NULL").isEmpty
                }
            }
            let arrived = receivers.arrived(at: "smtp")
            try #require(arrived.count == 1)
            #expect(arrived[0]["subject"].string == title && arrived[0]["text"].string == "Žuti šećer: 100% & više\n")
            #expect(arrived[0]["recipients"] == .array([.string("ana@example.com")]))
            #expect(arrived[0]["sender"].string == "dostava@kurir.example")
            let head = arrived[0]["head"]
            #expect(head["To"].string == "ana@example.com" && head["Content-Language"].string == "hr")
            #expect(head["Message-ID"].string?.hasSuffix("@kurir.example>") == true)
            if case .integer(let longest) = arrived[0]["longest"] { #expect(longest <= 78) }
            #expect(try await query("SELECT address FROM outbox") == [["full@example.com"]])
            #expect(try await query("SELECT reason LIKE '550%' FROM messages_dead") == [["t"]])
        }
    }

    /// A server that blocks us for a while would have taken all that was to be sent by then.
    @Test func `a mail is not given up because its sender is refused`() async throws {
        try await Receivers.running { receivers in
            try await put(["ana@example.com"], title: "Kod", channel: "email")
            try await running(
                "email", to: receivers.told("smtp"), ["KURIR_GATEWAY_SENDER": "blocked@kurir.example"]
            ) { _ in
                try await eventually {
                    try await query("SELECT FROM message_queue WHERE attempt = 0 OR lease IS NOT NULL").isEmpty
                }
            }
            #expect(receivers.arrived(at: "smtp").isEmpty)
            #expect(try await query("SELECT attempt FROM message_queue") == [["1"]])
            #expect(try await query("SELECT reason FROM messages_dead") == [])
        }
    }

    @Test func `a gateway needs no more than its role`() async throws {
        try await put(["+385911111111"])
        let url = TestDatabase.current.url
        let restricted = url + (url.contains("?") ? "&" : "?") + "options=-c%20role%3Dkurir_gateway"
        let gateway = try Program(
            Kurir.path, ["gateway", "run", "--channel", "sms", "--to", "log", "--database", restricted])
        try await eventually { try await empty() }
        gateway.signal(SIGTERM)
        #expect(try await gateway.end() == 0)
        #expect(gateway.said.contains("+385911111111"))
    }

    @Test func `missing or wrong options are named`() async throws {
        let url = TestDatabase.current.url
        for (arguments, hint) in [
            (["--to", "log"], "--channel push,sms,email"), (["--channel", "sms"], "--to URL of a webhook"),
            (["--channel", "sms", "--to", "fax"], "--to does not know fax"),
            (["--channel", "sms", "--to", "http://"], "--to names no host: http://"),
            (["--channel", "sms", "--to", "https:///hook"], "--to names no host: https:///hook"),
            (
                ["--channel", "email", "--to", "smtp://:25", "--sender", "a@b.example"],
                "--to names no host: smtp://:25"
            ),
            (
                ["--channel", "email", "--to", "smtps://user:geheim@127.0.0.1", "--sender", "a@b.example"],
                "--to has a password in its URL, which others on this machine could read"
            ),
            (["--channel", "sms", "--to", "https://u:p@h.example/x"], "--to has a password in its URL"),
            (["--channel", "push", "--to", "fcm+http://", "--fcm-key", "/nowhere"], "--to names no host: http://"),
            (["--channel", "email,sms", "--to", "smtp://127.0.0.1", "--sender", "a@b.example"], "has no way for sms"),
            (["--channel", "sms", "--to", "twilio"], "KURIR_GATEWAY_USER"),
            (["--channel", "push", "--to", "fcm", "--fcm-key", "/nowhere"], "/nowhere cannot be read"),
            (["--channel", "push", "--to", "fcm", "--fcm-key", "/etc/hostname"], "not a service account"),
            (["--channel", "sms", "--to", "https://127.0.0.1:9/", "--secret", "x"], "--secret-file"),
            (["--channel", "sms", "--to", "log", "--user", "x"], "--user does nothing without --to twilio"),
            (["--channel", "sms", "--to", "log", "--fcm-key", "/x"], "--fcm-key does nothing without --to fcm"),
            (["--channel", "push", "--to", "log", "--apns-topic", "x"], "does nothing without --to apns"),
            (["--channel", "sms", "--to", "log", "--secret-file", "/x"], "does nothing without --to https://HOST"),
            (
                ["--channel", "email", "--to", "smtp://m", "--sender", "a@b.example", "--password-file", "/x"],
                "--password-file does nothing without --user"
            ),
        ] {
            // A gateway that starts after all fails the test, and must not block it.
            let made = try Program("timeout", ["60", Kurir.path, "gateway", "run", "--database", url] + arguments)
            #expect([1, 64].contains(try await made.end()), "\(arguments)")
            #expect(made.complained.contains(hint), "\(made.complained)")
        }
        let secret = try await Kurir.run("gateway", "secret", "--database", url).said
        let again = try await Kurir.run("gateway", "secret", "--database", url).said
        #expect(secret.hasPrefix("whsec_") && secret == again)
    }

    /// A server that does not offer TLS gets neither the message nor the password.
    @Test func `nothing goes without TLS unless that is asked for`() async throws {
        let url = TestDatabase.current.url
        try await Receivers.running { receivers in
            let plain = try await Kurir.run(
                "gateway", "run", "--channel", "sms", "--to", receivers.told("http") + "/hook", "--database", url)
            #expect(plain.code == 64 && plain.complained.contains("--insecure-transport"))
            try await put(["ana@kurir.example"], channel: "email")
            let environment = [
                "KURIR_GATEWAY_SENDER": "dostava@kurir.example", "KURIR_GATEWAY_INSECURE_TRANSPORT": "false",
                "KURIR_GATEWAY_USER": "kurir", "KURIR_GATEWAY_PASSWORD": "hush",
            ]
            try await running("email", to: receivers.told("smtp"), environment) { gateway in
                try await eventually { gateway.complained.contains("attempt 1") }
            }
            #expect(receivers.arrived(at: "smtp").isEmpty)
            #expect(try await query("SELECT attempt FROM message_queue") == [["1"]])
        }
    }

    @Test func `secrets come by files, and not by the command line`() async throws {
        let file = TemporaryDirectory.path("secret")
        try Data("\(Receivers.secret)\n".utf8).write(to: URL(fileURLWithPath: file))
        try await Receivers.running { receivers in
            try await put(["+385911111111"])
            let environment = ["KURIR_WEBHOOK_SECRET": "", "KURIR_WEBHOOK_SECRET_FILE": file]
            try await running("sms", to: receivers.told("http") + "/hook", environment) { _ in
                try await eventually { try await empty() }
            }
            // The receiver verifies signatures.
            #expect(receivers.arrived(at: "webhook").count == 1)
        }
        for option in ["--secret", "--password=hush"] {
            let refused = try await Kurir.run("gateway", "run", option, "hush")
            #expect(refused.code == 64 && refused.complained.contains("-file") && !refused.complained.contains("hush"))
        }
        let both = try await Kurir.run(
            "gateway", "run", "--channel", "sms", "--to", "https://127.0.0.1:9/", "--secret-file", file,
            environment: ["KURIR_WEBHOOK_SECRET": Receivers.secret])
        #expect(both.code == 64 && both.complained.contains("exclude each other"))
    }

    /// The figures for alarms can be seen from outside.
    @Test func `the metrics tell how the queue stands`() async throws {
        let url = TestDatabase.current.url
        try await put((0..<5).map { "+38591\(1_000_000 + $0)" })
        try await query("SELECT outbox_claim('sms', 2, 60)")
        try await query("UPDATE message_queue SET ready_at = clock_timestamp() WHERE lease IS NOT NULL")
        try await query("SELECT outbox_claim('sms', 5, 60)")
        try await query(
            "SELECT outbox_ack(array_agg(id), array_agg(lease)) FROM message_queue WHERE seq = (SELECT min(seq) FROM message_queue)"
        )
        for (place, more) in [("min", #""permanent": true"#), ("max", #""retry_after_seconds": 600"#)] {
            try await query(
                """
                SELECT outbox_nack(jsonb_build_array(jsonb_build_object('id', id, 'lease', lease) || '{\(more)}'))
                FROM message_queue WHERE seq = (SELECT \(place)(seq) FROM message_queue)
                """)
        }
        try await query("UPDATE message_queue SET created_at = now() - interval '1 hour' WHERE lease IS NULL")
        try await Kurir.serving("--database", url, environment: [:]) { kurir in
            let metrics = try await kurir.figures()
            func value(_ name: String) -> Double? {
                let line = metrics.split(separator: "\n").first {
                    $0.hasPrefix("kurir_outbox_\(name){channel=\"sms\"}")
                }
                return line.flatMap { Double($0.split(separator: " ")[1]) }
            }
            #expect(value("waiting") == 1 && value("leased") == 2 && value("dead") == 1)
            #expect(value("delivered_total") == 1 && value("given_up_total") == 1)
            #expect(value("redelivered_total") == 2 && value("leases_lost_total") == 2)
            #expect((3600...3700).contains(value("oldest_age_seconds") ?? 0))
        }
    }
}
