import HTTP
import Postgres
import TestSupport
import Testing

/// The order of messages when things go wrong.
@Suite(.database) struct OutboxTurnsTests {
    @Test func `the message behind moves on when the first is withdrawn`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111", "+385911111111"])
            let first = try await api.claim(key)
            #expect(bodies(first) == ["message 0"])
            #expect(
                try await api.tell(key, "nack", first, ["reason": "busy", "retry_after_seconds": 3600]) == ["retry"])
            #expect(try await api.claim(key).isEmpty)
            let parked = try await api.execute(
                "SELECT count(*) FROM message_queue WHERE ready_at BETWEEN now() AND now() + interval '61 seconds'")
            #expect(parked == [["2"]])
            // A store's cancel removes an offer in this way.
            try await api.execute("DELETE FROM message_queue WHERE attempt = 1")
            #expect(bodies(try await api.claim(key)) == ["message 1"])
        }
    }

    @Test func `an address that always fails holds up nobody`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            let good = (0..<100).map { "+38592\(1_000_000 + $0)" }
            // The bad address's messages come first, and are more than a claim takes.
            try await api.put(to: Array(repeating: "+385911111111", count: 50))
            for _ in 0..<3 { try await api.put(to: good) }
            var order: [String: [String]] = [:]
            var claims = 0
            while order.count < 100 || order.values.contains(where: { $0.count < 3 }) {
                let messages = try await api.claim(key, 20)
                claims += 1
                try #require(claims < 60)
                let bad = messages.filter { $0["address"] == "+385911111111" }
                let done = messages.filter { $0["address"] != "+385911111111" }
                #expect(bodies(bad).allSatisfy { $0 == "message 0" } && bad.count <= 1)
                if !bad.isEmpty { _ = try await api.tell(key, "nack", bad, ["reason": "busy"]) }
                if !done.isEmpty { _ = try await api.tell(key, "ack", done) }
                for message in done {
                    let created = try #require(message["created_at"].string)
                    order[message["address"].string ?? "", default: []].append(created)
                }
            }
            #expect(order.count == 100 && order.values.allSatisfy { $0 == $0.sorted() })
            // None was out of turn, and none was lost.
            #expect(try await api.execute("SELECT count(*), count(DISTINCT way) FROM message_queue") == [["50", "1"]])
            #expect(claims < 30)
        }
    }

    /// Many of them are cleared away in parts, so the gateway that meets them is answered, and gets through.
    @Test func `a crowd of expired messages jams nothing`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.execute(
                """
                INSERT INTO messages (kind, channel, address, language, title, body, data, expires_at)
                SELECT 'invite', 'sms', '+38591' || 1000000 + n % 15000, 'hr', 'T', 'late', '{}', now() - interval '1 hour'
                FROM generate_series(1, 30000) n
                """)
            try await api.put(to: ["+385911000001"])
            #expect(try await api.claim(key, 1).isEmpty)
            let first = try await api.execute("SELECT count(*) BETWEEN 5000 AND 6000 FROM messages_dead")
            #expect(first == [["t"]])
            var messages: [JSON] = []
            var claims = 0
            while messages.isEmpty, claims < 6 {
                messages = try await api.claim(key, 1)
                claims += 1
            }
            #expect(bodies(messages) == ["message 0"])
            #expect(try await api.tell(key, "ack", messages) == ["done"])
        }
    }

    @Test func `a message that waits for another try blocks its address until it expires`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111"])
            try await api.execute(
                "UPDATE message_queue SET expires_at = now() + interval '3 seconds' WHERE seq = (SELECT min(seq) FROM message_queue)"
            )
            let first = try await api.claim(key)
            #expect(bodies(first) == ["message 0"])
            #expect(
                try await api.tell(key, "nack", first, ["reason": "busy", "retry_after_seconds": 3600]) == ["retry"])
            #expect(bodies(try await api.claim(key, wait: 30)) == ["message 1"])
            #expect(try await api.get("/v1/outbox/dead", as: key).items.map { $0["reason"] } == ["expired"])
        }
    }

    @Test func `a forgotten lease is given to another gateway`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111"])
            let first = try await api.claim(key, seconds: 5)
            #expect(first.count == 1)
            let again = try await api.claim(key, wait: 15)
            #expect(bodies(again) == ["message 0"] && again[0]["attempt"] == 2)
            let counts = try await api.execute(
                "SELECT what, sum(count) FROM message_counts GROUP BY what ORDER BY what")
            #expect(counts == [["lease_lost", "1"], ["redelivered", "1"]])
        }
    }

    @Test func `a message that every gateway forgets is given up`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385911111111"])
            _ = try await api.claim(key)
            try await api.execute(
                "UPDATE message_queue SET attempt = 12, ready_at = clock_timestamp() WHERE attempt = 1")
            #expect(bodies(try await api.claim(key)) == ["message 1"])
            let dead = try await api.get("/v1/outbox/dead", as: key).items
            #expect(dead.count == 1 && dead[0]["attempt"] == 12 && dead[0]["body"] == "message 0")
        }
    }

    /// A lease ends while its gateway acknowledges the message. Either that counts, or another gateway has the message,
    /// never both.
    @Test func `an ack that races the end of its lease has one outcome`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            var outcomes: [String: Int] = [:]
            for round in 0..<60 {
                try await api.put(to: ["+38591\(1_000_000 + round)"])
                let held = try await api.claim(key)
                try #require(held.count == 1)
                try await api.execute("UPDATE message_queue SET ready_at = clock_timestamp()")
                async let acked = api.tell(key, "ack", held)
                async let taken = api.claim(key)
                let (result, other) = (try await acked, try await taken)
                outcomes["\(result[0]) \(other.count)", default: 0] += 1
                // A late acknowledgement has no effect.
                #expect(try await api.tell(key, "ack", held) == ["lost"])
                if !other.isEmpty { #expect(try await api.tell(key, "ack", other) == ["done"]) }
            }
            print("an ack beside the next claim: \(outcomes)")
            #expect(Set(outcomes.keys).isSubset(of: ["done 0", "lost 1"]))
            #expect(try await api.execute("SELECT count(*) FROM messages_done") == [["60"]])
        }
    }

    @Test func `sent messages are kept by the week and dropped with it`() async throws {
        try await ServedProduct.serving { api in
            let key = try await api.key()
            try await api.put(to: ["+385911111111", "+385912222222"])
            let messages = try await api.claim(key)
            _ = try await api.tell(key, "ack", [messages[0]])
            _ = try await api.tell(key, "nack", [messages[1]], ["reason": "gone", "permanent": true])
            func partitions() async throws -> [String] {
                try await api.execute("SELECT relname FROM pg_class WHERE relname ~ '^messages.*_[0-9]{8}$' ORDER BY 1")
                    .compactMap { $0[0] }
            }
            let before = try await partitions()
            #expect(before.count == 5 * 3)
            // A message without a partition for its week goes to the default one, and is not lost.
            try await api.execute(
                """
                INSERT INTO messages (created_at, kind, channel, address, language, title, body, data)
                VALUES (now() + interval '1 year', 'invite', 'sms', '+385913333333', 'hr', 'T', 'next year', '{}')
                """)
            #expect(bodies(try await api.claim(key)) == ["next year"])
            // Weeks that are too old are dropped, unless a message of theirs still waits; this one never is.
            for week in ["2020-01-06", "2020-01-13"] {
                let name = "messages_" + week.filter { $0 != "-" }
                try await api.execute(
                    "CREATE TABLE \(name) PARTITION OF messages FOR VALUES FROM ('\(week) 00:00Z') TO ('\(week) 00:00Z'::timestamptz + interval '7 days')"
                )
            }
            try await api.execute(
                """
                INSERT INTO messages (created_at, kind, channel, address, language, title, body, data)
                VALUES ('2020-01-07 00:00Z', 'invite', 'sms', '+385914444444', 'hr', 'T', 'forgotten', '{}')
                """)
            try await api.execute("SELECT message_partitions(1)")
            #expect(try await partitions() == ["messages_20200106"] + before)
            let forgotten = try await api.claim(key)
            #expect(bodies(forgotten) == ["forgotten"])
            _ = try await api.tell(key, "ack", forgotten)
            // If a week's partition was missing, it gets the messages that went to the default one meanwhile.
            let last = try #require(before.last { $0.hasPrefix("messages_2") })
            try await api.execute("DROP TABLE \(last)")
            try await api.execute(
                """
                INSERT INTO messages (created_at, kind, channel, address, language, title, body, data)
                VALUES (to_date(right('\(last)', 8), 'YYYYMMDD') + interval '3 days', 'invite', 'sms', '+385915555555', 'hr',
                    'T', 'later', '{}')
                """)
            try await api.execute("SELECT message_partitions(1)")
            #expect(try await partitions() == before)
            #expect(try await api.execute("SELECT tableoid::regclass FROM messages WHERE body = 'later'") == [[last]])
            let kept = try await api.execute(
                "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM messages_done), (SELECT count(*) FROM messages_dead)"
            )
            #expect(kept == [["4", "1", "1"]])
        }
    }
}
