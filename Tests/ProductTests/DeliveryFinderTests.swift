import HTTP
import TestSupport
import Testing

/// Single deliveries that many ask for at once.
@Suite(.database) struct DeliveryFinderTests {
    @Test func `everybody who asks at once gets what is asked for, as they see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (other, theirs) = try await api.team(1)
            var ids: [String] = []
            for place in 0..<12 {
                let id = try await api.delivery(of: store, to: couriers)
                if place % 3 == 0 { try await api.act("accept", id, as: couriers[0]) }
                ids.append(id)
            }
            let foreign = try await api.delivery(of: other, to: theirs)
            let asked = (ids + [foreign, store.id]).flatMap { id in
                ([store, other] + couriers + theirs).map { (id, $0) }
            }
            let answers = try await together(asked + asked) { id, person in
                (id, person, try await api.get("/v1/deliveries/\(id)", as: person.token))
            }
            for (id, person, answer) in answers {
                // Who lost it to another courier sees it no more.
                let taken = ids.enumerated().contains { $0.offset % 3 == 0 && $0.element == id }
                let sees =
                    switch person.id {
                    case store.id, couriers[0].id: ids.contains(id)
                    case couriers[1].id: ids.contains(id) && !taken
                    default: id == foreign
                    }
                #expect(answer.status == (sees ? 200 : 404))
                guard sees else { continue }
                #expect(answer.json["id"].string == id)
                // Only the store is told who else may take it.
                let isStores = person.id == store.id || person.id == other.id
                #expect((answer.json["candidates"] != .null) == isStores, "\(answer.json)")
            }
        }
    }

    /// The tables are locked, so no question is answered. What is asked later has a question of its own.
    @Test func `who asks while an answer is long in coming does not wait for it`() async throws {
        try await ServedProduct.serving(poolSize: 3) { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let holder = try await OpenTransaction.begin()
            try await holder.query("LOCK TABLE delivery_extras IN ACCESS EXCLUSIVE MODE")
            var asked: [Task<Int, any Error>] = []
            // One loop may have all three questions. Others who look at that table wait as well.
            for count in 1...3 {
                asked.append(Task { try await api.get("/v1/deliveries/\(id)", as: store.token).status })
                try await eventually {
                    try await api.execute(
                        """
                        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                            AND query LIKE 'SELECT d.id, d.store_id, d.status%'
                        """
                    ).count == count
                }
            }
            try await holder.commit()
            for one in asked { #expect(try await one.value == 200) }
        }
    }
}
