import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// The end of a partnership: from then on that courier is offered nothing by the store, whatever happens meanwhile.
@Suite(.database) struct PartnershipEndTests {
    private func end(_ store: Person, _ courier: Person, _ api: ServedProduct, release: Bool = false) async throws
        -> Int
    {
        let path = "/v1/partners/\(courier.id)" + (release ? "?release=true" : "")
        return try await api.call("DELETE", path, as: store.token).status
    }

    private func candidates(_ id: String, _ store: Person, _ api: ServedProduct) async throws -> [String?] {
        try await api.get(SampleDelivery.path(id), as: store.token).json["candidates"].items.map {
            $0["courier_id"].string
        }
    }

    /// Expects that no message, no list and no event tells that courier of the delivery.
    private func expectNothing(of id: String, for courier: Person, _ api: ServedProduct) async throws {
        #expect(
            try await api.execute(
                "SELECT kind FROM outbox WHERE account_id = '\(courier.id)' AND subject = '\(id)'") == [])
        #expect(try await api.get("/v1/deliveries", as: courier.token).items.isEmpty)
        #expect(try await api.get(SampleDelivery.path(id), as: courier.token).status == 404)
        #expect(try await api.act("accept", id, as: courier).status == 404)
    }

    @Test func `a delivery that comes back is not offered to a former partner`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for courier in couriers {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            }
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await end(store, couriers[1], api) == 204)
            #expect(try await candidates(id, store, api) == [couriers[0].id])
            let returned = try await api.act("cancel", id, as: couriers[0])
            #expect(returned.status == 200)
            try await expectNothing(of: id, for: couriers[1], api)
            // No candidate is left, and the store knows.
            let told = "SELECT count(*) FROM events WHERE type = 'delivery.stranded' AND account_id = '\(store.id)'"
            try await eventually { try await api.execute(told) == [["1"]] }
            try await api.expectConsistency()
        }
    }

    /// It is as if a node had read who is a partner, stood still while the partnership ended, and then committed.
    @Test func `a courier who is no partner at the commit is offered nothing`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            // The row is deleted without the work that follows, so the courier is still a candidate.
            try await api.execute("DELETE FROM partners WHERE courier_id = '\(couriers[1].id)'")
            #expect(try await api.act("cancel", id, as: couriers[0]).status == 200)
            #expect(try await candidates(id, store, api) == [couriers[0].id])
            try await expectNothing(of: id, for: couriers[1], api)
            let removed = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items.last?["removed"]
                .items
            #expect(removed?.map(\.string) == [couriers[1].id])
            for form in [SampleDelivery.form(to: couriers), SampleDelivery.form(to: [couriers[1]])] {
                let made = try await api.post("/v1/deliveries", form, as: store.token)
                #expect(made.status == 422 && made.wrong == ["courier_ids": "not_partner"])
            }
            let pending = try await api.delivery(of: store, to: [couriers[0]])
            let edited = try await api.call(
                "PATCH", SampleDelivery.path(pending), ["courier_ids": .array(couriers.map { .string($0.id) })],
                as: store.token)
            #expect(edited.status == 422 && edited.wrong == ["courier_ids": "not_partner"])
            try await api.expectConsistency()
        }
    }

    /// Everybody is told once more when the last turn is over, also whoever was offered it before. The partnership has ended, or
    /// the courier is off, and leave was not taken yet.
    @Test(arguments: [
        "DELETE FROM partners WHERE courier_id =", "UPDATE partners SET courier_off = true WHERE courier_id =",
    ])
    func `a former partner is not told again of what it was offered`(ending: String) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            for courier in couriers {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            }
            let offer: [String: JSON] = ["offer": ["mode": "in_turn", "order": "given", "each_seconds": 600]]
            func told(_ courier: Person) async throws -> Int {
                try await api.execute(
                    "SELECT FROM outbox WHERE account_id = '\(courier.id)' AND kind = 'delivery_offered'"
                ).count
            }
            func moved() async throws {
                try await api.execute("UPDATE delivery_extras SET turn_at = now() WHERE turn_at IS NOT NULL")
            }
            let id = try await api.delivery(of: store, to: couriers, offer)
            for no in [1, 2] {
                try await moved()
                try await eventually {
                    try await api.get(SampleDelivery.path(id), as: couriers[no].token).status == 200
                }
            }
            #expect(try await told(couriers[0]) == 1)
            try await api.execute("\(ending) '\(couriers[0].id)'")
            // The last turn is over.
            try await api.act("decline", id, as: couriers[2])
            #expect(try await told(couriers[0]) <= 1)
            #expect(try await told(couriers[1]) == 2)
            #expect(try await candidates(id, store, api) == [couriers[1].id, couriers[2].id])
        }
    }

    @Test func `the end removes a courier from deliveries of every standing`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (leaving, other) = (couriers[0], couriers[1])
            func made() async throws -> String { try await api.delivery(of: store, to: couriers) }
            let (offered, declined, taken, returned) = (
                try await made(), try await made(), try await made(), try await made()
            )
            let (carried, delivered) = (try await made(), try await made())
            try await api.act("decline", declined, as: leaving)
            try await api.act("accept", taken, as: other)
            for (action, id) in [("accept", returned), ("cancel", returned), ("accept", carried)] {
                try await api.act(action, id, as: leaving)
            }
            for action in ["accept", "deliver"] { try await api.act(action, delivered, as: leaving) }
            let before = try await api.stats(of: leaving)
            #expect(try await end(store, leaving, api) == 409)
            #expect(try await end(store, leaving, api, release: true) == 204)
            for id in [offered, declined, taken, returned, carried] {
                #expect(try await candidates(id, store, api) == [other.id], "\(id)")
            }
            let released = try await api.get(SampleDelivery.path(carried), as: store.token).json
            #expect(released["status"] == "pending" && released["courier"] == .null)
            #expect(try await api.get("/v1/deliveries", as: leaving.token).items.isEmpty)
            // The store did it, so nothing counts against the courier.
            #expect(try await api.stats(of: leaving) == before)
            #expect(try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]])
            try await api.expectConsistency()
        }
    }

    @Test func `a courier who comes back sees what it delivered`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            for action in ["accept", "deliver"] { try await api.act(action, id, as: couriers[0]) }
            _ = try await end(store, couriers[0], api, release: false)
            try await eventually { try await api.execute("SELECT FROM partnership_endings").isEmpty }
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.isEmpty)
            try await expectNothing(of: id, for: couriers[0], api)
            try await api.join(store, couriers[0])
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.map { $0["id"].string } == [id])
            #expect(try await api.get(SampleDelivery.path(id), as: couriers[0].token).status == 200)
            try await api.expectConsistency()
        }
    }

    @Test func `another node does what one left undone`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            var ids: [String] = []
            for _ in 0..<20 { ids.append(try await api.delivery(of: store, to: couriers)) }
            // The partnership has ended, and the node died right after that commit.
            let pair = "store_id = '\(store.id)' AND courier_id = '\(couriers[0].id)'"
            try await api.execute(
                """
                WITH ended AS (DELETE FROM partners WHERE \(pair) RETURNING store_id, courier_id)
                INSERT INTO partnership_endings (store_id, courier_id, worked_until)
                SELECT store_id, courier_id, now() FROM ended
                """)
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.isEmpty)
            try await eventually {
                try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]]
            }
            for id in ids { #expect(try await candidates(id, store, api) == [couriers[1].id]) }
            #expect(try await api.execute("SELECT count(*) FROM jobs WHERE \(pair)") == [["0"]])
            try await api.expectConsistency()
        }
    }

    /// A delivery that could not be left for a long time is not forgotten.
    @Test func `an end that was refused at first is carried out later`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not now''; END'")
            try await api.execute("CREATE TRIGGER refused BEFORE UPDATE ON deliveries EXECUTE FUNCTION refuse()")
            #expect(try await end(store, couriers[0], api) == 204)
            #expect(try await api.execute("SELECT count(*) FROM partnership_endings") == [["1"]])
            try await api.execute("DROP TRIGGER refused ON deliveries")
            try await api.execute("UPDATE partnership_endings SET worked_until = now()")
            try await eventually { try await candidates(id, store, api) == [couriers[1].id] }
            try await eventually { try await api.execute("SELECT FROM partnership_endings").isEmpty }
            try await api.expectConsistency()
        }
    }

    /// They are partners again and part again, while the work of the first end is still going on.
    @Test func `a second end of a partnership is not taken for the first`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let first = try await api.delivery(of: store, to: couriers)
            let holder = try await OpenTransaction.begin()
            try await holder.query("SELECT FROM deliveries WHERE id = '\(first)' FOR UPDATE")
            let ending = Task { try await end(store, couriers[0], api) }
            try await api.untilSomebodyWaits()
            try await api.join(store, couriers[0])
            let second = try await api.delivery(of: store, to: couriers)
            // It ends again, and that node dies right after the commit.
            try await api.execute(
                """
                WITH ended AS (
                    DELETE FROM partners WHERE store_id = '\(store.id)' AND courier_id = '\(couriers[0].id)'
                    RETURNING store_id, courier_id)
                INSERT INTO partnership_endings (store_id, courier_id, worked_until) SELECT store_id, courier_id, now() FROM ended
                ON CONFLICT (store_id, courier_id) DO UPDATE SET ended_at = clock_timestamp(), worked_until = now()
                """)
            try await holder.commit()
            #expect(try await ending.value == 204)
            for id in [first, second] {
                try await eventually { try await candidates(id, store, api) == [couriers[1].id] }
            }
            try await eventually { try await api.execute("SELECT FROM partnership_endings").isEmpty }
            try await api.expectConsistency()
        }
    }

    /// Couriers change their numbers meanwhile.
    @Test func `ends of partnerships and changes of numbers never deadlock`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for round in 0..<40 {
                async let ended = end(store, couriers[0], api)
                async let renamed = api.execute("SELECT prove_place('\(couriers[0].id)', '+38591901\(1000 + round)')")
                #expect(try await ended == 204)
                #expect(try await renamed.count == 1)
                try await api.join(store, couriers[0])
            }
        }
    }

    /// A courier who is a partner again by the time of the commit keeps what it carries.
    @Test func `a courier who is a partner again is not released`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            let (storeID, delivery) = (try #require(ID(store.id)), try #require(ID(id)))
            let found = try #require(
                try await api.database.run(FindDelivery(account: storeID, id: delivery)).first)
            let release = try Commits.step(.release, on: found, by: store, about: couriers[0], isPartner: false)
            #expect(try await api.database.run(CommitSteps<WaitFor>(commits: [release])).isEmpty)
            #expect(try await api.database.run(CommitSteps<PassOver>(commits: [release])).isEmpty)
            try await api.execute("DELETE FROM partners WHERE courier_id = '\(couriers[0].id)'")
            #expect(try await api.database.run(CommitSteps<WaitFor>(commits: [release])).map(\.outcome) == [.made])
        }
    }

    /// There are ten thousand jobs, of which somebody holds one. All others are left meanwhile, for everybody to see, and
    /// everybody else works on.
    @Test func `many jobs are left in commits of their own`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            try await api.execute(
                """
                WITH made AS (
                    INSERT INTO deliveries (id, store_id, status, version, candidates, recipient_first_name,
                        recipient_last_name, recipient_address, description, created_at, updated_at)
                    SELECT gen_random_uuid(), '\(store.id)', 'pending', 1, '{\(couriers[0].id),\(couriers[1].id)}', 'Iva',
                        'Ivić', 'Ilica 1', 'Torta', now(), now() FROM generate_series(1, 10000) RETURNING id),
                opened AS (
                    INSERT INTO jobs (courier_id, status, delivery_id, store_id)
                    SELECT courier::uuid, 'pending', id, '\(store.id)'
                    FROM made, unnest('{\(couriers[0].id),\(couriers[1].id)}'::uuid[]) courier),
                told AS (
                    INSERT INTO event_journal (accounts, types, delivery_id, seq)
                    SELECT '{\(store.id)}', '{delivery.created}', id, 1 FROM made)
                INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at)
                SELECT id, 1, 'create', 'store', '\(store.id)', 'pending', now() FROM made
                """)
            let (other, theirs) = try await api.team(1)
            let left =
                "SELECT count(*), count(DISTINCT xmin::text) > 100 FROM delivery_history WHERE action = 'withdraw'"
            let holder = try await OpenTransaction.begin()
            try await holder.query("SELECT FROM deliveries ORDER BY id LIMIT 1 FOR UPDATE")
            let ending = Task { try await end(store, couriers[0], api) }
            // Nobody else waits for it, not even the same store.
            for _ in 0..<20 {
                _ = try await api.delivery(of: other, to: theirs)
                _ = try await api.delivery(of: store, to: [couriers[1]])
            }
            try await eventually { try await api.execute(left) == [["9999", "t"]] }
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.isEmpty)
            #expect(try await api.execute("SELECT count(*) FROM partnership_endings") == [["1"]])
            try await holder.commit()
            #expect(try await ending.value == 204)
            // Whoever takes it up next need not wait.
            try await eventually {
                try await api.execute("UPDATE partnership_endings SET worked_until = now()")
                return try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]]
            }
            #expect(try await api.execute(left) == [["10000", "t"]])
            try await api.expectConsistency()
        }
    }

    @Test func `a courier who becomes a partner again keeps what is left`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.execute(
                """
                INSERT INTO partnership_endings (store_id, courier_id, worked_until)
                VALUES ('\(store.id)', '\(couriers[0].id)', now())
                """)
            try await eventually {
                try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]]
            }
            #expect(try await api.act("accept", id, as: couriers[0]).status == 200)
            try await api.expectConsistency()
        }
    }

    /// Other couriers and the store take every step, while partnerships end and begin.
    @Test func `no offer goes to a courier who is no partner`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(4)
            for courier in couriers {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(courier.id)", ["platform": "fcm"], as: courier.token)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        for round in 0..<25 {
                            let courier = couriers[(number + round) % 4]
                            if number == 0 {
                                _ = try await end(store, courier, api, release: true)
                                try await api.execute(
                                    "INSERT INTO partners VALUES ('\(store.id)', '\(courier.id)') ON CONFLICT DO NOTHING"
                                )
                                continue
                            }
                            let form = SampleDelivery.form(to: couriers)
                            let made = try await api.post("/v1/deliveries", form, as: store.token)
                            guard made.status == 201, let id = made.json["id"].string else { continue }
                            try await api.act("accept", id, as: courier)
                            try await api.act(round % 2 == 0 ? "cancel" : "deliver", id, as: courier)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await eventually {
                try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]]
            }
            // Every candidate for an open delivery, and everybody with an offer of one, is a partner or left it.
            for courier in couriers { _ = try await end(store, courier, api, release: true) }
            try await eventually {
                try await api.execute("SELECT count(*) FROM partnership_endings") == [["0"]]
            }
            #expect(try await api.execute("SELECT * FROM jobs WHERE status <> 'delivered'") == [])
            #expect(try await api.execute("SELECT kind, body FROM outbox WHERE kind = 'delivery_offered'") == [])
            let open =
                "SELECT candidates, status FROM deliveries WHERE status IN ('pending', 'in_progress') AND (candidates <> '{}' OR status = 'in_progress')"
            #expect(try await api.execute(open) == [])
        }
    }
}
