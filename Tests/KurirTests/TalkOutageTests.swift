import EventLoop
import Glibc
import Postgres
import TestSupport
import Testing

/// The database goes away while messages are gathered and committed. What was acknowledged is there, once, and what was
/// not is said when it is sent again with its key.
@Suite(.timeLimit(.minutes(10))) struct TalkOutageTests {
    /// What writers have heard.
    private struct Heard {
        /// What was acknowledged, by its text.
        var said: [String: String] = [:]
        /// How often each writer was asked to come again.
        var refusals: [Int: Int] = [:]
        /// What answers ought not to be.
        var wrong: [String] = []
        var isOver = false
    }

    @Test(arguments: [true, false])
    func `nothing that was acknowledged is lost, and nothing is said twice`(isKilled: Bool) async throws {
        try await PrivateCluster.with { cluster in
            // What is acknowledged is on its disk.
            let url = cluster.url + "?options=-c%20synchronous_commit%3Don"
            try await Kurir.serving("--database", url, "--throttle", "off", environment: ["KURIR_LOOPS": "2"]) {
                kurir in
                let people = try await Team.make(on: kurir)
                let talks = try await conversations(people, kurir)
                let heard = Locked(Heard())
                let writing = Task { await write(people, talks, kurir.port, heard) }
                for _ in 0..<3 {
                    try await untilMoreIsSaid(heard)
                    let before = heard.withLock { $0.refusals }
                    if isKilled { try await cluster.kill9() } else { cluster.signal(SIGSTOP) }
                    // Nobody is left without an answer.
                    try await eventually {
                        heard.withLock { heard in
                            (0..<Self.writers).allSatisfy { heard.refusals[$0, default: 0] > before[$0, default: 0] }
                        }
                    }
                    if isKilled { try await cluster.start() } else { cluster.signal(SIGCONT) }
                }
                try await untilMoreIsSaid(heard)
                heard.withLock { $0.isOver = true }
                await writing.value
                let all = heard.withLock { $0 }
                #expect(all.wrong.isEmpty, "\(all.wrong.prefix(3))")
                try await expect(all.said, in: talks, at: cluster.url)
                let figures = try await kurir.figures()
                #expect(figures.contains("kurir_conversation_messages_waiting 0\n"))
                // Of some that were committed the database's answer was lost.
                let (sent, failed) = (try count("sent", in: figures), try count("failed", in: figures))
                #expect(sent > 0 && sent <= all.said.count && failed > 0, "\(sent) of \(all.said.count), \(failed)")
            }
        }
    }

    private func count(_ outcome: String, in figures: String) throws -> Int {
        let name = "kurir_conversation_messages_total{outcome=\"\(outcome)\"} "
        let line = try #require(figures.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(Int(line.dropFirst(name.count)))
    }

    private static let writers = 9

    private func untilMoreIsSaid(_ heard: Locked<Heard>) async throws {
        let before = heard.withLock { $0.said.count }
        try await eventually { heard.withLock { $0.said.count } > before + 40 }
    }

    private func conversations(_ people: Team, _ kurir: Kurir) async throws -> [String] {
        var ids: [String] = []
        for courier in people.couriers {
            let me = try await kurir.send("GET", "/v1/me", nil, as: courier)
            let id = try #require(me.body.firstMatch(of: /"id":"([^"]+)"/)).1
            let begun = try await kurir.send("PUT", "/v1/conversations/with/\(id)", "{}", as: people.store)
            ids.append(String(try #require(begun.body.firstMatch(of: /"id":"([^"]+)"/)).1))
        }
        return ids
    }

    /// Writes from several clients, each of which goes on when it has been heard.
    private func write(_ people: Team, _ talks: [String], _ port: UInt16, _ heard: Locked<Heard>) async {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                let place = writer % talks.count
                let token = writer < talks.count ? people.store : people.couriers[place]
                group.addTask {
                    for number in 0... {
                        guard !heard.withLock({ $0.isOver }) else { return }
                        await say("\(writer)-\(number)", writer, in: talks[place], as: token, port, heard)
                    }
                }
            }
        }
    }

    /// Says one thing, again and again until it is acknowledged.
    private func say(
        _ text: String, _ writer: Int, in talk: String, as token: String, _ port: UInt16, _ heard: Locked<Heard>
    ) async {
        let fields = "Authorization: Bearer \(token)\r\nContent-Type: application/json\r\nIdempotency-Key: \(text)\r\n"
        while true {
            do {
                let client = try await Client(port)
                let reply = try await client.post("/v1/conversations/\(talk)/messages", #"{"text":"\#(text)"}"#, fields)
                client.close()
                switch reply.status {
                case 201: return heard.withLock { $0.said[text] = reply.text }
                case 503 where reply.header("retry-after") != nil:
                    heard.withLock { $0.refusals[writer, default: 0] += 1 }
                // Its own former request is still under way.
                case 409 where reply.code == "request_in_progress": break
                default: return heard.withLock { $0.wrong.append("\(text): \(reply.status) \(reply.text)") }
                }
            } catch {
                return heard.withLock { $0.wrong.append("\(text): \(error)") }
            }
        }
    }

    private func expect(_ said: [String: String], in talks: [String], at url: String) async throws {
        let rows = try await blocking {
            try BlockingConnection(url: url).query("SELECT text, id, seq FROM conversation_messages")
        }
        #expect(rows.count == said.count)
        for row in rows {
            let answer = try #require(said[row[0] ?? ""])
            #expect(answer.contains("\"id\":\"\(row[1] ?? "")\",\"seq\":\(row[2] ?? ""),"))
        }
        // Numbers have no gap, and what is unread is counted exactly.
        let wrong = try await blocking {
            try BlockingConnection(url: url).query(
                """
                SELECT c.id FROM conversations c, LATERAL (
                    SELECT count(*) FILTER (WHERE from_store) AS of_store, count(*) AS said, count(DISTINCT seq) AS numbers,
                        max(seq) AS last FROM conversation_messages WHERE conversation_id = c.id) m
                WHERE NOT (last_seq = said AND numbers = said AND last = said
                    AND courier_unread = of_store AND store_unread = said - of_store)
                """)
        }
        #expect(wrong == [])
    }
}
