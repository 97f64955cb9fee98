import Domain
import Postgres

/// `kurir account`: what an operator decides about accounts.
enum AccountCommand {
    /// Lets a store invite and create that had to wait for it.
    static func approve(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let text = settings.operand, let id = ID(text) else {
            throw UsageError("which account? Say its id, as its settings show it")
        }
        let approved = try database.connect().query(
            "UPDATE accounts SET approved = true WHERE id = $1::uuid AND kind = 'store' RETURNING id", [id.description])
        guard !approved.isEmpty else { throw UsageError("there is no store \(id)") }
        print("\(id) is approved.")
    }
}
