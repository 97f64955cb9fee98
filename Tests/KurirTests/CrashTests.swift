import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing

/// The process is killed in the middle of its work, a dozen times. What it answered is there, and nothing is half done.
@Suite(.database, .timeLimit(.minutes(10))) struct CrashTests {
    /// A request with its key, and its answer from before the process died.
    private struct Attempt: Sendable {
        let path: String
        let body: String
        let key: String
        let token: String
        var answer: (status: Int, body: String)?
    }

    @Test func `nothing that was answered is lost in a crash`() async throws {
        let people = try await Team.make()
        var created = 0
        for round in 0..<12 {
            let attempts = Locked<[Attempt]>([])
            let kurir = try await start()
            let working = Task { await load(kurir.port, people, "r\(round)", attempts) }
            try await Task.sleep(for: .milliseconds(.random(in: 150...700)))
            kurir.program.signal(SIGKILL)
            try await kurir.program.end()
            await working.value
            created += try await tryAgain(attempts.withLock { $0 })
            try await expectConsistency()
        }
        #expect(try await query("SELECT count(*) FROM deliveries") == [["\(created)"]])
        #expect(created > 12)
    }

    private func start() async throws -> Kurir {
        try await Kurir.start(
            ["--database", TestDatabase.current.url],
            environment: ["KURIR_THROTTLE": "off", "KURIR_MAX_JOBS": "10000", "KURIR_LOOPS": "2"])
    }

    /// Creates and accepts from eight clients, until nobody answers any more.
    private func load(_ port: UInt16, _ people: Team, _ prefix: String, _ attempts: Locked<[Attempt]>) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    guard let client = try? await Client(port) else { return }
                    defer { client.close() }
                    for turn in 0... {
                        let key = "\(prefix)-\(number)-\(turn)"
                        let create = Attempt(
                            path: "/v1/deliveries", body: people.delivery, key: "create-\(key)", token: people.store)
                        guard let made = await ask(client, create, attempts),
                            let id = made.firstMatch(of: /"id":"([^"]+)"/)?.1
                        else { return }
                        let courier = people.couriers[turn % people.couriers.count]
                        let accept = Attempt(
                            path: "/v1/deliveries/\(id)/accept", body: "", key: "accept-\(key)", token: courier)
                        guard await ask(client, accept, attempts) != nil else { return }
                    }
                }
            }
        }
    }

    /// Sends one request; nil when it was not answered.
    private func ask(_ client: Client, _ attempt: Attempt, _ attempts: Locked<[Attempt]>) async -> String? {
        let place = attempts.withLock { attempts in
            attempts.append(attempt)
            return attempts.count - 1
        }
        guard let answer = try? await send(client, attempt) else { return nil }
        attempts.withLock { $0[place].answer = answer }
        return answer.body
    }

    private func send(_ client: Client, _ attempt: Attempt) async throws -> (status: Int, body: String) {
        let reply = try await client.ask(
            """
            POST \(attempt.path) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(attempt.token)\r\n\
            Idempotency-Key: \(attempt.key)\r\nContent-Type: application/json\r\n\
            Content-Length: \(attempt.body.utf8.count)\r\n\r\n\(attempt.body)
            """, method: "POST")
        return (reply.status, reply.text)
    }

    /// Sends every key once more. Requests that were answered get the same answer, and the others are done now. Gives
    /// how many deliveries were created.
    private func tryAgain(_ attempts: [Attempt]) async throws -> Int {
        let kurir = try await start()
        let client = try await Client(kurir.port)
        for attempt in attempts {
            let again = try await send(client, attempt)
            #expect(again.status / 100 == 2, "\(attempt.path): \(again.body)")
            if let first = attempt.answer { #expect(first == again, "\(attempt.key)") }
        }
        client.close()
        kurir.program.signal(SIGTERM)
        try await kurir.program.end()
        return attempts.count { $0.path == "/v1/deliveries" }
    }

    private func expectConsistency() async throws {
        try await eventually { try await query(Invariants.numbering) == [["f"]] }
        for (rule, sql) in Invariants.ofDeliveries { #expect(try await query(sql) == [], "\(rule)") }
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }
}
