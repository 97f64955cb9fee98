import Crypto
import Postgres

extension ServerSecret {
    /// The secret that all nodes of a database share; the first node makes it.
    package static func shared(by database: Database) async throws -> ServerSecret {
        try await database.run(OfferSecret(secret: SecureRandom.bytes(32)))
        guard let bytes = try await database.run(ReadSecret()).first, let secret = ServerSecret(bytes) else {
            throw PostgresError.unexpected("no server secret")
        }
        return secret
    }
}

struct OfferSecret: Statement {
    static let sql = "INSERT INTO server_secret (secret) VALUES ($1) ON CONFLICT DO NOTHING"
    let secret: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(secret))
    }
}

struct ReadSecret: Statement {
    static let sql = "SELECT secret FROM server_secret"
    static let isReadOnly = true
    static func decode(_ row: inout RowReader) throws -> [UInt8] { (try row.read() as Bytes).bytes }
}
