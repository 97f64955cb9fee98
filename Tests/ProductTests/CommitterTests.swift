import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries
@testable import Outbox

/// The committer alone: many changes in one statement, each with its own outcome.
@Suite(.database) struct CommitterTests {
    /// Counts statements with a trigger.
    private func countStatements(_ api: ServedProduct) async throws {
        try await api.execute("CREATE TABLE statements (at timestamptz DEFAULT clock_timestamp())")
        try await api.execute(
            """
            CREATE FUNCTION count_statement() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO statements DEFAULT VALUES; RETURN NULL; END $$
            """)
        try await api.execute(
            """
            CREATE TRIGGER counted AFTER INSERT ON delivery_history FOR EACH STATEMENT EXECUTE FUNCTION count_statement()
            """)
    }

    @Test func `changes that come up in one turn are one statement`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            try await countStatements(api)
            try await CommittingNode.with { node in
                let results = try await node.commit(
                    try (0..<64).map { _ in try Commits.creation(of: store, to: couriers) })
                #expect(results.allSatisfy { (try? $0.get()) == .made })
            }
            #expect(try await api.execute("SELECT count(*) FROM statements") == [["1"]])
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == [["64"]])
            try await api.expectConsistency()
        }
    }

    @Test func `a bad change among sixty-four hurts none of the others`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            _ = try await api.delivery(of: store, to: couriers, ["reference": "taken"])
            try await countStatements(api)
            try await CommittingNode.with { node in
                var commits = try (0..<64).map { try Commits.creation(of: store, to: couriers, reference: "R\($0)") }
                commits[17] = try Commits.creation(of: store, to: couriers, reference: "taken")
                let results = try await node.commit(commits)
                for (place, result) in results.enumerated() where place != 17 {
                    #expect((try? result.get()) == .made, "\(place)")
                }
                #expect((try? results[17].get()) == .referenceTaken)
            }
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == [["64"]])
            // No change had to go alone because of it.
            #expect(try await api.execute("SELECT count(*) FROM statements") == [["1"]])
            try await api.expectConsistency()
        }
    }

    /// Somebody else is about to take the reference, and does. The statement is refused as a whole, and repeated as
    /// one.
    @Test(arguments: [64, 1]) func `a race for a reference hurts none of the others`(_ count: Int) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            try await countStatements(api)
            let other = try await OpenTransaction.begin()
            try await other.query(
                """
                INSERT INTO deliveries (id, store_id, status, version, candidates, recipient_first_name,
                    recipient_last_name, recipient_address, description, reference, created_at, updated_at)
                VALUES (gen_random_uuid(), '\(store.id)', 'pending', 1, '{}', 'X', 'Y', 'Z', 'Torta', 'wanted', now(), now())
                """)
            try await CommittingNode.with { node in
                var commits = try (0..<count).map { try Commits.creation(of: store, to: couriers, reference: "R\($0)") }
                commits[count / 2] = try Commits.creation(of: store, to: couriers, reference: "wanted", key: "key")
                let batch = commits
                async let results = node.commit(batch)
                try await api.untilSomebodyWaits()
                try await other.commit()
                for (place, result) in try await results.enumerated() {
                    #expect((try? result.get()) == (place == count / 2 ? .referenceTaken : .made), "\(place)")
                }
            }
            #expect(try await api.execute("SELECT count(*) FROM statements") == [["1"]])
            #expect(try await api.execute("SELECT count(*) FROM idempotency_keys") == [["0"]])
        }
    }

    /// Somebody else is about to hang the picture of one of them on something, and does.
    @Test(arguments: [16, 1]) func `a race for a picture hurts none of the others`(_ count: Int) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let courier = try #require(ID(couriers[0].id))
            let picture = try await api.picture(of: couriers[0])
            let hash = try await api.execute("SELECT encode(sha256, 'hex') FROM files")[0][0] ?? ""
            var ids: [ID] = []
            for _ in 0..<count {
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                ids.append(try #require(ID(id)))
            }
            let deliveries = ids
            try await countStatements(api)
            let other = try await OpenTransaction.begin()
            try await other.query("UPDATE files SET delivery_id = uuid_v7(), seq = 2")
            try await CommittingNode.with { node in
                var commits: [Commit] = []
                for (place, id) in deliveries.enumerated() {
                    let shown = place == count / 2 ? [HungPicture(id: picture, sha256: hash)] : []
                    let found = try await node.find(id, for: courier)
                    commits.append(try Commits.step(.pickUp, on: found, by: couriers[0], pictures: shown))
                }
                let batch = commits
                async let results = node.commit(batch)
                try await api.untilSomebodyWaits()
                try await other.commit()
                for (place, result) in try await results.enumerated() {
                    #expect((try? result.get()) == (place == count / 2 ? .unknownFile : .made), "\(place)")
                }
            }
            // The others went together.
            #expect(try await api.execute("SELECT count(*) FROM statements") == [[count == 1 ? "0" : "1"]])
            #expect(
                try await api.execute("SELECT count(*) FROM delivery_history WHERE action = 'pick_up'")
                    == [["\(count - 1)"]])
        }
    }

    @Test func `a key is taken once, also within one statement`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try #require(ID(try await api.delivery(of: store, to: couriers)))
            let other = try #require(ID(try await api.delivery(of: store, to: couriers)))
            try await countStatements(api)
            try await CommittingNode.with { node in
                let courier = try #require(ID(couriers[0].id))
                let offers = [try await node.find(id, for: courier), try await node.find(other, for: courier)]
                let results = try await node.commit(
                    try (0..<5).map { _ in try Commits.creation(of: store, to: couriers, key: "create") }
                        + offers.map { try Commits.step(.accept, on: $0, by: couriers[0], key: "accept") }
                        + [try Commits.creation(of: store, to: couriers, key: "another")])
                let outcomes = try results.map { try $0.get() }
                #expect(
                    outcomes.prefix(5).sorted(by: { $0.rawValue > $1.rawValue })
                        == [.made, .keyTaken, .keyTaken, .keyTaken, .keyTaken])
                #expect(Set(outcomes[5...6]) == [.made, .keyTaken])
                #expect(outcomes[7] == .made)
            }
            #expect(try await api.execute("SELECT count(*) FROM statements") == [["2"]])
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == [["4"]])
            #expect(try await api.execute("SELECT count(*) FROM deliveries WHERE status = 'in_progress'") == [["1"]])
            try await api.expectConsistency()
        }
    }

    @Test func `the same delivery twice in one turn changes once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try #require(ID(try await api.delivery(of: store, to: couriers)))
            try await CommittingNode.with { node in
                let found = try await node.find(id, for: try #require(ID(couriers[0].id)))
                let results = try await node.commit(
                    try couriers.flatMap { courier in
                        try (0..<5).map { _ in try Commits.step(.accept, on: found, by: courier) }
                    })
                #expect(results.count { (try? $0.get()) == .made } == 1)
                #expect(results.count { (try? $0.get()) == .notMade } == 9)
            }
            try await api.expectConsistency()
        }
    }

    /// A delivery that somebody holds does not hold up the others, and a patient commit waits for it.
    @Test func `a delivery that is held does not hold up the batch`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [ID] = []
            for _ in 0..<10 { ids.append(try #require(ID(try await api.delivery(of: store, to: couriers)))) }
            try await CommittingNode.with { node in
                var commits: [Commit] = []
                for id in ids {
                    let found = try await node.find(id, for: try #require(ID(couriers[0].id)))
                    commits.append(try Commits.step(.accept, on: found, by: couriers[0]))
                }
                let held = commits[3]
                let (committer, together) = (node.committer, commits)
                let waiting = try await api.database.transaction { holder in
                    _ = try await holder.run(Hold(id: held.change.after.id))
                    let results = try await node.commit(together)
                    #expect(results.enumerated().allSatisfy { (try? $1.get()) == ($0 != 3 ? .made : .notMade) })
                    let patient = Task(executorPreference: node.group.loops[0]) {
                        try await committer.commit(held, patiently: true)
                    }
                    try await Task.sleep(for: .milliseconds(50))
                    // Nor does a commit that waits for it.
                    let others = try await node.commit([try Commits.creation(of: store, to: couriers)])
                    #expect(others.allSatisfy { (try? $0.get()) == .made })
                    return patient
                }
                #expect(try await waiting.value == .made)
            }
            try await api.expectConsistency()
        }
    }

    @Test func `callers who leave meanwhile leave nothing half done`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            try await CommittingNode.with { node in
                for round in 0..<50 {
                    let commits = try (0..<10).map { _ in try Commits.creation(of: store, to: couriers) }
                    let committer = node.committer
                    let tasks = commits.map { commit in
                        Task(executorPreference: node.group.loops[0]) { try await committer.commit(commit) }
                    }
                    // It is cancelled before it is sent, while it is under way, or when it is over.
                    try await Task.sleep(for: .microseconds(round * 60))
                    for task in tasks.prefix(5) { task.cancel() }
                    for task in tasks.dropFirst(5) { #expect(try await task.value == .made) }
                    for task in tasks.prefix(5) { _ = await task.result }
                }
            }
            let made = try await api.execute("SELECT count(*) >= 250 FROM deliveries")
            #expect(made == [["t"]])
            try await api.expectConsistency()
        }
    }

    /// This runs for a minute, like the many nodes of one database.
    @Test(.timeLimit(.minutes(10))) func `two nodes over the same deliveries never deadlock`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(4)
            var ids: [ID] = []
            for _ in 0..<40 { ids.append(try #require(ID(try await api.delivery(of: store, to: couriers)))) }
            let deliveries = ids
            let before = try await deadlocks(api)
            let end = ContinuousClock.now + .seconds(60)
            try await CommittingNode.with { one in
                try await CommittingNode.with { other in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for node in [one, other] {
                            for (place, courier) in couriers.enumerated() {
                                group.addTask {
                                    try await churn(
                                        deliveries, on: node, as: courier, and: store, until: end, from: place)
                                }
                            }
                        }
                        let made = try await group.reduce(0, +)
                        print("two nodes made \(made) changes of 40 deliveries in a minute")
                        #expect(made > 1000)
                    }
                }
            }
            #expect(try await deadlocks(api) == before)
            try await api.expectConsistency()
        }
    }

    private func deadlocks(_ api: ServedProduct) async throws -> [[String?]] {
        try await api.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    }

    /// Declines and edits for ever: steps that leave a delivery pending.
    private func churn(
        _ ids: [ID], on node: CommittingNode, as courier: Person, and store: Person, until end: ContinuousClock.Instant,
        from place: Int
    ) async throws -> Int {
        var made = 0
        var turn = place
        while ContinuousClock.now < end {
            turn += 1
            var commits: [Commit] = []
            // The order differs each time.
            for id in (turn % 2 == 0 ? ids : ids.reversed()).prefix(16) {
                let found = try await node.find(id, for: try #require(ID(courier.id)))
                var content = found.delivery.content
                content.description = "turn \(turn) of \(place)"
                let edit = StepCommand.Edit(content: content, candidates: found.delivery.candidates)
                let command = StepCommand(.edit, by: found.delivery.store, .store, edit: edit)
                let isOffered = found.delivery.offered.contains(try #require(ID(courier.id)))
                if isOffered, found.delivery.offered.count > 1 {
                    commits.append(try Commits.step(.decline, on: found, by: courier))
                } else if case .change(let change) = try Lifecycle.decide(command, on: found.delivery, isPartner: true)
                {
                    commits.append(
                        Commit(
                            change: change, at: .now, times: found.after(change, at: .now).times, notices: [],
                            record: nil))
                }
            }
            for result in try await node.commit(commits) where try result.get() == .made { made += 1 }
        }
        return made
    }
}

/// Locks a delivery, as somebody at psql might.
private struct Hold: Statement {
    static let sql = "SELECT id FROM deliveries WHERE id = $1 FOR UPDATE"
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
