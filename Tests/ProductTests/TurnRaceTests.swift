import HTTP
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// A turn is over while somebody accepts or declines, and more than one node notices.
@Suite(.database) struct TurnRaceTests {
    /// Three couriers have turns, the first one's is over, and that one does something while two nodes move it.
    private func race(_ action: String, _ api: ServedProduct) async throws {
        let (store, couriers) = try await api.team(3)
        let offer: [String: JSON] = ["offer": ["mode": "in_turn", "each_seconds": 600]]
        try await CommittingNode.with { one in
            try await CommittingNode.with { other in
                try await api.race {
                    let id = try await api.delivery(of: store, to: couriers, offer)
                    try await api.execute("UPDATE delivery_extras SET turn_at = now() WHERE delivery_id = '\(id)'")
                    async let done = api.act(action, id, as: couriers[0])
                    async let moved = together([one, other]) { node in
                        try await node.run {
                            try await DueTurns(database: node.database, committer: node.committer).move()
                        }
                    }
                    let (answer, _) = (try await done, try await moved)
                    #expect(answer.status == 200, "\(answer.json)")
                    let moves = try await api.execute(
                        "SELECT count(*) FROM delivery_history WHERE delivery_id = '\(id)' AND action = 'offer'")
                    #expect(moves == [["0"]] || moves == [["1"]])
                    try await expectEnd(of: id, after: action, api, store, couriers)
                }
            }
        }
    }

    private func expectEnd(
        of id: String, after action: String, _ api: ServedProduct, _ store: Person,
        _ couriers: [Person]
    ) async throws {
        let now = try await api.get(SampleDelivery.path(id), as: store.token).json
        if action == "decline" {
            // The turn was over first, or the one who had it declined first: the next has it either way.
            let states = now["candidates"].items.map { $0["state"].string ?? "" }
            #expect(states == ["declined", "offered", "waiting"])
            #expect(try await api.act("accept", id, as: couriers[1]).status == 200)
        } else {
            #expect(now["status"] == "in_progress" && now["courier"]["id"].string == couriers[0].id)
            // Whether the next had its turn before somebody accepted decides what it may know.
            let hadTurn = now["candidates"].items[1]["state"] == "offered"
            #expect(try await api.act("accept", id, as: couriers[1]).status == (hadTurn ? 409 : 404))
        }
        #expect(
            try await api.execute("SELECT FROM delivery_extras WHERE delivery_id = '\(id)' AND turn_at <= now()") == [])
    }

    @Test(arguments: ["decline", "accept"])
    func `a turn moves once, with two nodes and whatever is done meanwhile`(action: String) async throws {
        try await ServedProduct.serving { try await race(action, $0) }
    }
}
