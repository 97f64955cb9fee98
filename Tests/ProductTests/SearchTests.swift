import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.database) struct SearchTests {
    private func found(_ text: String, _ path: String = "/v1/deliveries", by person: Person, _ api: ServedProduct)
        async throws
        -> [String]
    {
        var (ids, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await api.get(
                "\(path)?q=\(text)" + (cursor.map { "&cursor=\($0)" } ?? ""), as: person.token)
            #expect(page.status == 200, "\(page.json)")
            ids += page.items.compactMap { $0["id"].string }
            cursor = page.json["next_cursor"].string
        } while cursor != nil
        return ids
    }

    /// Deliveries of the same store and for the same couriers, behind all existing ones; the first is the newest.
    private func fill(_ api: ServedProduct, like id: String, count: Int, word: String) async throws {
        try await api.execute(
            """
            INSERT INTO deliveries (id, store_id, status, version, candidates, recipient_first_name,
                recipient_last_name, recipient_address, description, created_at, updated_at)
            SELECT ('00000000-0000-7000-8000-' || lpad((1000000 - n)::text, 12, '0'))::uuid, store_id, 'pending', 1,
                candidates, 'X', 'Y', 'Z', \(word), now(), now()
            FROM deliveries, generate_series(1, \(count)) n WHERE deliveries.id = '\(id)'
            """)
        try await api.execute(
            """
            INSERT INTO jobs (courier_id, status, delivery_id, store_id)
            SELECT candidates[1], status, id, store_id FROM deliveries WHERE id < '00000000-0000-7000-8001-000000000000'
            """)
    }

    @Test func `every word of a search must begin a word of the delivery`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(
                of: store, to: couriers,
                [
                    "reference": "NAR-0017/26", "description": "Straße, đubrivo & Łódź → 🎂torta",
                    "instructions": "l'été O’Brien €20",
                ])
            for text in [
                "nar-17", "0017", "17", "strasse", "STRA%C3%9FE", "DUB", "lodz%20dub", "ete", "brien%20o", "26%20nar",
                "20", "torta",
            ] {
                #expect(try await found(text, by: store, api) == [id], "\(text)")
                #expect(try await found(text, by: couriers[0], api) == [id], "\(text)")
            }
            for text in ["ubrivo", "dub%20nema", "7", "%25", "_", "*", "'", "%5C", "%27%3A*"] {
                #expect(try await found(text, by: store, api).isEmpty, "\(text)")
            }
        }
    }

    @Test func `an edited delivery is found by its new words alone`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["description": "kolač"])
            let edited = try await api.call("PATCH", "/v1/deliveries/\(id)", ["description": "torta"], as: store.token)
            #expect(edited.status == 200)
            #expect(try await found("kolac", by: store, api).isEmpty)
            #expect(try await found("torta", by: store, api) == [id])
        }
    }

    @Test func `nobody finds what is not theirs`() async throws {
        try await ServedProduct.serving { api in
            let ((store, couriers), (other, others)) = (try await api.team(1), try await api.team(1))
            let id = try await api.delivery(of: store, to: couriers, ["description": "lubenica"])
            #expect(try await found("lubenica", by: store, api) == [id])
            // There are so many that no glance sees all of them.
            for _ in 0..<20 { _ = try await api.delivery(of: other, to: others, ["description": "kruh"]) }
            for person in [other] + others { #expect(try await found("lubenica", by: person, api).isEmpty) }
            // Guessing a mark opens nothing.
            #expect(try await found("\(store.id.suffix(6))lubenica", by: others[0], api).isEmpty)
            let ended = try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token)
            #expect(ended.status == 204)
            #expect(try await found("lubenica", by: couriers[0], api).isEmpty)
        }
    }

    @Test func `the directory follows names and partnerships`() async throws {
        try await ServedProduct.serving { api in
            let (store, stranger) = (try await api.store(), try await api.store())
            let courier = try await api.courier(name: ("Željko", "Čović"))
            let number = String(courier.login.suffix(6))
            #expect(try await found("zeljko%20cov", "/v1/couriers", by: store, api) == [courier.id])
            #expect(try await found(number, "/v1/couriers", by: store, api).isEmpty)
            try await api.join(store, courier)
            #expect(try await found(number, "/v1/couriers", by: store, api) == [courier.id])
            #expect(try await found(number, "/v1/couriers", by: stranger, api).isEmpty)
            try await api.execute("UPDATE couriers SET last_name = 'Babić' WHERE id = '\(courier.id)'")
            #expect(try await found("covic", "/v1/couriers", by: store, api).isEmpty)
            for person in [store, stranger] {
                #expect(try await found("babic", "/v1/couriers", by: person, api) == [courier.id])
            }
            #expect(try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token).status == 204)
            #expect(try await found(number, "/v1/couriers", by: store, api).isEmpty)
        }
    }

    @Test func `names are found among many couriers`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let (wanted, partner) = (
                try await api.courier(name: ("Zvonimir", "Žanić")), try await api.courier(name: ("Zvonimir", "Žunić"))
            )
            try await api.join(store, partner)
            for _ in 0..<30 { _ = try await api.courier() }
            func names(_ query: String) async throws -> [String?] {
                try await api.get("/v1/couriers?q=\(query)", as: store.token).items.map { $0["last_name"].string }
            }
            #expect(try await names("zvon") == ["Žanić", "Žunić"])
            #expect(try await names("z%20z") == ["Žanić", "Žunić"])
            #expect(try await names("zvon&partner=false") == ["Žanić"])
            #expect(try await names("zvon&partner=true") == ["Žunić"])
            #expect(try await names(String(partner.login.suffix(6))) == ["Žunić"])
            #expect(try await names(String(wanted.login.suffix(6))).isEmpty)
        }
    }

    @Test func `a rare word is found on the first page, however far behind`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await fill(api, like: id, count: 4500, word: "CASE n WHEN 4400 THEN 'lubenica' ELSE 'kruh' END")
            for person in [store, couriers[0]] {
                let page = try await api.get("/v1/deliveries?q=lubenica", as: person.token)
                #expect(page.items.map { $0["id"].string } == ["00000000-0000-7000-8000-000000995600"])
                #expect(page.json["next_cursor"] == .null)
            }
        }
    }

    /// There are too many to be sorted, and none is near the beginning.
    @Test func `a frequent word is found page by page, and nothing is missed`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await fill(api, like: id, count: 6000, word: "CASE WHEN n > 2500 THEN 'lubenica' ELSE 'kruh' END")
            let wanted = (2501...6000).map { "00000000-0000-7000-8000-000000\(1_000_000 - $0)" }
            for person in [store, couriers[0]] {
                #expect(try await found("lubenica&limit=200", by: person, api) == wanted)
                let short = try await api.get("/v1/deliveries?q=lubenica", as: person.token)
                #expect(short.items.isEmpty && short.json["next_cursor"] != .null)
            }
        }
    }

    @Test func `the name of a courier finds what it carries among many`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let courier = try await api.courier(name: ("Zvonimir", "Žanić"))
            try await api.join(store, courier)
            let id = try await api.delivery(of: store, to: [courier])
            let carried = try await api.delivery(of: store, to: [courier])
            try await fill(api, like: id, count: 500, word: "'kruh'")
            #expect(try await found("zvonimir%20zan", by: store, api).isEmpty)
            try await api.act("accept", carried, as: courier)
            #expect(try await found("zvonimir%20zan", by: store, api) == [carried])
            #expect(try await found("zvonimir%20zan", by: courier, api).isEmpty)
        }
    }

    /// Longer than a test with a search that waits for the words takes.
    private static let forLong = Duration.seconds(600)

    /// While the table of words is locked, searches take as long as they may.
    @Test func `a third search ends the oldest, and nobody else waits`() async throws {
        try await ServedProduct.serving(slowBound: Self.forLong) { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let holder = try await OpenTransaction.begin()
            try await holder.query(LockWords.sql)
            let oldest = try await waitingSearch(api, store)
            let others = (0..<2).map { _ in search(api, store) }
            let first = try await oldest.value
            // Lists, deliveries and people still work meanwhile.
            #expect(try await api.get("/v1/deliveries", as: store.token).items.count == 1)
            #expect(try await api.get("/v1/deliveries/\(id)", as: couriers[0].token).status == 200)
            #expect(try await api.get("/v1/me", as: store.token).status == 200)
            try await holder.commit()
            #expect(first.status == 429 && first.code == "rate_limited", "\(first.json)")
            #expect(first.reply.header("retry-after") == "1")
            #expect(first.reply.header("ratelimit-policy") == "\"searches\";q=2;qu=\"concurrent-requests\"")
            #expect(first.reply.header("ratelimit") == "\"searches\";r=0;t=1")
            for other in others { #expect(try await other.value.status == 200) }
            #expect(try await found("torta", by: store, api) == [id])
        }
    }

    /// There are more searches than connections for requests, and each comes when those before it have a connection,
    /// so that they would share none. While all of them wait, what is said is heard, by whoever waits for it, and
    /// people find themselves.
    @Test func `eight searches at once delay nobody else`() async throws {
        try await ServedProduct.serving(poolSize: 2, slowBound: Self.forLong) { api in
            let (speaker, listener, conversation) = try await api.talk()
            var stores: [Person] = []
            for _ in 0..<4 { stores.append(try await api.store()) }
            let holder = try await OpenTransaction.begin()
            try await holder.query(LockWords.sql)
            let ended = Locked(0)
            var searches: [Task<Void, any Error>] = []
            for (place, store) in (stores + stores).enumerated() {
                let loop = api.group.loops[place % 2]
                searches.append(
                    Task {
                        _ = try await api.call("GET", "/v1/deliveries?q=torta", as: store.token, on: loop)
                        ended.withLock { $0 += 1 }
                    })
                // Two connections of each loop are for searches.
                try await eventually { try await waiting(api) == min(place + 1, 4) }
            }
            let heard = Task { try await hear("Bok", api, listener) }
            #expect(try await api.say("Bok", in: conversation, as: speaker).status == 201)
            for person in [speaker, listener] + stores {
                #expect(try await api.get("/v1/me", as: person.token).status == 200)
            }
            try await heard.value
            #expect(ended.withLock { $0 } == 0)
            try await holder.commit()
            for search in searches { try await search.value }
        }
    }

    /// Waits at the feed until that is the last that was said.
    private func hear(_ text: String, _ api: ServedProduct, _ person: Person) async throws {
        var cursor = ""
        while true {
            let path = "/v1/events?limit=200&wait_seconds=10" + (cursor.isEmpty ? "" : "&after=\(cursor)")
            let events = try await api.get(path, as: person.token)
            try #require(events.status == 200 && !events.items.isEmpty, "\(events.json)")
            if events.items.contains(where: { $0["data"]["message"]["text"].string == text }) { return }
            cursor = events.items.last?["cursor"].string ?? ""
        }
    }

    @Test func `a search that takes too long ends by itself`() async throws {
        try await ServedProduct.serving { api in
            let (store, _) = try await api.team(1)
            try await api.database.transaction { holder in
                _ = try await holder.run(LockWords())
                let answer = try await api.get("/v1/deliveries?q=torta", as: store.token)
                #expect(answer.status == 503, "\(answer.json)")
            }
        }
    }

    /// Each of its steps is short enough.
    @Test func `a search of many steps ends as a whole`() async throws {
        try await ServedProduct.serving { api in
            let reads = SlowReads(
                api.database, within: .seconds(2), seats: Seats(api.database, on: api.group))
            await #expect(throws: PostgresError.self) {
                try await api.group.loops[0].run {
                    try await reads.run(for: Domain.ID(high: 1, low: 1)) { runner in
                        for _ in 0..<4 { _ = try await runner.run(Nap()) }
                    }
                }
            }
        }
    }

    /// However often somebody searches again, no more than two statements are under way for it.
    @Test func `an ended search keeps its place until its statement has ended`() async throws {
        try await ServedProduct.serving { api in
            let (reads, account) = (
                SlowReads(api.database, within: .seconds(2), seats: Seats(api.database, on: api.group)),
                Domain.ID(high: 1, low: 1)
            )
            let underWay = Locked((now: 0, most: 0))
            let ends = await withTaskGroup(of: Bool.self) { asking in
                for _ in 0..<12 {
                    asking.addTask(executorPreference: api.group.loops[0]) {
                        do {
                            try await reads.run(for: account) { runner in
                                underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                                defer { underWay.withLock { $0.now -= 1 } }
                                _ = try await runner.run(Nap())
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await asking.reduce(into: []) { $0.append($1) }
            }
            try await eventually { underWay.withLock { $0.now } == 0 }
            #expect((1...2).contains(underWay.withLock { $0.most }), "\(ends)")
        }
    }

    /// Whoever searches does not know which node answers.
    @Test func `the third search of an account on two nodes ends the oldest`() async throws {
        try await ServedProduct.serving(slowBound: Self.forLong) { one in
            let (store, _) = try await one.team(1)
            try await ServedProduct.another(looseness: nil, trust: Trust(), slowBound: Self.forLong) { two in
                let holder = try await OpenTransaction.begin()
                try await holder.query(LockWords.sql)
                let first = try await waitingSearch(one, store)
                let others = [search(two, store), search(two, store)]
                #expect(try await first.value.status == 429)
                try await holder.commit()
                for other in others { #expect(try await other.value.status == 200) }
                // Their seats are given back.
                try await eventually { try await one.execute("SELECT count(*) FROM seats") == [["0"]] }
                for node in [one, two] {
                    #expect(try await node.get("/v1/deliveries?q=torta", as: store.token).status == 200)
                }
            }
        }
    }

    /// Figures cost as much as searches.
    @Test func `no more than two requests for figures run at once`() async throws {
        try await ServedProduct.serving(slowBound: Self.forLong) { api in
            let store = try await api.store()
            let holder = try await OpenTransaction.begin()
            try await holder.query("LOCK TABLE cancellations IN ACCESS EXCLUSIVE MODE")
            let answers = Locked<[Int]>([])
            let all = (0..<3).map { _ in
                Task {
                    let answer = try await api.get("/v1/stats", as: store.token)
                    answers.withLock { $0.append(answer.status) }
                }
            }
            // The last that comes ends another.
            try await eventually { answers.withLock { $0 } == [429] }
            try await holder.commit()
            for one in all { try await one.value }
            #expect(answers.withLock { $0 } == [429, 200, 200])
            #expect(try await api.get("/v1/stats", as: store.token).status == 200)
        }
    }

    private func search(_ api: ServedProduct, _ store: Person) -> Task<Answer, any Error> {
        Task { try await api.get("/v1/deliveries?q=torta", as: store.token) }
    }

    /// A search that waits for the words.
    private func waitingSearch(_ api: ServedProduct, _ store: Person) async throws -> Task<Answer, any Error> {
        let search = search(api, store)
        try await eventually { try await waiting(api) == 1 }
        return search
    }

    private func waiting(_ api: ServedProduct) async throws -> Int {
        // The locks of other tests' databases are seen, too.
        let waiting = try await api.execute(
            """
            SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database AND datname = current_database()
            WHERE NOT granted AND relation = 'delivery_words'::regclass
            """)
        return waiting[0][0].flatMap { Int($0) } ?? 0
    }
}

private struct Nap: Statement {
    static let sql = "SELECT pg_sleep(0.7)::text"
    static let isReadOnly = true
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

private struct LockWords: Statement {
    static let sql = "LOCK TABLE delivery_words IN ACCESS EXCLUSIVE MODE"
}
