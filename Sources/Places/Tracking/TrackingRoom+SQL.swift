import API
import Domain
import Postgres

/// When a store's delivery ended; no row where it has none of that id.
struct FindEnd: Statement {
    static let sql = "SELECT coalesce(delivered_at, cancelled_at) FROM deliveries WHERE id = $2 AND store_id = $1"
    static let isReadOnly = true
    let store, delivery: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(delivery)
    }

    static func decode(_ row: inout RowReader) throws -> Timestamp? { try row.read() }
}

/// Opens a delivery's next link, unless somebody else was faster: whoever makes the same link at once conflicts in its delivery
/// and in its token.
struct OpenTracking: Statement {
    static let sql = """
        WITH first AS (
            INSERT INTO trackings (delivery_id, link, token_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING)
        UPDATE trackings SET link = $2, token_hash = $3, ended = false WHERE delivery_id = $1 AND ended AND link = $2 - 1
        """
    let delivery: ID
    let link: Int32
    let hash: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(link)
        parameters.add(Bytes(hash))
    }
}

/// Ends a delivery's link.
struct EndTracking: Statement {
    static let sql = "SELECT end_tracking($1, $2)::text"
    let delivery: ID
    /// That of its first token, where there was none yet.
    let hash: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(Bytes(hash))
    }
}
