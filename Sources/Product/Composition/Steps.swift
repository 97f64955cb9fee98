import Crypto
import Deliveries
import EventLoop
import Postgres

extension Composition {
    /// What writes the steps of deliveries, and signs their proofs.
    struct Steps: Sendable {
        let committer: Committer
        let keys: ProofKeys
        let key: SigningKey

        init(_ database: Database, on group: EventLoopGroup, secret: ServerSecret) async throws {
            keys = ProofKeys(database, secret: secret)
            key = try await keys.current()
            committer = try await Committer(database, on: group)
        }
    }
}
