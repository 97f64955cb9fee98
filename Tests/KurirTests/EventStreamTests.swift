import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing

/// Feeds across processes, and the cost of open streams.
@Suite(.database, .timeLimit(.minutes(10))) struct EventStreamTests {
    private let environment = ["KURIR_THROTTLE": "off", "KURIR_LOOPS": "2", "KURIR_POOL_SIZE": "2"]

    private func open(_ kurir: Kurir, as token: String, query: String = "?after=now") async throws -> Client {
        let client = try await Client(kurir.port)
        try await client.send(
            """
            GET /v1/events\(query) HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n\
            Authorization: Bearer \(token)\r\n\r\n
            """)
        try #require(try await blocking { try client.takeLine() }.contains("200"))
        while try await blocking({ try !client.takeLine().isEmpty }) {}
        _ = try await chunk(client)
        return client
    }

    /// The next event; signs of life are skipped.
    private func chunk(_ client: Client) async throws -> String {
        try await blocking {
            while true {
                let bytes = try client.take(Int(try client.takeLine(), radix: 16) ?? 0)
                _ = try client.takeLine()
                let text = String(decoding: bytes, as: UTF8.self)
                if !text.hasPrefix("event: alive\n") { return text }
            }
        }
    }

    private func expect(_ id: Substring, in stream: Client) async throws {
        let text = try await chunk(stream)
        #expect(text.contains(id))
    }

    @Test func `an event of one node arrives on the other`() async throws {
        let people = try await Team.make()
        let url = TestDatabase.current.url
        try await Kurir.serving("--database", url, environment: environment) { here in
            try await Kurir.serving("--database", url, environment: environment) { there in
                let near = try await open(here, as: people.couriers[0])
                let far = try await open(there, as: people.couriers[0])
                var (nearest, farthest): ([Duration], [Duration]) = ([], [])
                for _ in 0..<20 {
                    let began = ContinuousClock.now
                    let made = try await here.send("POST", "/v1/deliveries", people.delivery, as: people.store)
                    let answered = ContinuousClock.now
                    let id = try #require(made.body.firstMatch(of: /"id":"([^"]+)"/)).1
                    try await expect(id, in: near)
                    nearest.append(began.duration(to: .now))
                    try await expect(id, in: far)
                    farthest.append(answered.duration(to: .now))
                }
                print(
                    "an event arrives within \(nearest.sorted()[10]) of its request here, \(farthest.sorted()[10]) of the answer elsewhere (medians of 20)"
                )
                near.close()
                far.close()
            }
        }
    }

    @Test func `a thousand streams are cheap`() async throws {
        let people = try await Team.make()
        let url = TestDatabase.current.url
        try await makeAccounts(125)
        try await Kurir.serving("--database", url, environment: environment) { kurir in
            // The first stream brings into memory what all of them share.
            let first = try await open(kurir, as: people.store)
            let before = try memory(kurir)
            var streams: [Client] = []
            for account in 1...125 {
                for _ in 0..<8 { streams.append(try await open(kurir, as: "stream-\(account)")) }
            }
            let each = (try memory(kurir) - before) / streams.count
            print("\(streams.count) open streams take \(each) bytes each")
            #expect(each <= 64 * 1024)
            // All streams live: each gets an event.
            try await query(
                """
                INSERT INTO event_journal (accounts, types)
                SELECT ARRAY[id], ARRAY['test.hello'] FROM accounts WHERE id::text LIKE '00000000%'
                """)
            for stream in streams { #expect(try await chunk(stream).contains("test.hello")) }
            for stream in streams + [first] { stream.close() }
        }
    }

    /// Unnumbered events show in the metrics, and disappear from them when they are numbered.
    @Test func `events that wait for their numbers are measured`() async throws {
        let url = TestDatabase.current.url
        try await makeAccounts(1)
        try await Kurir.serving("--database", url, environment: environment) { kurir in
            func figure(_ name: String) async throws -> Double {
                let metrics = try await kurir.figures()
                let line = try #require(metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") })
                return try #require(Double(line.split(separator: " ")[1]))
            }
            let end = Locked(false)
            let holding = Task {
                try await blocking {
                    let connection = try BlockingConnection(url: url)
                    // This acts as if somebody numbered events all the time.
                    while try connection.query("SELECT pg_try_advisory_lock(7311146936)") != [["t"]] {}
                    while !end.withLock({ $0 }) { usleep(10_000) }
                }
            }
            try await eventually {
                try await query(
                    "INSERT INTO event_journal (accounts, types) SELECT ARRAY[id], ARRAY['test.hello'] FROM accounts")
                return try await figure("kurir_feed_waiting") > 1
            }
            try await eventually { try await figure("kurir_feed_delay_seconds") > 1 }
            end.withLock { $0 = true }
            try await holding.value
            try await eventually { try await figure("kurir_feed_waiting") == 0 }
        }
    }

    private func makeAccounts(_ count: Int) async throws {
        try await query(
            """
            INSERT INTO accounts (id, kind, password_hash, language)
            SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'store', '$scrypt$nobody', 'hr'
            FROM generate_series(1, \(count)) n
            """)
        try await query(
            """
            INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
            SELECT gen_random_uuid(), ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
                sha256(('stream-' || n)::bytea), now() + interval '1 day', '127.0.0.1'
            FROM generate_series(1, \(count)) n
            """)
    }

    @discardableResult
    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    /// Resident bytes.
    private func memory(_ kurir: Kurir) throws -> Int {
        let pages = try String(contentsOfFile: "/proc/\(kurir.program.number)/statm", encoding: .utf8).split(
            separator: " ")
        return (Int(pages[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
