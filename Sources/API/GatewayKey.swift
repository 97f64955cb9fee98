import Crypto
import Domain
import HTTP
import Postgres

/// A gateway's key, which says what it may take and report on.
package struct GatewayKey: Sendable {
    /// The key's row.
    package let id: ID
    /// The only channels that it may serve.
    package let channels: [String]

    /// Every channel there is.
    package static let allChannels = ["push", "sms", "email"]

    /// A new key. Only its hash is kept, so nobody can see the key again.
    package static func newSecret() -> String { "kgw_" + Base64URL.encode(SecureRandom.bytes(32)) }

    /// The hash of a key, which is all that is kept of it.
    package static func hash(_ secret: String) -> [UInt8] { SHA256.hash(secret) }

    /// Refuses a channel that the key does not hold.
    package func check(_ channel: String) throws {
        guard channels.contains(channel) else { throw Problem(.forbidden, "forbidden", wording: "other_channel") }
    }
}

/// Knows the keys of gateways.
struct GatewayKeys: Sendable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The key that a request carries.
    func key(of request: Request) async throws -> GatewayKey {
        let parts = (try request.onlyHeader("authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            let found = try await database.run(FindGatewayKey(keyHash: GatewayKey.hash(String(parts[1])))).first
        else { throw Problem.unauthenticated }
        if found.isStale { try await database.run(TouchGatewayKey(id: found.key.id)) }
        return found.key
    }
}

/// A key that has not been revoked; its use is noted once a minute.
struct FindGatewayKey: Statement {
    static let sql = """
        SELECT id, channels, used_at IS NULL OR used_at < now() - interval '1 minute' FROM gateway_keys
        WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at > now()) IS NOT FALSE
        """
    static let isReadOnly = true
    let keyHash: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(keyHash))
    }

    static func decode(_ row: inout RowReader) throws -> (key: GatewayKey, isStale: Bool) {
        (GatewayKey(id: try row.read(), channels: try row.read()), try row.read())
    }
}

struct TouchGatewayKey: Statement {
    static let sql = "UPDATE gateway_keys SET used_at = now() WHERE id = $1"
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }
}
