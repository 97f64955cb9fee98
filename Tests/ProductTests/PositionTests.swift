import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Places
@testable import Product

/// Where couriers say they are, and what is kept of it.
@Suite(.database) struct PositionTests {
    /// Has a server do what it does by itself, which keeps trails for so many days, or for the usual time.
    private func tidy(_ name: String, _ api: ServedProduct, trailDays: Int? = nil) async throws {
        var settings = Composition.Settings(
            publicURL: PublicURL(""), looseness: nil, apps: ServedProduct.apps, hashingThreads: 1, eventDays: 1,
            messageDays: 30, verifies: false, version: "0")
        if let trailDays { settings.trailDays = trailDays }
        let kind = Composition.dueKinds(settings).first { $0.name == name }
        _ = try await #require(kind).work(api.database)
    }

    @Test func `what makes no sense is refused by its place, and the rest is taken`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let said = try await api.say(
                SamplePlace.fix(ago: 100), SamplePlace.fix(ago: 90, ["accuracy_m": 1001]),
                SamplePlace.fix(ago: 90, ["accuracy_m": -1]), SamplePlace.fix(ago: 90, ["lat": 91]),
                SamplePlace.fix(ago: 90, ["lon": .number(-180.5)]), SamplePlace.fix(ago: -60),
                SamplePlace.fix(ago: 90_000), SamplePlace.fix(ago: 101), SamplePlace.fix(ago: 1), by: courier)
            #expect(said.status == 200 && said.json["taken"] == 2, "\(said.json)")
            #expect(said.json["refused"].items.map { $0["index"].integer } == [1, 2, 3, 4, 5, 6, 7])
            #expect(
                said.json["refused"].items.map { $0["code"].string } == [
                    "inaccurate", "inaccurate", "out_of_range", "out_of_range", "future", "stale", "older_than_known",
                ])
            let older = try await api.say(SamplePlace.fix(ago: 60), SamplePlace.fix(), by: courier)
            #expect(older.json["taken"] == 1 && older.json["refused"] == [["index": 0, "code": "older_than_known"]])
        }
    }

    @Test func `a call has between one and a hundred fixes, each with what it needs`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            func send(_ fixes: [JSON]) async throws -> Answer {
                try await api.post("/v1/me/positions", ["fixes": .array(fixes)], as: courier.token)
            }
            let hundred = (0..<100).map { SamplePlace.fix(ago: 200 - Double($0)) }
            #expect(try await send(hundred).json["taken"] == 100)
            let wrongs: [[JSON]] = [
                [], hundred + [SamplePlace.fix()], [SamplePlace.fix().without("lat")],
                [SamplePlace.fix().without("at")],
                [SamplePlace.fix(ago: 0, ["lon": "16"])], [SamplePlace.fix(ago: 0, ["at": "now"])],
            ]
            for wrong in wrongs {
                let refused = try await send(wrong)
                #expect(refused.status == 422 && refused.code == "validation_failed", "\(refused.json)")
            }
        }
    }

    @Test func `off duty with nothing to carry nothing is kept`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.setDuty(false, of: couriers[0])
            let refused = try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(refused.status == 409 && refused.code == "not_on_duty")
            // Not even what would be refused anyway tells anything.
            #expect(try await api.say(SamplePlace.fix(ago: 90_000), by: couriers[0]).code == "not_on_duty")
            #expect(try await api.execute("SELECT FROM positions") == [])
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await api.say(SamplePlace.fix(), by: couriers[0]).json["taken"] == 1)
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["1"]])
        }
    }

    @Test func `with the end of duty it is forgotten where one is, unless one carries something`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["1"]])
            try await api.setDuty(false, of: couriers[0])
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["0"]])
            // What is carried off duty ends: with the last of it, it is forgotten where one is.
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await api.delivery(of: store, to: couriers)) }
            for id in ids { try await api.act("accept", id, as: couriers[0]) }
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await api.seen(by: store).count == 1)
            try await api.act("deliver", ids[0], as: couriers[0])
            try await api.act("cancel", ids[1], as: store)
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["1"]])
            try await api.act("cancel", ids[2], as: couriers[0])
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["0"]])
            #expect(try await api.seen(by: store).isEmpty)
            // Duty that has an end ends by itself.
            try await api.setDuty(true, of: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            try await tidy("positions", api)
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["1"]])
            try await api.execute("UPDATE couriers SET duty_until = now() - interval '1 second'")
            try await tidy("positions", api)
            #expect(try await api.execute("SELECT count(*) FROM positions") == [["0"]])
        }
    }

    @Test func `there is a trail only while something is carried`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.say(SamplePlace.fix(ago: 50), by: couriers[0])
            #expect(try await api.execute("SELECT FROM trails") == [])
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.execute("UPDATE jobs SET since = since - interval '45 seconds'")
            try await api.say(SamplePlace.fix(ago: 40), SamplePlace.fix(ago: 30), by: couriers[0])
            try await api.act("deliver", id, as: couriers[0])
            try await api.say(SamplePlace.fix(ago: 20), by: couriers[0])
            #expect(
                try await api.execute("SELECT count(*), max(lat) FROM trails") == [["2", "\(SamplePlace.north.lat)"]])
        }
    }

    /// A day is dropped as a whole, which takes as long however much went on in it.
    @Test func `trails are dropped by the day`() async throws {
        try await ServedProduct.serving { api in
            for sql in [
                "CREATE TABLE trails_20200101 (LIKE trails INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
                """
                ALTER TABLE trails ATTACH PARTITION trails_20200101
                    FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')
                """,
                """
                INSERT INTO trails SELECT gen_random_uuid(), '2020-01-01 12:00+00', 45, 16, 5 FROM generate_series(1, 50000)
                """,
            ] { try await api.execute(sql) }
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["50000"]])
            let began = ContinuousClock.now
            try await api.database.run(RenewTrailPartitions(days: 7))
            print("dropping a day of trails took \(ContinuousClock.now - began)")
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["0"]])
            #expect(try await api.execute("SELECT to_regclass('trails_20200101')") == [[nil]])
            // As many days are kept as are to be, whole.
            let parts =
                """
                SELECT current_date - to_date(right(relname, 8), 'YYYYMMDD') FROM pg_class
                WHERE relkind = 'r' AND relname ~ '^trails_20'
                """
            try await api.execute(
                """
                DO $$ BEGIN FOR n IN 2..9 LOOP
                    -- Around midnight the second day before may be there already.
                    EXECUTE format('CREATE TABLE IF NOT EXISTS trails_%s PARTITION OF trails FOR VALUES FROM (%L) TO (%L)',
                        to_char(current_date - n, 'YYYYMMDD'), current_date - n, current_date - n + 1);
                END LOOP; END $$
                """)
            for (days, oldest) in [(nil, "7"), (3, "3")] {
                try await tidy("trail partitions", api, trailDays: days)
                #expect(try await api.execute(parts + " ORDER BY 1 DESC LIMIT 1") == [[oldest]])
            }
            // Yesterday's fixes may still come, and those of the next days will.
            let partitions = try await api.execute(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'trails'::regclass")
            #expect(Int(partitions[0][0] ?? "") ?? 0 >= 16)
        }
    }

    /// Not every table's name ends with a day, and a plan may look at all of them.
    @Test func `partitions are renewed whatever plan that takes`() async throws {
        try await ServedProduct.serving { api in
            let session = try await OpenTransaction.begin()
            for setting in ["enable_nestloop", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"] {
                try await session.query("SET LOCAL \(setting) = off")
            }
            for call in [
                "trail_partitions(7)", "event_partitions(30)", "file_partitions(90)", "message_partitions(30)",
            ] {
                try await session.query("SELECT \(call)")
            }
            try await session.commit()
            #expect(try await api.seen(by: api.store()).isEmpty)
        }
    }

    @Test func `of fixes that come at once the newest is where one is`() async throws {
        try await ServedProduct.serving { api in
            let couriers = [try await api.courier(), try await api.courier()]
            let newest = SamplePlace.fix(SamplePlace.door)
            _ = try await together(Array(0..<40)) { number in
                let courier = couriers[number % 2]
                let fix = number / 2 == 7 ? newest : SamplePlace.fix(ago: 100 + Double(number))
                return try await api.say(fix, by: courier).status
            }
            #expect(
                try await api.execute("SELECT count(*), min(lat), max(lat) FROM positions")
                    == [["2", "\(SamplePlace.door.lat)", "\(SamplePlace.door.lat)"]])
        }
    }

    @Test func `a repeated call with its key is taken once`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let body: JSON = ["fixes": [SamplePlace.fix(ago: 5)]]
            let key = ["Idempotency-Key": "one"]
            let first = try await api.post("/v1/me/positions", body, as: courier.token, headers: key)
            try await api.say(SamplePlace.fix(), by: courier)
            let again = try await api.post("/v1/me/positions", body, as: courier.token, headers: key)
            #expect(first.json == again.json && again.json["taken"] == 1)
            #expect(again.reply.headers("idempotent-replayed") == ["true"])
        }
    }

    @Test func `what a phone does not know of its speed and heading is nothing`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(ago: 1, ["speed_mps": -1, "heading": -1]), by: couriers[0])
            let unknown = try await api.seen(by: store)[0]["position"]
            #expect(unknown["speed_mps"] == .null && unknown["heading"] == .null)
            try await api.say(SamplePlace.fix(ago: 0, ["speed_mps": .number(4.5), "heading": 90]), by: couriers[0])
            let known = try await api.seen(by: store)[0]["position"]
            #expect(
                known["speed_mps"].double == 4.5 && known["heading"].double == 90 && known["accuracy_m"].double == 8)
        }
    }

    @Test func `a minute later one is where one was last seen`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(ago: 50), by: couriers[0])
            let fresh = try await api.seen(by: store)
            #expect(fresh.map { $0["courier_id"].string } == [couriers[0].id] && fresh[0]["first_name"] == "Ana")
            #expect(fresh[0]["position"]["lat"].double == SamplePlace.north.lat && fresh[0]["last_seen"] == .null)
            try await api.execute("UPDATE positions SET at = at - interval '15 seconds'")
            let old = try await api.seen(by: store)
            #expect(old[0]["position"] == .null && old[0]["last_seen"]["lat"].double == SamplePlace.north.lat)
        }
    }

    @Test func `many couriers are seen page by page`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(5)
            for courier in couriers {
                try await api.share("always", by: courier)
                try await api.say(SamplePlace.fix(), by: courier)
            }
            var (seen, query): ([String], String?) = ([], "?limit=2")
            while let asked = query {
                let page = try await api.get("/v1/positions\(asked)", as: store.token)
                seen += page.items.compactMap { $0["courier_id"].string }
                query = page.json["next_cursor"].string.map { "?limit=2&cursor=\($0)" }
            }
            #expect(seen == couriers.map(\.id).sorted())
        }
    }
}
