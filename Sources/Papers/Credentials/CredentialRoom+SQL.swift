import API
import Domain
import Postgres

/// A credential as it is kept.
struct KeptCredential: Sendable {
    let id: ID
    let sealed: [UInt8]
    let addedAt: Timestamp
    let sharedWith: [ID]
    /// The courier's own name.
    let name: String

    /// Those of the courier `$1`.
    static let sql = """
        SELECT c.id, c.sealed, c.added_at, ARRAY(
                SELECT s.store_id FROM credential_shares s
                WHERE s.courier_id = c.courier_id AND s.credential_id = c.id ORDER BY s.store_id),
            k.first_name || ' ' || k.last_name
        FROM credentials c JOIN couriers k ON k.id = c.courier_id WHERE c.courier_id = $1
        """

    init(_ row: inout RowReader) throws {
        id = try row.read()
        sealed = (try row.read() as Bytes).bytes
        (addedAt, sharedWith, name) = (try row.read(), try row.read(), try row.read())
    }
}

/// All credentials of a courier, the newest first.
struct ListCredentials: Statement {
    static let sql = "\(KeptCredential.sql) ORDER BY c.id DESC LIMIT \(Bounds.credentials)"
    static let isReadOnly = true
    let courier: ID

    func bind(into parameters: inout Parameters) { parameters.add(courier) }

    static func decode(_ row: inout RowReader) throws -> KeptCredential { try KeptCredential(&row) }
}

/// One credential of a courier.
struct FindCredential: Statement {
    static let sql = "\(KeptCredential.sql) AND c.id = $2"
    let courier, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> KeptCredential { try KeptCredential(&row) }
}

/// The credential of a courier that has the same code.
struct FindSameCredential: Statement {
    static let sql = "\(KeptCredential.sql) AND c.sameness = $2"
    let courier: ID
    let sameness: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(Bytes(sameness))
    }

    static func decode(_ row: inout RowReader) throws -> KeptCredential { try KeptCredential(&row) }
}

/// Keeps a credential, unless it is kept already: its id, or that of the one there is; none if there are too many.
struct AddCredential: Statement {
    static let sql = """
        WITH same AS MATERIALIZED (SELECT id FROM credentials WHERE courier_id = $1 AND sameness = $3),
        added AS (
            INSERT INTO credentials (courier_id, id, sameness, sealed) SELECT $1, $2, $3, $4
            WHERE NOT EXISTS (SELECT FROM same)
                AND (SELECT count(*) FROM credentials WHERE courier_id = $1) < \(Bounds.credentials)
            RETURNING id)
        SELECT coalesce((SELECT id FROM same), (SELECT id FROM added))
        """
    let courier, id: ID
    let sameness, sealed: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(id)
        parameters.add(Bytes(sameness))
        parameters.add(Bytes(sealed))
    }

    static func decode(_ row: inout RowReader) throws -> ID? { try row.read() }
}

/// Forgets a credential, and with whom it was shared.
struct DeleteCredential: Statement {
    static let sql = "DELETE FROM credentials WHERE courier_id = $1 AND id = $2 RETURNING true"
    let courier, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Shares a credential with these partners alone. Says how many of them are none: then nothing is changed. There is no row if there is
/// no such credential.
struct ShareCredential: Statement {
    static let sql = """
        WITH mine AS MATERIALIZED (SELECT id FROM credentials WHERE courier_id = $1 AND id = $2 FOR UPDATE),
        held AS MATERIALIZED (
            SELECT store_id FROM partners WHERE courier_id = $1 AND store_id = ANY ($3) ORDER BY store_id FOR KEY SHARE),
        counted AS MATERIALIZED (
            SELECT mine.id, cardinality($3::uuid[]) - (SELECT count(*) FROM held) AS strangers FROM mine),
        ended AS (
            DELETE FROM credential_shares s USING counted
            WHERE s.courier_id = $1 AND s.credential_id = counted.id AND s.store_id <> ALL ($3) AND strangers = 0),
        begun AS (
            INSERT INTO credential_shares (store_id, courier_id, credential_id)
            SELECT store_id, $1, counted.id FROM counted, held WHERE strangers = 0
            ON CONFLICT DO NOTHING)
        SELECT strangers FROM counted
        """
    let courier, id: ID
    let stores: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(id)
        parameters.add(stores)
    }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
