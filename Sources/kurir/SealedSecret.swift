import API
import Crypto
import Postgres

/// The servers' secret as the database has it: sealed with a key that is not there. All nodes of a database share it.
struct SealedSecret {
    private static let context = "server secret"

    let connection: BlockingConnection
    let file: KeyFile

    /// The secret; whoever comes first makes it. A database from before keys has it as it is, until ``adopt()``.
    func secret() throws -> (secret: ServerSecret, isSealed: Bool) {
        if let found = try stored() { return try opened(found) }
        let (sealed, name) = try file.keys().seal(SecureRandom.bytes(32), for: Self.context)
        _ = try connection.query(CommandSQL.makeSecret, [Self.bytes(sealed), name])
        guard let found = try stored() else { throw PostgresError.unexpected("no server secret") }
        return try opened(found)
    }

    /// Refuses keys that do not open what a database has sealed, whose schema may be older, or not there yet.
    func tryKeys() throws {
        guard try !connection.query(CommandSQL.findSealedColumn).isEmpty,
            case .sealed(let bytes, let name)? = try stored()
        else { return }
        guard file.exists else { throw KeyError.gone(file: file.path, wanted: name) }
        _ = try opened(.sealed(bytes, by: name))
    }

    /// Makes the key file of a database of Kurir's own, unless the database wants one that is gone.
    func makeFile() throws {
        guard !file.exists else { return }
        if case .sealed(_, let name)? = try stored() { throw KeyError.gone(file: file.path, wanted: name) }
        try file.make()
    }

    /// Seals the secret of a database from before keys. A Kurir of then does not work with it any more, and does not start.
    /// Gives the key's name, or nil when it was sealed already.
    func adopt() throws -> String? {
        guard case .plain(let bytes)? = try stored() else {
            _ = try secret()
            return nil
        }
        let (sealed, name) = try file.keys().seal(bytes, for: Self.context)
        let adopted = try connection.query(CommandSQL.adoptSecret, [Self.bytes(sealed), name])
        return adopted.first?[0]
    }

    /// Seals the secret anew with the first key; the nodes that run know it already. Gives the key's name, or nil when
    /// that is the one it is sealed with.
    func rotate() throws -> String? {
        let keys = try file.keys()
        guard case .sealed(let before, let by)? = try stored() else { throw KeyError.notAdopted }
        guard let bytes = keys.open(before, by: by, for: Self.context) else { throw other(keys, by) }
        guard by != keys.names[0] else { return nil }
        let (sealed, name) = keys.seal(bytes, for: Self.context)
        let rotated = try connection.query(CommandSQL.rotateSecret, [Self.bytes(sealed), name, Self.bytes(before), by])
        return rotated.first?[0]
    }

    private enum Stored {
        case plain([UInt8])
        case sealed([UInt8], by: String)
    }

    private func stored() throws -> Stored? {
        let rows = try connection.query(CommandSQL.findSecret)
        guard let row = rows.first else { return nil }
        guard let text = row[0], let bytes = Base64.decode(text) else { throw PostgresError.unexpected("no bytes") }
        return row[1].map { .sealed(bytes, by: $0) } ?? .plain(bytes)
    }

    private func opened(_ stored: Stored) throws -> (ServerSecret, Bool) {
        switch stored {
        case .plain(let bytes):
            guard let secret = ServerSecret(bytes) else { throw PostgresError.unexpected("a short server secret") }
            return (secret, false)
        case .sealed(let sealed, let name):
            let keys = try file.keys()
            guard let bytes = keys.open(sealed, by: name, for: Self.context), let secret = ServerSecret(bytes) else {
                throw other(keys, name)
            }
            return (secret, true)
        }
    }

    private func other(_ keys: SealingKeys, _ wanted: String) -> KeyError {
        .other(file: file.path, names: keys.names, wanted: wanted)
    }

    private static func bytes(_ bytes: [UInt8]) -> String { "\\x" + hexadecimal(bytes) }
}

extension CommandSQL {
    private static let newest = "greatest(migration, (SELECT max(number) FROM schema_migrations))"

    static let makeSecret = """
        WITH made AS (
            INSERT INTO server_secret (sealed, sealed_by) VALUES ($1::bytea, $2) ON CONFLICT DO NOTHING RETURNING true)
        UPDATE schema_least SET migration = \(newest) WHERE EXISTS (SELECT FROM made)
        """

    static let findSealedColumn =
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('server_secret') AND attname = 'sealed'"

    static let adoptSecret = """
        WITH adopted AS (
            UPDATE server_secret SET secret = NULL, sealed = $1::bytea, sealed_by = $2 WHERE secret IS NOT NULL
            RETURNING sealed_by),
        noted AS (
            \(Audit.sql("""
                SELECT jsonb_build_object('kind', 'keys.adopted', 'detail', jsonb_build_object('key', sealed_by)) AS event
                FROM adopted
                """))),
        least AS (UPDATE schema_least SET migration = \(newest) WHERE EXISTS (SELECT FROM adopted))
        SELECT sealed_by FROM adopted
        """

    static let rotateSecret = """
        WITH rotated AS (
            UPDATE server_secret SET sealed = $1::bytea, sealed_by = $2 WHERE sealed = $3::bytea RETURNING sealed_by)
        \(Audit.sql("""
            SELECT jsonb_build_object('kind', 'keys.rotated',
                'detail', jsonb_build_object('key', sealed_by, 'before', $4::text)) AS event
            FROM rotated
            """))
        RETURNING detail->>'key'
        """

    static let findSecret = """
        SELECT translate(encode(coalesce(secret, sealed), 'base64'), E'\\n', ''), sealed_by FROM server_secret
        """
}
