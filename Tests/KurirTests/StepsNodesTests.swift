import Domain
import EventLoop
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Deliveries go through their steps while nodes die. Each step happens once, and is earned and proven once.
@Suite(.database, .timeLimit(.minutes(10))) struct StepsNodesTests {
    private let environment = [
        "KURIR_THROTTLE": "off", "KURIR_MAX_JOBS": "10000", "KURIR_LOOPS": "1", "KURIR_POOL_SIZE": "2",
    ]

    @Test func `earnings and proofs are what was handed over, whichever nodes die meanwhile`() async throws {
        var seed = Seed.forThisRun()
        print("steps on nodes that are killed: \(seed)")
        let people = try await Team.make()
        let url = TestDatabase.current.url
        let nodes = try await Nodes { [environment] in
            try await Kurir.start(["--database", url], environment: environment)
        }
        let isOver = Locked(false)
        let workers = (0..<6).map { _ in
            let start = Seed(seed.next())
            return Task { try await work(start, on: nodes, people, until: isOver) }
        }
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(seed.number(300...1200)))
            try await nodes.killAndStart(seed.number(0...1))
        }
        isOver.withLock { $0 = true }
        var steps = 0
        for worker in workers { steps += try await worker.value }
        #expect(steps > 50)
        try await expectEarnings(of: people, on: nodes)
        try await nodes.stop()
        let proven = try await query(
            """
            SELECT count(*) > 5, count(*) = (SELECT count(*) FROM proofs),
                count(*) - (SELECT count(*) FROM delivery_history WHERE action = 'reopen') = (SELECT count(*) FROM earnings)
            FROM delivery_history WHERE action = 'deliver'
            """)
        #expect(proven == [["t", "t", "t"]])
        try await eventually { try await query(Invariants.numbering) == [["f"]] }
        for (rule, sql) in Invariants.ofDeliveries { #expect(try await query(sql) == [], "\(rule)") }
    }

    @Test func `what is offered later is offered once when its time comes, though a node dies before`() async throws {
        let people = try await Team.make()
        let url = TestDatabase.current.url
        let nodes = try await Nodes { [environment] in
            try await Kurir.start(["--database", url], environment: environment)
        }
        // A time that is over by the time that a busy machine reads it is refused.
        var (seconds, made) = (3.0, (status: 422, body: ""))
        while made.status == 422, seconds < 100 {
            let time = Date(timeIntervalSinceNow: seconds).ISO8601Format(.init(includingFractionalSeconds: true))
            made = try await nodes.node(0).send(
                "POST", "/v1/deliveries", people.delivery.dropLast() + #","offer_at":"\#(time)"}"#, as: people.store)
            seconds *= 2
        }
        try #require(made.status == 201, "\(made.body)")
        try await nodes.killAndStart(0)
        let offered = """
            SELECT bool_and(h.at >= x.offer_at), count(*) FROM delivery_history h JOIN delivery_extras x USING (delivery_id)
            WHERE action = 'offer'
            """
        try await eventually { try await query(offered) == [["t", "1"]] }
        try await eventually { try await query(Invariants.numbering) == [["f"]] }
        try await nodes.stop()
        #expect(try await query(offered) == [["t", "1"]])
        let told = "SELECT count(*), count(DISTINCT account_id) FROM events WHERE type = 'delivery.offered'"
        #expect(try await query(told) == [["4", "4"]])
        for (rule, sql) in Invariants.ofDeliveries { #expect(try await query(sql) == [], "\(rule)") }
    }

    /// Takes deliveries through steps by chance, and gives how many were taken.
    private func work(
        _ start: Seed, on nodes: Nodes, _ people: Team, until isOver: Locked<Bool>
    ) async throws -> Int {
        var (seed, steps) = (start, 0)
        while !isOver.withLock({ $0 }) {
            let pay =
                #","pay":{"amount":\#(seed.number(1...900)),"currency":"EUR"},"offer":{"mode":"\#(seed.pick(["all", "in_turn"]))"}}"#
            let made = try await insist("/v1/deliveries", people.delivery.dropLast() + pay, as: people.store, nodes)
            let id = try #require(made.body.firstMatch(of: /"id":"([^"]+)"/)).1
            for _ in 0..<seed.number(3...9) where !isOver.withLock({ $0 }) {
                let courier = people.couriers[seed.number(0...1)]
                let (action, body, who) = seed.pick([
                    ("accept", "", courier), ("accept", "", courier), ("pick_up", "", courier),
                    ("fail", #"{"reason":"nobody_home"}"#, courier), ("deliver", "", courier), ("deliver", "", courier),
                    ("decline", "", courier), ("cancel", #"{"reason":"other"}"#, courier),
                    ("reassign", "", people.store),
                    ("reopen", #"{"note":"nije stiglo"}"#, people.store),
                ])
                let answer = try await insist("/v1/deliveries/\(id)/\(action)", body, as: who, nodes)
                if answer.status == 200 { steps += 1 }
                #expect([200, 403, 404, 409].contains(answer.status), "\(action): \(answer.body)")
            }
        }
        return steps
    }

    /// Asks one node after the other, with one key, until one answers.
    private func insist(
        _ path: String, _ body: some StringProtocol, as token: String, _ nodes: Nodes
    ) async throws -> (status: Int, body: String) {
        let key = UUID().uuidString
        for place in 0... {
            let answer = try await nodes.node(place).ask(
                "POST", path, body.isEmpty ? nil : String(body), as: token, key: key)
            if answer.status != 0, answer.status != 503 { return answer }
        }
        fatalError("it asks for ever")
    }

    /// Each courier is told what the history says.
    private func expectEarnings(of people: Team, on nodes: Nodes) async throws {
        var told = 0
        for courier in people.couriers {
            let answer = try await nodes.node(0).ask("GET", "/v1/me/earnings?days=2", as: courier)
            for item in JSON(Array(answer.body.utf8))?["items"].items ?? [] { told += item["amount"].integer ?? 0 }
        }
        let earned = try await query(
            """
            SELECT coalesce(sum(x.pay_amount), 0)::text FROM delivery_extras x JOIN LATERAL (
                SELECT status FROM delivery_history h WHERE h.delivery_id = x.delivery_id ORDER BY seq DESC LIMIT 1) last ON true
            WHERE last.status = 'delivered'
            """)
        #expect(earned == [["\(told)"]])
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }
}
