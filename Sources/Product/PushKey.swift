import Crypto
import Postgres

/// The key that signs what Kurir sends to push services. All nodes have the same; whoever comes first makes it.
package enum PushKey {
    private static let purpose = "web push"

    /// The key in that database, sealed with one that follows from the servers' secret.
    package static func find(_ database: Database, _ secret: ServerSecret) async throws -> PrivateKey {
        let sealing = SealingKey(secret.key(for: purpose))
        let fresh = sealing.seal(PrivateKey.onCurve().der, for: Array(purpose.utf8))
        // Another node may make it at the same moment; then a second look finds that one.
        for _ in 0..<3 {
            guard let kept = try await database.run(KeepServerKey(purpose: purpose, sealed: fresh)).first else {
                continue
            }
            guard let der = sealing.open(kept, for: Array(purpose.utf8)), let key = PrivateKey(der: der) else {
                throw PostgresError.unexpected("a key for web push that another secret has sealed")
            }
            return key
        }
        throw PostgresError.unexpected("no key for web push")
    }
}

/// Keeps a key for a purpose, unless there is one; gives the one that there is.
struct KeepServerKey: Statement {
    static let sql = """
        WITH made AS (
            INSERT INTO server_keys (purpose, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING sealed)
        SELECT sealed FROM made UNION ALL SELECT sealed FROM server_keys WHERE purpose = $1 LIMIT 1
        """
    let purpose: String
    let sealed: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(purpose)
        parameters.add(Bytes(sealed))
    }

    static func decode(_ row: inout RowReader) throws -> [UInt8] { Array((try row.read() as Bytes).bytes) }
}
