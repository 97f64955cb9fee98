import EventLoop
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Feeds of several nodes, and of copies of a database.
@Suite(.database, .timeLimit(.minutes(10))) struct FeedNodesTests {
    private let environment = ["KURIR_THROTTLE": "off", "KURIR_LOOPS": "1", "KURIR_POOL_SIZE": "2"]

    /// An event as a reader of a feed saw it.
    private struct Event {
        let number: Int
        let delivery: String
        let seq: Int
        let secondsLate: Double
    }

    @Test func `no event is lost or out of turn when nodes are killed or stopped`() async throws {
        var seed = Seed.forThisRun()
        print("nodes that are killed and stopped: \(seed)")
        let people = try await Team.make()
        let url = TestDatabase.current.url
        let nodes = try await Nodes { [environment] in
            try await Kurir.start(["--database", url], environment: environment)
        }
        let (isOver, count) = (Locked(false), Locked(0))
        let writers = (0..<4).map { number in
            Task { try await write(number, to: nodes, as: people, counting: count, until: isOver) }
        }
        let reading = Task { try await read(from: nodes, as: people.store, until: isOver) }
        let end = ContinuousClock.now + Chaos.of(.seconds(15), atLength: .seconds(60))
        let (enough, busy) = Chaos.of((3, 40), atLength: (6, 120))
        var (kills, pauses) = (0, 0)
        // So long, or as long as a busy machine takes for enough of it.
        while ContinuousClock.now < end || min(kills, pauses) < enough || count.withLock({ $0 }) < busy {
            if seed.number(0...1) == 0 {
                try await nodes.killAndStart(seed.number(0...1))
                kills += 1
            } else {
                try await nodes.pause(seed.number(0...1), for: .milliseconds(seed.number(200...1500)))
                pauses += 1
            }
            try await Task.sleep(for: .milliseconds(seed.number(50...400)))
        }
        isOver.withLock { $0 = true }
        var made: [String: Int] = [:]
        for writer in writers { made.merge(try await writer.value) { $1 } }
        let events = try await reading.value
        try await nodes.stop()
        let late = events.map(\.secondsLate).sorted()
        print(
            "\(made.count) deliveries, \(kills) nodes killed and \(pauses) stopped; an event was read "
                + "\(late[late.count / 2]) s after it at the median, \(late[late.count * 99 / 100]) s at the 99th percentile"
        )
        #expect(events.map(\.number) == Array(1...events.count))
        // Each was created once, however often it was requested, and its steps come in their order, none of them twice.
        #expect(events.filter { $0.seq == 1 }.map(\.delivery).sorted() == made.keys.sorted())
        let steps = Dictionary(grouping: events.filter { made[$0.delivery] != nil }, by: \.delivery)
        for (delivery, number) in made { #expect(steps[delivery]?.map(\.seq) == Array(1...number), "\(delivery)") }
        #expect(made.values.count { $0 == 3 } > 30)
        try await eventually { try await query(Invariants.numbering) == [["f"]] }
        for (rule, sql) in Invariants.ofDeliveries { #expect(try await query(sql) == [], "\(rule)") }
    }

    /// Creates deliveries, each second one of which is accepted and delivered, and repeats each request with its key until some
    /// node has done it. Gives how many steps each has.
    private func write(
        _ number: Int, to nodes: Nodes, as people: Team, counting count: Locked<Int>, until isOver: Locked<Bool>
    ) async throws -> [String: Int] {
        var (made, tries) = ([String: Int](), number)
        func insist(_ path: String, _ body: String?, as token: String, on status: Int) async throws -> String {
            let key = UUID().uuidString
            while true {
                tries += 1
                let answer = try await nodes.node(tries).ask("POST", path, body, as: token, key: key)
                if answer.status == status { return answer.body }
                // What no repetition changes would be asked for ever.
                try #require([0, 409, 429].contains(answer.status) || answer.status >= 500, "\(path): \(answer)")
            }
        }
        while !isOver.withLock({ $0 }) {
            let created = try await insist("/v1/deliveries", people.delivery, as: people.store, on: 201)
            let id = try String(#require(created.firstMatch(of: /"id":"([^"]+)"/)).1)
            made[id] = 1
            count.withLock { $0 += 1 }
            guard made.count.isMultiple(of: 2) else { continue }
            let courier = people.couriers[made.count / 2 % people.couriers.count]
            for action in ["accept", "deliver"] {
                _ = try await insist("/v1/deliveries/\(id)/\(action)", nil, as: courier, on: 200)
            }
            made[id] = 3
        }
        return made
    }

    /// Reads the feed from its beginning, at the node that answers, until nothing more comes.
    private func read(from nodes: Nodes, as token: String, until isOver: Locked<Bool>) async throws -> [Event] {
        var (events, cursor, tries) = ([Event](), "", 0)
        while true {
            tries += 1
            let wasOver = isOver.withLock { $0 }
            let path = "/v1/events?limit=200&wait_seconds=1" + (cursor.isEmpty ? "" : "&after=\(cursor)")
            let answer = try await nodes.node(tries).ask("GET", path, as: token)
            guard answer.status == 200, case let items = JSON(Array(answer.body.utf8))?["items"].items else { continue }
            for item in items ?? [] {
                let at = try Date(
                    item["at"].string ?? "",
                    strategy: .iso8601.year().month().day().dateTimeSeparator(.standard).time(
                        includingFractionalSeconds: true))
                events.append(
                    Event(
                        number: item["number"].integer ?? 0, delivery: item["delivery_id"].string ?? "",
                        seq: item["seq"].integer ?? 0, secondsLate: Date().timeIntervalSince(at)))
                cursor = item["cursor"].string ?? ""
            }
            if wasOver, items?.isEmpty != false { return events }
        }
    }

    // MARK: Copies

    @Test func `cursors go on after dump and restore`() async throws {
        let people = try await Team.make()
        let url = TestDatabase.current.url
        func create(_ kurir: Kurir) async throws {
            #expect(try await kurir.send("POST", "/v1/deliveries", people.delivery, as: people.store).status == 201)
        }
        func numbers(_ kurir: Kurir, _ query: String, least: Int) async throws -> (numbers: [Int], cursor: String) {
            var items: [JSON] = []
            try await eventually {
                let body = try await kurir.send("GET", "/v1/events?limit=200\(query)", as: people.store).body
                items = JSON(Array(body.utf8))?["items"].items ?? []
                return items.count >= least
            }
            return (items.compactMap { $0["number"].integer }, items.last?["cursor"].string ?? "")
        }
        let cursor = try await Kurir.serving("--database", url, environment: environment) { kurir in
            let joined = try await numbers(kurir, "", least: 3).numbers.count
            for _ in 0..<3 { try await create(kurir) }
            let read = try await numbers(kurir, "", least: joined + 3)
            #expect(read.numbers == Array(1...joined + 3))
            return read.cursor
        }
        let last = try await query("SELECT max(number) FROM events").first?.first.flatMap { $0.flatMap(Int.init) } ?? 0
        // An event that is committed and not numbered yet is copied, too.
        try await self.query(
            "INSERT INTO event_journal (accounts, types) SELECT ARRAY[id], ARRAY['test.waits'] FROM stores")
        try await TestDatabase.withAnother { copy in
            let dump = TemporaryDirectory.path("dump")
            for (program, arguments) in [
                ("pg_dump", ["-d", url, "-f", dump]),
                ("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", copy.url, "-f", dump]),
            ] {
                let run = try await Program.run(program, arguments)
                try #require(run.code == 0, "\(program): \(run.complained)")
            }
            try await Kurir.serving("--database", copy.url, environment: environment) { kurir in
                try await create(kurir)
                let next = try await numbers(kurir, "&after=\(cursor)", least: 2).numbers
                #expect(next == [last + 1, last + 2])
            }
        }
    }

    @discardableResult
    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }
}
