import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

import Domain

/// What was not accepted or not delivered in time is told, once.
@Suite(.database) struct OverdueTests {
    private static let hour: Int64 = 3_600_000_000

    private func ahead(_ microseconds: Int64) -> JSON {
        .string(Timestamp(microseconds: Timestamp.now.microseconds + microseconds).text)
    }

    private func types(_ api: ServedProduct, _ person: Person, _ type: String) async throws -> [String] {
        try await api.numberEvents()
        return try await api.get("/v1/events?limit=200", as: person.token).items
            .filter { $0["type"].string == type }.compactMap { $0["delivery_id"].string }
    }

    @Test func `a store is told when nobody accepts in the time that it set`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            #expect(try await api.get("/v1/me", as: store.token).json["alert_after_minutes"] == .integer(10))
            let set = try await api.call("PATCH", "/v1/me", ["alert_after_minutes": 3], as: store.token)
            #expect(set.status == 200 && set.json["alert_after_minutes"] == .integer(3))
            let id = try await api.delivery(of: store, to: couriers)
            #expect(
                try await api.execute("SELECT extract(epoch FROM alert_at - created_at)::integer FROM deliveries")
                    == [["180"]])
            try await api.execute("UPDATE deliveries SET alert_at = now()")
            try await eventually { try await types(api, store, "delivery.unaccepted") == [id] }
            #expect(try await types(api, couriers[0], "delivery.unaccepted").isEmpty)
            #expect(
                try await api.execute("SELECT kind, channel FROM outbox WHERE channel = 'email'")
                    == [["delivery_unaccepted", "email"]])
        }
    }

    @Test(arguments: [0, 241, -1]) func `the time has bounds`(_ minutes: Int) async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let set = try await api.call("PATCH", "/v1/me", ["alert_after_minutes": .integer(minutes)], as: store.token)
            #expect(set.status == 422 && set.wrong.keys.sorted() == ["alert_after_minutes"])
        }
    }

    @Test func `nothing is told of what was accepted, ended or left by everybody`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (taken, over, left, open) = (
                try await api.delivery(of: store, to: couriers), try await api.delivery(of: store, to: couriers),
                try await api.delivery(of: store, to: couriers), try await api.delivery(of: store, to: couriers)
            )
            try await api.act("accept", taken, as: couriers[0])
            try await api.act("cancel", over, as: store)
            try await api.act("decline", left, as: couriers[0])
            try await api.execute("UPDATE deliveries SET alert_at = now()")
            try await eventually { try await types(api, store, "delivery.unaccepted").isEmpty == false }
            #expect(try await types(api, store, "delivery.unaccepted") == [open])
            // It is offered anew, so that its time begins anew.
            try await api.act("cancel", taken, as: couriers[0])
            let another = try await api.courier()
            try await api.join(store, another)
            // Who gave one back is not named again.
            for (id, people) in [(taken, [another]), (left, [couriers[0], another])] {
                let named: JSON = ["courier_ids": .array(people.map { .string($0.id) })]
                #expect(try await api.call("PATCH", SampleDelivery.path(id), named, as: store.token).status == 200)
            }
            #expect(
                try await api.execute("SELECT id::text FROM deliveries WHERE alert_at > now() ORDER BY id")
                    == [taken, left].sorted().map { [$0] })
        }
    }

    @Test func `what should have arrived is told to its store and its courier`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let window: [String: JSON] = ["window": .object(["until": ahead(Self.hour)])]
            let carried = try await api.delivery(of: store, to: couriers, window)
            let pending = try await api.delivery(of: store, to: couriers, window)
            let done = try await api.delivery(of: store, to: couriers, window)
            for id in [carried, done] { try await api.act("accept", id, as: couriers[0]) }
            try await api.act("deliver", done, as: couriers[0])
            try await api.execute("UPDATE deliveries SET due_at = now(), late_at = now()")
            try await eventually { try await types(api, store, "delivery.late").count == 2 }
            #expect(try await Set(types(api, store, "delivery.late")) == [carried, pending])
            #expect(try await types(api, couriers[0], "delivery.late") == [carried])
            #expect(try await types(api, couriers[1], "delivery.late").isEmpty)
        }
    }

    @Test func `a new time is told of once more`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers, ["window": .object(["until": ahead(Self.hour)])])
            try await api.execute("UPDATE deliveries SET late_at = NULL")
            let due = ahead(2 * Self.hour)
            func edit(_ form: JSON) async throws -> Answer {
                try await api.call("PATCH", SampleDelivery.path(id), form, as: store.token)
            }
            _ = try await edit(["description": "Burek"])
            #expect(try await api.execute("SELECT late_at IS NULL FROM deliveries") == [["t"]])
            let edited = try await edit(["window": ["until": due]])
            #expect(edited.json["due_at"] == due && edited.json["window"]["until"] == due)
            #expect(try await api.execute("SELECT late_at = due_at FROM deliveries") == [["t"]])
            #expect(try await edit(["window": .null]).json["due_at"] == .null)
            #expect(
                try await api.execute("SELECT late_at IS NULL, due_at IS NULL FROM deliveries") == [["t", "t"]])
        }
    }

    @Test func `a window has an end that is to come, and before which it begins`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let (soon, later) = (ahead(Self.hour), ahead(2 * Self.hour))
            let cases: [(JSON, [String: String])] = [
                (["until": "2020-01-01T00:00:00.000Z"], ["window.until": "time_is_past"]),
                (["from": later, "until": soon], ["window.until": "ends_before_it_begins"]),
                (["from": soon, "until": soon], ["window.until": "ends_before_it_begins"]),
                (["until": ahead(31 * 24 * Self.hour)], ["window.until": "too_far_ahead"]),
                (["until": "at noon"], ["window.until": "invalid_time"]),
                (["until": "2026-02-30T10:00:00Z"], ["window.until": "invalid_time"]),
                ("noon", ["window": "wrong_type"]),
            ]
            for (window, wrong) in cases {
                let form = SampleDelivery.form(to: couriers, ["window": window])
                let answer = try await api.post("/v1/deliveries", form, as: store.token)
                #expect(answer.status == 422 && answer.wrong == wrong, "\(window)")
            }
            let form = SampleDelivery.form(to: couriers, ["window": ["from": soon, "until": later]])
            let made = try await api.post("/v1/deliveries", form, as: store.token).json
            #expect(made["window"] == ["from": soon, "until": later] && made["due_at"] == later)
        }
    }

    @Test func `what fell due while there was no node is told by the next one`() async throws {
        let (store, late, open) = try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let late = try await api.delivery(of: store, to: couriers, ["window": ["until": ahead(Self.hour)]])
            try await api.act("accept", late, as: couriers[0])
            let open = try await api.delivery(of: store, to: couriers)
            try await api.numberEvents()
            return (store, late, open)
        }
        let database = TestDatabase.current
        _ = try await blocking {
            try database.connect().query(
                """
                UPDATE deliveries SET late_at = late_at - interval '3 hours', alert_at = alert_at - interval '3 hours'
                """)
        }
        try await ServedProduct.another(looseness: nil, trust: Trust()) { api in
            try await eventually { try await types(api, store, "delivery.late") == [late] }
            try await eventually { try await types(api, store, "delivery.unaccepted") == [open] }
            let due = "SELECT FROM deliveries WHERE status = 'pending' AND alert_at <= now() OR late_at <= now()"
            #expect(try await api.execute(due).isEmpty)
        }
    }

    @Test func `what can never be done keeps nothing else from being done`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let inTurn: [String: JSON] = ["offer": ["mode": "in_turn", "order": "given", "each_seconds": 600]]
            let (stuck, other) = (
                try await api.delivery(of: store, to: couriers, inTurn),
                try await api.delivery(of: store, to: couriers, inTurn)
            )
            let open = try await api.delivery(of: store, to: couriers)
            try await api.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not now''; END'")
            try await api.execute(
                """
                CREATE TRIGGER refused BEFORE UPDATE ON deliveries FOR EACH ROW
                WHEN (OLD.id = '\(stuck)') EXECUTE FUNCTION refuse()
                """)
            try await api.execute("UPDATE delivery_extras SET turn_at = now() WHERE delivery_id = '\(stuck)'")
            // Each is due after the one that cannot be moved was.
            for _ in 0..<2 {
                try await api.execute("UPDATE deliveries SET alert_at = now() WHERE id = '\(open)'")
                try await api.execute(
                    "UPDATE delivery_extras SET turn_at = now() WHERE delivery_id = '\(other)' AND turn_at IS NOT NULL")
                try await eventually {
                    try await api.execute("SELECT FROM deliveries WHERE id = '\(open)' AND alert_at IS NULL").count == 1
                }
            }
            #expect(try await types(api, store, "delivery.unaccepted") == [open, open])
            try await eventually {
                try await api.get(SampleDelivery.path(other), as: couriers[1].token).status == 200
            }
            #expect(try await api.get(SampleDelivery.path(stuck), as: couriers[1].token).status == 404)
        }
    }

    /// How long after they fell due things were told, at the median and at most.
    private func delays(_ api: ServedProduct, _ due: [String]) async throws -> String {
        let told = try await api.execute(
            """
            SELECT format('%s s at the median, %s s at most', percentile_cont(0.5) WITHIN GROUP (ORDER BY late), max(late))
            FROM events, LATERAL (SELECT round(extract(epoch FROM at - max(due)), 2) AS late
                FROM unnest('{\(due.map { "\"\($0)\"" }.joined(separator: ","))}'::timestamptz[]) due WHERE due <= at) e
            WHERE type IN ('delivery.unaccepted', 'delivery.late')
            """)
        return told.first?[0] ?? ""
    }

    /// Many fall due at once, several nodes look, and steps of the same deliveries go on.
    @Test func `with any number of nodes each is told once`() async throws {
        try await ServedProduct.serving { one in
            try await ServedProduct.another(looseness: nil, trust: Trust()) { other in
                let (store, couriers) = try await one.team(1)
                var ids: [String] = []
                for _ in 0..<60 { ids.append(try await one.delivery(of: store, to: couriers)) }
                var due: [String] = []
                for round in 0..<5 {
                    let set = try await one.execute(
                        "UPDATE deliveries SET alert_at = now(), late_at = now() WHERE status = 'pending' RETURNING now()"
                    )
                    due.append(try #require(set.first?[0]))
                    // Nodes take turns by chance; a third of them are edited meanwhile, on both nodes.
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (number, id) in ids.enumerated() where number % 3 == round % 3 {
                            group.addTask {
                                _ = try await (number % 2 == 0 ? one : other).call(
                                    "PATCH", SampleDelivery.path(id), ["description": .string("Torta \(round)")],
                                    as: store.token)
                            }
                        }
                        try await group.waitForAll()
                    }
                    try await eventually {
                        try await one.execute(
                            "SELECT count(*) FROM deliveries WHERE alert_at <= now() OR late_at <= now()") == [["0"]]
                    }
                }
                try await one.numberEvents()
                #expect(
                    try await one.execute(
                        """
                        SELECT type, count(*), count(DISTINCT delivery_id) FROM events
                        WHERE type IN ('delivery.unaccepted', 'delivery.late') GROUP BY 1 ORDER BY 1
                        """) == [["delivery.late", "300", "60"], ["delivery.unaccepted", "300", "60"]])
                print("late:", try await delays(one, due))
            }
        }
    }
}
