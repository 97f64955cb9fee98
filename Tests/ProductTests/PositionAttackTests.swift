import API
import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Places

/// What somebody may try with positions who means no good, or whose phone has been in a pocket for hours.
@Suite(.database, .timeLimit(.minutes(10))) struct PositionAttackTests {
    @Test func `numbers that are none are refused, and what is far from everything is not taken`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            func send(_ text: String) async throws -> Answer {
                var head = "POST /v1/me/positions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(courier.token)\r\n"
                let bytes = Array(text.utf8)
                head += "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
                return Answer(try await api.server.reply(to: head, body: bytes, on: api.group.loops[0]))
            }
            let at = Timestamp.now.text
            func fix(_ lat: String, at: String = at, accuracy: String = "5", more: String = "") -> String {
                #"{"fixes":[{"lat":\#(lat),"lon":16,"accuracy_m":\#(accuracy),"at":"\#(at)"\#(more)}]}"#
            }
            for odd in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x2d", "45.", "+45"] {
                #expect(try await send(fix(odd)).status == 400, "\(odd)")
            }
            for odd in ["null", "\"45\"", "true", "[45]", "{}"] {
                #expect(try await send(fix(odd)).status == 422, "\(odd)")
            }
            for odd in ["0000-00-00T00:00:00Z", "2026-02-30T00:00:00Z", "now", "", "1", "99999-01-01T00:00:00Z"] {
                #expect(try await send(fix("45", at: odd)).status == 422, "\(odd)")
            }
            let refusals = [
                (fix("1e308"), "out_of_range"), (fix("-1e308"), "out_of_range"),
                (fix("99999999999999999999999999"), "out_of_range"),
                (fix("45", accuracy: "1e308"), "inaccurate"), (fix("45", at: "9999-12-31T23:59:59.999Z"), "future"),
                (fix("45", at: "1970-01-01T00:00:00Z"), "stale"),
            ]
            for (body, code) in refusals {
                let answer = try await send(body)
                #expect(answer.json == ["taken": 0, "refused": [["index": 0, "code": .string(code)]]], "\(body)")
            }
            #expect(try await api.execute("SELECT FROM positions") == [])
            // Numbers of which nothing follows are as large as they like.
            let fast = try await send(fix("1e-300", more: #","speed_mps":1e308,"heading":-1e308"#))
            #expect(fast.json["taken"] == 1)
        }
    }

    @Test func `where a phone was before it carried anything is in no trail, however late it says so`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            try await api.setDuty(false, of: ana)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: ana)
            // At home, an hour ago, and off duty.
            let said = try await api.say(
                SamplePlace.fix((lat: 45.1, lon: 16.1), ago: 3600), SamplePlace.fix((lat: 45.2, lon: 16.2), ago: 60),
                by: ana)
            #expect(said.status == 200)
            #expect(try await api.execute("SELECT FROM trails") == [])
            try await api.say(SamplePlace.fix(), by: ana)
            #expect(try await api.execute("SELECT lat FROM trails") == [["\(SamplePlace.north.lat)"]])
            // What it took on first is what the trail is of.
            try await api.execute("UPDATE jobs SET since = since - interval '10 minutes'")
            let second = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", second, as: ana)
            try await api.say(SamplePlace.fix(SamplePlace.door), by: ana)
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["2"]])
        }
    }

    @Test(arguments: PositionSharing.allCases)
    func `where a phone was off duty is not kept and nobody is shown it, however late it says so`(
        _ sharing: PositionSharing
    ) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            try await api.share(sharing.rawValue, by: ana)
            try await api.setDuty(false, of: ana)
            let id = try await api.delivery(of: store, to: couriers)
            let stream = try await EventStream(api, as: store, of: "/v1/positions")
            /// Where she is known to be at first, and what of that is refused; what the store is shown is told by the stream.
            func say(_ fixes: JSON...) async throws -> (kept: [[String?]], refused: [String?]) {
                let said = try await api.post("/v1/me/positions", ["fixes": .array(fixes)], as: ana.token)
                #expect(said.status == 200)
                return (
                    try await api.execute("SELECT lat FROM positions"),
                    said.json["refused"].items.map { $0["code"].string }
                )
            }
            let home = (lat: 45.1, lon: 16.1)
            try await api.act("accept", id, as: ana)
            for ago in [14_400.0, 600, 5] {
                let late = try await say(SamplePlace.fix(home, ago: ago))
                #expect(late.kept == [] && late.refused == ["older_than_known"], "\(ago)")
                #expect(try await api.seen(by: store).isEmpty, "\(ago)")
            }
            let mixed = try await say(SamplePlace.fix(home, ago: 3600), SamplePlace.fix())
            #expect(mixed.kept == [["\(SamplePlace.north.lat)"]] && mixed.refused == ["older_than_known"])
            #expect(try await api.seen(by: store).map { $0["position"]["lat"].double } == [SamplePlace.north.lat])
            try await api.say(SamplePlace.fix(SamplePlace.door), by: ana)
            var shown: [Double?] = []
            while shown.last != SamplePlace.door.lat, let event = try await stream.next() {
                guard event.type == "position", let told = JSON(Array((event.data ?? "").utf8)) else { continue }
                shown.append(told["position"]["lat"].double ?? told["last_seen"]["lat"].double)
            }
            #expect(shown.allSatisfy { $0 == SamplePlace.north.lat || $0 == SamplePlace.door.lat }, "\(shown)")
            stream.close()
        }
    }

    @Test func `where somebody was between a delivery and its reopening is in no trail`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            try await api.setDuty(false, of: ana)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: ana)
            try await api.execute("UPDATE jobs SET since = since - interval '1 hour'")
            try await api.say(SamplePlace.fix((lat: 45.1, lon: 16.1), ago: 1800), by: ana)
            try await api.act("deliver", id, as: ana)
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            // At home, before it was said that it did not arrive.
            try await api.say(SamplePlace.fix((lat: 45.2, lon: 16.2), ago: 60), SamplePlace.fix(), by: ana)
            let trail = try await api.execute("SELECT lat FROM trails ORDER BY at")
            #expect(trail == [["45.1"], ["\(SamplePlace.north.lat)"]])
        }
    }

    @Test func `a former holder is seen by nobody, and leaves no trail`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (former, holder) = (couriers[0], couriers[1])
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: former)
            try await api.execute("UPDATE jobs SET since = since - interval '1 minute'")
            try await api.act("pick_up", id, as: former)
            try await api.say(SamplePlace.fix(ago: 5), by: former)
            let token = try await api.tracking(of: id, by: store)
            #expect(try await api.followed(token).json["position"] != .null)
            try await api.act("reassign", id, as: store, ["courier_ids": [.string(holder.id)]])
            #expect(try await api.followed(token).json["position"] == .null)
            // On duty it may say where it is, at the very door: nobody is told.
            #expect(try await api.say(SamplePlace.fix(SamplePlace.door, ago: 2), by: former).json["taken"] == 1)
            #expect(try await api.seen(by: store).isEmpty)
            #expect(try await api.followed(token).json["position"] == .null)
            try await api.act("accept", id, as: holder)
            try await api.act("pick_up", id, as: holder)
            #expect(try await api.followed(token).json["position"] == .null)
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 1), by: former)
            try await api.numberEvents()
            let told = try await api.get("/v1/events?limit=200", as: store.token).items.map { $0["type"].string }
            #expect(!told.contains("delivery.nearby"))
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["1"]])
            try await api.setDuty(false, of: former)
            #expect(try await api.say(SamplePlace.fix(), by: former).code == "not_on_duty")
        }
    }

    @Test func `a store cannot page to whom it does not see`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let other = try await api.store()
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await api.seen(by: store).count == 1)
            #expect(try await api.seen(by: other).isEmpty)
            // A cursor of another's page says where to go on, and nothing of who is there.
            let (second, third) = (try await api.courier(), try await api.courier())
            for courier in [second, third] {
                try await api.join(store, courier)
                try await api.share("always", by: courier)
                try await api.say(SamplePlace.fix(), by: courier)
            }
            let page = try await api.get("/v1/positions?limit=1", as: store.token)
            let cursor = try #require(page.json["next_cursor"].string)
            #expect(try await api.get("/v1/positions?cursor=\(cursor)", as: other.token).items.isEmpty)
            for odd in ["x", "%00", "..", String(repeating: "A", count: 2000)] {
                let answer = try await api.get("/v1/positions?cursor=\(odd)", as: store.token)
                #expect([400, 422].contains(answer.status), "\(odd): \(answer.status)")
            }
        }
    }

    @Test func `of two phones of one courier the later fix holds, in whichever order they come`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.execute("UPDATE jobs SET since = since - interval '1 hour'")
            let base = Timestamp.now.microseconds
            @Sendable func fix(_ number: Int) -> JSON {
                let at = Timestamp(microseconds: base - 600_000_000 + Int64(number) * 1_000_000)
                return SamplePlace.fix((lat: 45 + Double(number) / 1000, lon: 16), ago: 0, ["at": .string(at.text)])
            }
            var order = Array(0..<60)
            var chance = Chance(seed: 11)
            order.shuffle(using: &chance)
            let taken = try await together(order) { number in
                try await api.say(fix(number), by: couriers[0]).json["taken"].integer ?? 0
            }
            #expect(try await api.execute("SELECT lat FROM positions") == [["45.059"]])
            // What was taken is in the trail, and nothing else.
            #expect(try await api.execute("SELECT count(*) FROM trails") == [["\(taken.reduce(0, +))"]])
            #expect(try await api.say(fix(58), fix(59), by: couriers[0]).json["taken"] == 1)
        }
    }

    // MARK: While the database is away

    @Test func `as many wait as there is room for, others are refused, and afterwards all are answered`() async throws {
        try await ServedProduct.serving { api in
            let intake = try await PositionIntake(api.database, on: api.group)
            let fix = try Fix(lat: 45, lon: 16, accuracy: 5, at: .now, speed: nil, heading: nil, now: .now)
            let held = try await OpenTransaction.begin()
            try await held.query("LOCK TABLE positions IN ACCESS EXCLUSIVE MODE")
            let loop = api.group.loops[0]
            let (answered, refused) = (Locked(0), Locked(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                func send() {
                    group.addTask(executorPreference: loop) {
                        do {
                            _ = try await intake.take(SentFixes(courier: .new(), fixes: [fix]))
                            answered.withLock { $0 += 1 }
                        } catch PostgresError.unavailable {
                            refused.withLock { $0 += 1 }
                        }
                    }
                }
                // The first goes alone, and the others wait behind it.
                send()
                try await api.untilSomebodyWaits()
                for _ in 0..<4196 { send() }
                try await eventually { refused.withLock { $0 } == 100 }
                #expect(answered.withLock { $0 } == 0)
                try await held.commit()
                try await group.waitForAll()
            }
            #expect(answered.withLock { $0 } == 4097 && refused.withLock { $0 } == 100)
        }
    }

    @Test func `who says where it is while the database hangs is told to try again, and then it works`() async throws {
        try await ServedProduct.serving { api in
            let couriers = [try await api.courier(), try await api.courier()]
            let group = try EventLoopGroup(count: 1)
            var limits = DatabaseLimits()
            limits.statementTimeout = .milliseconds(200)
            let database = try await Database(
                url: TestDatabase.current.url, group: group, poolSize: 2, limits: limits)
            let intake = try await PositionIntake(database, on: group)
            @Sendable func take(_ courier: Person) async throws -> TakenFixes {
                let fix = try Fix(lat: 45, lon: 16, accuracy: 5, at: .now, speed: nil, heading: nil, now: .now)
                return try await Task(executorPreference: group.loops[0]) {
                    try await intake.take(SentFixes(courier: #require(ID(courier.id)), fixes: [fix]))
                }.value
            }
            let held = try await OpenTransaction.begin()
            try await held.query("LOCK TABLE positions IN ACCESS EXCLUSIVE MODE")
            for _ in 0..<3 {
                await #expect(throws: PostgresError.self) { try await take(couriers[0]) }
            }
            try await held.commit()
            let taken = try await together(couriers) { try await take($0).isAdmitted }
            #expect(taken == [true, true])
            await database.stop()
            try await blocking { group.stop() }
        }
    }
}
