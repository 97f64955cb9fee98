import API
import Domain
import EventLoop
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Feed

/// Each account's feed: nothing missing, nothing twice, in the order of the commits.
@Suite(.database) struct FeedTests {
    private func page(_ api: ServedProduct, _ person: Person, _ query: String = "") async throws -> Answer {
        try await api.get("/v1/events" + query, as: person.token)
    }

    @Test func `a feed tells each account what concerns it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.expectEvents(["delivery.created", "delivery.accepted"], of: store)
            try await api.expectEvents(["delivery.offered", "delivery.accepted"], of: couriers[0])
            try await api.expectEvents(["delivery.offered", "delivery.taken"], of: couriers[1])
            let items = try await page(api, store).items
            #expect(items.map { $0["seq"].integer } == [1, 2] && items[0]["delivery_id"].string == id)
            #expect(items[0]["delivery"]["recipient"]["first_name"] == "Iva")
            // An account that the delivery no longer concerns does not learn the recipient.
            let lost = try await page(api, couriers[1]).items
            #expect(
                lost.allSatisfy { !$0["delivery"].names.contains("recipient") && $0["delivery"]["id"].string == id })
            #expect(lost.map { $0["delivery"]["status"] } == ["pending", "in_progress"])
            // Nor does it learn what happens to it afterwards.
            try await api.act("deliver", id, as: couriers[0])
            try await api.expectEvents(
                ["delivery.created", "delivery.accepted", "delivery.delivered"], of: store)
            let later = try await page(api, couriers[1]).items.map { $0["delivery"] }
            #expect(
                later == [
                    ["id": .string(id), "status": "pending", "version": 1],
                    ["id": .string(id), "status": "in_progress", "version": 2],
                ])
        }
    }

    /// A type of event that is told of deliveries in two states.
    @Test func `whoever has given a delivery back learns in which state a change had found it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            let change: JSON = ["description": "Torta"]
            #expect(try await api.call("PATCH", SampleDelivery.path(id), change, as: store.token).status == 200)
            try await api.act("accept", id, as: couriers[0])
            let next = change.with(["description": "Dvije torte"])
            #expect(try await api.call("PATCH", SampleDelivery.path(id), next, as: store.token).status == 200)
            try await api.act("cancel", id, as: couriers[0])
            try await api.act("accept", id, as: couriers[1])
            try await api.numberEvents()
            let told = try await page(api, couriers[0]).items.filter { $0["type"] == "delivery.updated" }
            #expect(told.map { $0["delivery"]["status"] } == ["pending", "in_progress"])
            #expect(told.allSatisfy { !$0["delivery"].names.contains("recipient") })
        }
    }

    @Test(arguments: [
        ("text/event-stream", true), ("text/event-stream, */*", true),
        ("text/event-stream;q=0.9,application/json;q=0.1", true),
        ("application/json, text/event-stream", false), ("application/json, text/event-stream;q=0.1", false),
        ("text/event-stream;q=0", false), ("*/*", false),
    ])
    func `a stream is for clients that prefer one`(_ accept: String, _ isStream: Bool) async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let client = try await Client(api.port)
            try await client.send(
                "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(store.token)\r\nAccept: \(accept)\r\n\r\n"
            )
            var head = ""
            while case let line = try await blocking({ try client.takeLine() }), !line.isEmpty { head += line + "\n" }
            client.close()
            #expect(head.contains("text/event-stream") == isStream)
        }
    }

    @Test func `a feed tells of partners and invites`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(name: "Kod Mare"), try await api.courier())
            let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            _ = try await api.post("/v1/partners", ["code": invite["code"]], as: courier.token)
            _ = try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token)
            try await api.expectEvents(["invite.received", "partner.joined", "partner.ended"], of: courier)
            try await api.expectEvents(["partner.joined", "partner.ended"], of: store)
            let received = try await page(api, courier).items[0]
            #expect(received["data"]["store_name"] == "Kod Mare" && received["delivery"] == .null)
            // The code goes only to the phone.
            #expect(!received["data"].names.contains("code") && !received["data"].names.contains("url"))
        }
    }

    @Test func `a feed is resumed from any cursor`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<7 { _ = try await api.delivery(of: store, to: couriers) }
            try await api.expectEvents(Array(repeating: "delivery.created", count: 7), of: store)
            let all = try await page(api, store).items
            for (place, item) in all.enumerated() {
                let rest = try await page(api, store, "?after=\(item["cursor"].string ?? "")").items
                #expect(rest == Array(all[(place + 1)...]))
            }
            let first = try await page(api, store, "?limit=3")
            #expect(first.items == Array(all[0..<3]))
            #expect(first.json["next_cursor"] == all[2]["cursor"])
            #expect(try await page(api, store, "?after=\(all[6]["cursor"].string ?? "")").json["next_cursor"] == .null)
            for wrong in [
                "x", "1", "-1-1", "1-", "zzzzzzzzzzzzzzzzzzzzz-1", ".", "1.", "-1.1", "1.zzzzzzzzzz", "1.1.1",
                "%2B1.1", "01.1", "A.1",
            ] {
                let answer = try await page(api, store, "?after=\(wrong)")
                #expect(answer.status == 422 && answer.wrong == ["after": "invalid_cursor"], "\(wrong)")
            }
        }
    }

    @Test func `a feed from now on begins after what there is`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.delivery(of: store, to: couriers)
            try await api.expectEvents(["delivery.created"], of: store)
            let now = try await page(api, store, "?after=now")
            let cursor = try #require(now.json["next_cursor"].string)
            #expect(now.items.isEmpty)
            let id = try await api.delivery(of: store, to: couriers)
            let next = try await page(api, store, "?after=\(cursor)&wait_seconds=20").items
            #expect(next.map { $0["delivery_id"].string } == [id])
        }
    }

    /// Every feed that is ordered by a number has this trap: the number is drawn before the commit.
    @Test func `an event that commits late is neither passed over nor waited for`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let slow = try await OpenTransaction.begin()
            // This one draws its place first, and commits last.
            try await slow.query(
                "INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{test.late}')")
            for _ in 0..<3 { _ = try await api.delivery(of: store, to: couriers) }
            let made = Array(repeating: "delivery.created", count: 3)
            try await api.expectEvents(made, of: store)
            // A rolled-back event leaves no gap for readers.
            let failing = try await OpenTransaction.begin()
            try await failing.query(
                "INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{test.never}')")
            try await failing.query("ROLLBACK")
            try await slow.query("COMMIT")
            try await api.expectEvents(made + ["test.late"], of: store)
            let numbers = try await page(api, store).items.map { $0["number"].integer }
            #expect(numbers == [1, 2, 3, 4])
            // Nobody looks for it any more, either.
            try await eventually {
                _ = try await api.delivery(of: store, to: couriers)
                try await api.numberEvents()
                let gaps = "SELECT gaps_first FROM event_rounds ORDER BY journal_id DESC LIMIT 1"
                return try await api.execute(gaps) == [["{}"]]
            }
        }
    }

    /// The other trap: the transaction that drew its place first began last, and no snapshot knows it when later events
    /// are numbered.
    @Test func `a transaction that began last is not forgotten where it drew first`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            func write(_ type: String) -> String {
                "INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{\(type)}')"
            }
            var expected: [String] = []
            for _ in 0..<5 {
                let first = try await OpenTransaction.begin()
                try await first.query("SELECT pg_current_xact_id()")
                let last = try await OpenTransaction.begin()
                try await last.query(write("test.late"))
                try await first.query(write("test.first"))
                try await first.query("COMMIT")
                try await api.expectEvents(expected + ["test.first"], of: store)
                // Numbering other events meanwhile does not forget the missing one.
                try await api.execute(write("test.between"))
                try await api.expectEvents(expected + ["test.first", "test.between"], of: store)
                try await last.query("COMMIT")
                expected += ["test.first", "test.between", "test.late"]
                try await api.expectEvents(expected, of: store)
            }
        }
    }

    @Test func `a reader never misses an event of many writers`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let writing = Task {
                _ = try await together(8) {
                    for _ in 0..<25 {
                        let id = try await api.delivery(of: store, to: couriers)
                        try await api.act("accept", id, as: couriers[0])
                    }
                }
            }
            var (read, cursor): ([JSON], String) = ([], "")
            while read.count < 400 {
                let after = cursor.isEmpty ? "" : "&after=\(cursor)"
                let items = try await page(api, store, "?limit=7&wait_seconds=20\(after)").items
                try #require(!items.isEmpty, "nothing came for 20 seconds")
                read += items
                cursor = items.last?["cursor"].string ?? ""
            }
            try await writing.value
            let steps = read.map { "\($0["delivery_id"].string ?? "") \($0["seq"].integer ?? 0)" }
            #expect(Set(steps).count == 400)
            // The events of each delivery are in order.
            for (_, own) in Dictionary(grouping: read, by: { $0["delivery_id"].string ?? "" }) {
                #expect(own.map { $0["seq"].integer } == [1, 2])
            }
        }
    }

    // MARK: Waiting

    @Test func `waiting ends with the first event`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            async let waited = page(api, couriers[0], "?wait_seconds=30")
            try await Task.sleep(for: .milliseconds(300))
            let id = try await api.delivery(of: store, to: couriers)
            #expect(try await waited.items.map { $0["delivery_id"].string } == [id])
            let empty = try await page(api, couriers[0], "?after=now&wait_seconds=1")
            #expect(empty.status == 200 && empty.items.isEmpty)
            for wrong in ["31", "-1", "x"] {
                #expect(try await page(api, store, "?wait_seconds=\(wrong)").wrong == ["wait_seconds": "out_of_range"])
            }
        }
    }

    @Test func `whoever waits reads nothing of what happens after the session has ended`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let readers = try await waiting(api, couriers[0])
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: couriers[0].token).status == 204)
            _ = try await api.delivery(of: store, to: couriers)
            var ended: [Int] = []
            for reader in readers { ended.append(try await reader.value.status) }
            #expect(ended.sorted() == Array(repeating: 401, count: 8) + [429])
        }
    }

    /// Nine readers of one session. Once one of them is refused, the eight others are certainly under way. They come by sockets, since a
    /// server that stops waits for nobody else.
    private func waiting(_ api: ServedProduct, _ person: Person) async throws -> [Task<Answer, any Error>] {
        let refused = Locked(0)
        let readers = (0..<9).map { _ in
            Task {
                let client = try await Client(api.port)
                let answer = Answer(
                    try await client.get(
                        "/v1/events?after=now&wait_seconds=30", "Authorization: Bearer \(person.token)\r\n"))
                if answer.status == 429 { refused.withLock { $0 += 1 } }
                return answer
            }
        }
        try await eventually { refused.withLock { $0 } == 1 }
        return readers
    }

    @Test func `a server that stops answers those who wait`() async throws {
        let readers = try await ServedProduct.serving { api in try await waiting(api, try await api.store()) }
        var answers: [Answer] = []
        for reader in readers { answers.append(try await reader.value) }
        #expect(answers.map(\.status).sorted() == Array(repeating: 200, count: 8) + [429], "\(answers)")
        #expect(answers.allSatisfy { $0.status == 429 || $0.items.isEmpty })
    }

    // MARK: Streams

    @Test(arguments: ["/v1/events", "/v1/positions", "/v1/tracking"])
    func `a stream says when to come again before a server that stops ends it`(path: String) async throws {
        let stream = try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            guard path == "/v1/tracking" else { return try await EventStream(api, as: store, of: path) }
            let id = try await api.delivery(of: store, to: couriers)
            return try await EventStream(api, path: "/v1/tracking/\(try await api.tracking(of: id, by: store))")
        }
        #expect(try await stream.lastWords() == "retry: 1000\n\n")
        stream.close()
    }

    @Test func `a stream has the same rows and is resumed`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let stream = try await EventStream(api, as: store)
            #expect(stream.status == 200)
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await api.delivery(of: store, to: couriers)) }
            let events = try await stream.take(3)
            #expect(events.map(\.type) == Array(repeating: "delivery.created", count: 3))
            let items = try await page(api, store).items
            #expect(events.map(\.id) == items.map { $0["cursor"].string })
            #expect(events.compactMap { $0.data.flatMap { JSON(Array($0.utf8)) } } == items)
            stream.close()
            let resumed = try await EventStream(api, as: store, after: events[0].id)
            #expect(try await resumed.take(2).map(\.id) == [events[1].id, events[2].id])
            resumed.close()
            let fromNow = try await EventStream(api, as: store, query: "?after=now")
            let start = try await fromNow.next(comments: true)
            #expect(start?.id != nil && start?.type == nil)
            let later = try await api.delivery(of: store, to: couriers)
            #expect(try await fromNow.take(1)[0].data?.contains(later) == true)
            fromNow.close()
        }
    }

    @Test func `an account has only so many streams`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            var streams: [EventStream] = []
            for _ in 0..<8 { streams.append(try await EventStream(api, as: store)) }
            #expect(streams.allSatisfy { $0.status == 200 })
            #expect(try await EventStream(api, as: store).status == 429)
            #expect(try await EventStream(api, as: try await api.store()).status == 200)
            for stream in streams { stream.close() }
            // Places are given back when the server notices.
            try await eventually { try await EventStream(api, as: store).status == 200 }
        }
    }

    /// Nodes know each other by the database alone.
    @Test func `a session has no more streams on two nodes than on one`() async throws {
        try await ServedProduct.serving { one in
            let store = try await one.store()
            var streams: [EventStream] = []
            for _ in 0..<3 { streams.append(try await EventStream(one, as: store)) }
            try await ServedProduct.another(looseness: nil, trust: Trust()) { two in
                for _ in 0..<5 { streams.append(try await EventStream(two, as: store)) }
                #expect(streams.allSatisfy { $0.status == 200 })
                for node in [one, two] {
                    let refused = try await EventStream(node, as: store)
                    #expect(refused.status == 429)
                    let waits = try await node.get("/v1/events?after=now&wait_seconds=30", as: store.token)
                    #expect(waits.status == 429 && waits.reply.header("retry-after") == "5")
                }
                streams.removeLast().close()
                try await eventually {
                    let another = try await EventStream(one, as: store)
                    if another.status == 200 { streams.append(another) }
                    return another.status == 200
                }
                #expect(try await EventStream(two, as: store).status == 429)
            }
            // The other one's are free when it has gone.
            for _ in 0..<4 { streams.append(try await EventStream(one, as: store)) }
            #expect(streams.suffix(4).allSatisfy { $0.status == 200 })
            #expect(try await EventStream(one, as: store).status == 429)
            for stream in streams { stream.close() }
        }
    }

    @Test func `a stream ends with its session and with the server`() async throws {
        let stream = try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let stream = try await EventStream(api, as: store)
            #expect(try await stream.next(comments: true) != nil)
            #expect(try await api.call("DELETE", "/v1/sessions/current", as: store.token).status == 204)
            // When it is woken, it finds that the session is over.
            try await api.execute("INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{test.more}')")
            #expect(try await !stream.lastWords().contains("retry"))
            stream.close()
            return try await EventStream(api, as: couriers[0])
        }
        // The stream ends properly, so that the client reconnects.
        #expect(try await stream.next() == nil)
    }

    // MARK: Keeping

    /// Writes old events of an account as if they had been numbered then.
    private func writeOld(_ numbers: ClosedRange<Int>, of person: Person, days: Int, _ api: ServedProduct) async throws
    {
        let when = "date_trunc('milliseconds', now()) - interval '\(days) days'"
        try await api.execute("SELECT make_event_partition(\(when))")
        try await api.execute(
            """
            INSERT INTO events (account_id, numbered_at, number, type, at)
            SELECT '\(person.id)', \(when) + n * interval '1 second', n, 'test.old', now()
            FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) n
            """)
    }

    @Test func `a cursor is refused only when events after it are gone`() async throws {
        try await ServedProduct.serving { api in
            let (busy, couriers) = try await api.team(1)
            let quiet = try await api.store()
            for person in [busy, quiet] {
                try await writeOld(1...3, of: person, days: 50, api)
                try await writeOld(4...5, of: person, days: 20, api)
            }
            let cursors = try await page(api, busy).items.map { $0["cursor"].string ?? "" }
            let theirs = try await page(api, quiet).items.map { $0["cursor"].string ?? "" }
            let drop = RenewEventPartitions(days: 30)
            try await api.database.run(drop)
            try await api.database.run(drop)
            try await api.expectEvents(["test.old", "test.old"], of: busy)
            for place in 0..<2 {
                let answer = try await page(api, busy, "?after=\(cursors[place])")
                #expect(answer.status == 410 && answer.code == "gone")
                let stream = try await EventStream(api, as: busy, after: cursors[place])
                #expect(stream.status == 410)
                stream.close()
            }
            // A reader who has read everything that was dropped missed nothing.
            let rest = try await page(api, busy, "?after=\(cursors[2])").items
            #expect(rest.map { $0["number"].integer } == [4, 5])
            // When everything is dropped, the numbers still go on.
            try await api.database.run(RenewEventPartitions(days: 10))
            #expect(try await page(api, quiet, "?after=\(theirs[4])").status == 200)
            #expect(try await page(api, quiet, "?after=\(theirs[3])").status == 410)
            let now = try await page(api, quiet, "?after=now").json["next_cursor"].string
            #expect(now == theirs[4])
            _ = try await api.delivery(of: busy, to: couriers)
            try await api.expectEvents(["delivery.created"], of: busy)
            #expect(try await page(api, busy).items.map { $0["number"].integer } == [6])
            #expect(try await page(api, busy, "?after=\(cursors[4])").items.count == 1)
        }
    }

    @Test func `events lie in the week in which they were numbered`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await writeOld(1...3, of: store, days: 15, api)
            _ = try await api.delivery(of: store, to: couriers)
            try await api.expectEvents(["delivery.offered"], of: couriers[0])
            let misplaced = try await api.execute(
                """
                SELECT count(*), count(*) FILTER (
                    WHERE tableoid <> ('events_' || to_char(date_trunc('week', numbered_at), 'YYYYMMDD'))::regclass)
                FROM events
                """)
            #expect(Int(misplaced[0][0] ?? "") ?? 0 > 4 && misplaced[0][1] == "0")
            let weeks = try await api.execute(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass")
            #expect(Int(weeks[0][0] ?? "") ?? 0 >= 5)
            try await api.database.run(RenewEventPartitions(days: 30))
            #expect(
                try await api.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass") == weeks)
        }
    }

    // MARK: Copies

    @Test func `cursors of the time before numbers stay good`() async throws {
        try await ServedProduct.serving { api in
            let (store, quiet) = (try await api.store(), try await api.store())
            try await writeOld(1...3, of: store, days: 3, api)
            try await api.execute(
                """
                INSERT INTO event_cursors_before (account_id, xact, id, number, numbered_at, next_at)
                SELECT account_id, (702 + number)::text::xid8, number + 2, number, numbered_at, lead(numbered_at) OVER (ORDER BY number) FROM events
                WHERE account_id = '\(store.id)'
                """)
            try await api.execute("UPDATE events_kept SET after = '702'")
            func read(_ transaction: Int, _ event: Int, _ person: Person) async throws -> Answer {
                let cursor = "\(String(transaction, radix: 36))-\(String(event, radix: 36))"
                return try await page(api, person, "?after=\(cursor)")
            }
            for (transaction, event, numbers) in [
                (704, 4, [3]), (705, 5, []), (703, 9, [2, 3]), (702, 2, [1, 2, 3]), (999, 0, []),
            ] {
                let answer = try await read(transaction, event, store)
                #expect(answer.items.map { $0["number"].integer } == numbers, "\(transaction): \(answer.json)")
            }
            // Events may have been dropped since, and nobody knows whose they were.
            #expect(try await read(701, 1, store).status == 410)
            #expect(try await read(703, 0, quiet).status == 200)
            // These cursors are forgotten once the events after them are older than events are kept. But a reader who
            // has read everything is never told that something is gone, nor is anybody because of others' events.
            try await api.execute(
                "UPDATE event_cursors_before SET next_at = now() - interval '31 days' WHERE number = 1")
            #expect(try await api.database.run(ForgetFormerCursors(days: 30)) == [1])
            #expect(try await api.database.run(ForgetFormerCursors(days: 30)) == [0])
            #expect(try await read(703, 3, store).status == 410)
            #expect(try await read(704, 4, store).items.map { $0["number"].integer } == [3])
            #expect(try await read(705, 5, store).status == 200)
            #expect(try await read(703, 0, quiet).status == 200)
        }
    }

    /// A fail-over that does not wait for the other server may do this, and so may a slightly old backup.
    @Test func `a cursor from after the end of a copy goes on`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<3 { _ = try await api.delivery(of: store, to: couriers) }
            try await api.expectEvents(Array(repeating: "delivery.created", count: 3), of: store)
            let last = try await page(api, store).items[2]["cursor"].string ?? ""
            // The last two events were not copied.
            try await api.execute("DELETE FROM events WHERE account_id = '\(store.id)' AND number > 1")
            #expect(try await page(api, store, "?after=\(last)").status == 200)
            let id = try await api.delivery(of: store, to: couriers)
            let next = try await page(api, store, "?after=\(last)&wait_seconds=30").items
            #expect(next.map { $0["delivery_id"].string } == [id] && next[0]["number"] == 2)
        }
    }

    // MARK: Holding up

    @Test func `no open transaction holds up anybody else`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (other, theirs) = try await api.team(1)
            // One writes for the same account, one only reads, and one has an old snapshot.
            let writer = try await OpenTransaction.begin()
            try await writer.query(
                "INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{test.slow}')")
            let reader = try await OpenTransaction.begin()
            try await reader.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            try await reader.query("SELECT count(*) FROM events, event_journal, event_rounds")
            for _ in 0..<20 {
                for (store, couriers) in [(store, couriers), (other, theirs)] {
                    let before = try await page(api, store, "?after=now").json["next_cursor"].string ?? ""
                    let id = try await api.delivery(of: store, to: couriers)
                    let next = try await page(api, store, "?after=\(before)&wait_seconds=30")
                    #expect(next.items.map { $0["delivery_id"].string } == [id], "\(next.json)")
                }
            }
            try await writer.commit()
            try await reader.commit()
        }
    }

    @Test func `events get their numbers while every connection for requests is taken`() async throws {
        // Of several connections one stays for statements. A single one is lent whole.
        try await ServedProduct.serving(poolSize: 1) { api in
            let store = try await api.store()
            let (taken, isOver) = (Locked(0), Locked(false))
            let holders = api.group.loops.map { loop in
                Task(executorPreference: loop) {
                    try await api.database.transaction { _ in
                        taken.withLock { $0 += 1 }
                        try await eventually { isOver.withLock { $0 } }
                    }
                }
            }
            try await eventually { taken.withLock { $0 } == holders.count }
            let other = try await OpenTransaction.begin()
            try await other.query(
                "INSERT INTO event_journal (accounts, types) VALUES ('{\(store.id)}', '{test.beside}')")
            try await other.commit()
            let looking = try await OpenTransaction.begin()
            try await eventually {
                try await looking.query("SELECT FROM events WHERE type = 'test.beside'").count == 1
            }
            isOver.withLock { $0 = true }
            for holder in holders { try await holder.value }
        }
    }

    /// Ten thousand who listen cost the database as much as one: it is asked once more for every page, however many rounds
    /// of numbering pass while they wait.
    @Test(.timeLimit(.minutes(10)))
    func `who waits for news asks nothing meanwhile`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            let pages = Locked(0)
            func next(_ person: Person) async throws -> [JSON] {
                var after = "now"
                while true {
                    pages.withLock { $0 += 1 }
                    let answer = try await page(api, person, "?after=\(after)&wait_seconds=30")
                    guard answer.items.isEmpty else { return answer.items }
                    after = answer.json["next_cursor"].string ?? after
                }
            }
            /// How often one of the tables that events stand in was looked through, as far as the server's processes said.
            func looks() async throws -> Int {
                try await api.execute(
                    """
                    SELECT coalesce(sum(seq_scan + idx_scan), 0) FROM pg_stat_user_tables
                    WHERE relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'events'::regclass)
                    """)[0][0].flatMap { Int($0) } ?? 0
            }
            let before = try await looks()
            let waiters = ([store] + couriers).flatMap { person in
                (0..<8).map { _ in Task { try await next(person) } }
            }
            func round() async throws -> String? {
                try await api.execute(
                    """
                    SELECT max(query_start) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND query LIKE '%number_events%'
                    """)[0][0]
            }
            for _ in 0..<200 {
                let last = try await round()
                try await eventually { try await round() != last }
            }
            // A page asks for the end of the feed, for what is after that, and once more at its own end.
            let tables = try await api.execute("SELECT FROM pg_inherits WHERE inhparent = 'events'::regclass").count
            let (counted, asked) = (try await looks() - before, pages.withLock { $0 })
            #expect(counted <= 3 * tables * asked, "\(counted) looks for \(asked) pages")
            // And that is what counted: everybody has looked at least once.
            try await eventually { try await looks() - before >= waiters.count }
            _ = try await api.delivery(of: store, to: couriers)
            for waiter in waiters { #expect(try await waiter.value.count == 1) }
        }
    }

    /// A list of a hundred jobs that are taken back tells one courier a hundred things at once.
    @Test func `a round asks once for the last number of an account, however much it is told`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let connection = try TestDatabase.current.connect()
            // Nobody else numbers what is written here.
            _ = try connection.query("SELECT pg_advisory_lock(7311146936)")
            _ = try connection.query(
                """
                INSERT INTO event_journal (accounts, types, data)
                SELECT ARRAY['\(store.id)']::uuid[], '{test.told}', '{}' FROM generate_series(1, 100)
                """)
            try connection.execute("BEGIN")
            #expect(try connection.query("SELECT number_events(1000)") == [["f"]])
            let looks = try connection.query(
                """
                SELECT sum(idx_scan) FROM pg_stat_xact_user_tables
                WHERE relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'events'::regclass)
                """)
            let tables = try connection.query("SELECT FROM pg_inherits WHERE inhparent = 'events'::regclass").count
            #expect(try #require(looks[0][0].flatMap { Int($0) }) <= tables)
            try connection.execute("COMMIT")
            _ = try connection.query("SELECT pg_advisory_unlock(7311146936)")
            let numbers = try await page(api, store, "?limit=200").items.map { $0["number"] }
            #expect(numbers == (1...100).map { .integer($0) })
        }
    }

    /// The database's processes stand still for a second. Readers who wait then get events as soon as they are there,
    /// and nobody is refused.
    @Test func `a pause of the database leaves no trace`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let quiet = try await api.courier()
            let sameStore = try await api.again(store)
            let before = try await page(api, store, "?after=now").json["next_cursor"].string ?? ""
            let ended = Locked<[String]>([])
            let waiters = (0..<8).map { _ in
                Task {
                    let answer = try await page(api, store, "?after=\(before)&wait_seconds=30")
                    ended.withLock { $0.append("with an event") }
                    return answer
                }
            }
            let inVain = Task {
                _ = try await page(api, quiet, "?after=now&wait_seconds=20")
                ended.withLock { $0.append("in vain") }
            }
            try await Task.sleep(for: .milliseconds(500))
            let processes = try await api.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).compactMap { $0[0].flatMap { pid_t($0) } }
            try #require(processes.count > 4)
            for process in processes { #expect(kill(process, SIGSTOP) == 0) }
            // Some come meanwhile, between their question and its answer. A session has no more than eight questions open.
            let late = (0..<8).map { _ in
                Task { try await page(api, sameStore, "?after=\(before)&wait_seconds=30") }
            }
            let made = Task {
                try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token).status
            }
            try await Task.sleep(for: .seconds(1))
            for process in processes { kill(process, SIGCONT) }
            #expect(try await made.value == 201)
            for waiter in waiters + late {
                let answer = try await waiter.value
                #expect(answer.status == 200 && answer.items.map { $0["type"].string } == ["delivery.created"])
            }
            try await inVain.value
            #expect(ended.withLock { $0.last } == "in vain")
        }
    }

    /// Readers who sleep when the database comes back are woken, in whatever order things happen.
    @Test(.timeLimit(.minutes(10)))
    func `no wake-up is lost when the database cuts every connection`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var heard = 0
            while heard < 5 {
                let before = try await page(api, store, "?after=now").json["next_cursor"].string ?? ""
                async let waited = page(api, store, "?after=\(before)&wait_seconds=30")
                let kill =
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                try await api.execute(kill)
                try await eventually {
                    try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token).status
                        == 201
                }
                let answer = try await waited
                // The request may have been under way when its connection was cut.
                if answer.status == 503 { continue }
                #expect(answer.items.first?["type"] == "delivery.created", "\(answer.json)")
                heard += 1
            }
        }
    }
}
