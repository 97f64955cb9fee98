import API
import Domain
import Postgres

/// Offers couriers what is theirs to be offered by now: because its time has come, or the turn of the one before is over.
///
/// That is a step like any other. It is made of the version that was due, so that a turn moves once, however many nodes do it
/// at once, and whoever accepts or declines meanwhile.
struct DueTurns: Sendable {
    let database: Database
    let committer: Committer

    /// Moves some turns; whether there were any. One that fails holds up no other.
    func move() async throws -> Bool {
        let due = try await database.run(FindDueTurns())
        let moved = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            for turn in due {
                group.addTask {
                    do { return .success(try await move(turn)) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return try moved.map { try $0.get() }.contains(true)
    }

    private func move(_ due: FindDueTurns.Row) async throws -> Bool {
        let find = FindDelivery(account: due.store, id: due.delivery)
        guard let found = try await database.run(find).first, found.delivery.version == due.version else {
            return false
        }
        let strangers = Set(try await database.run(FindStrangers(delivery: found.delivery)))
        let command = try await StepCommand(.offer, by: due.store, .store).inOrder(found.delivery) {
            try await database.run($0)
        }
        guard
            case .change(let change)? = try? Lifecycle.decide(
                command, on: found.delivery, isPartner: false, strangers: strangers)
        else { return false }
        let next = found.after(change, at: found.nextStep(at: .now))
        return try await committer.commit(next.commit(change)) == .made
    }
}

/// Finds some deliveries that somebody is to be offered by now.
struct FindDueTurns: Statement {
    static let sql = """
        SELECT d.id, d.store_id, d.version
        FROM (SELECT delivery_id FROM delivery_extras WHERE turn_at <= now() ORDER BY turn_at LIMIT 200) x,
            LATERAL (SELECT * FROM deliveries d WHERE d.id = x.delivery_id OFFSET 0) d
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (delivery: ID, store: ID, version: Int32) {
        (try row.read(), try row.read(), try row.read())
    }
}
