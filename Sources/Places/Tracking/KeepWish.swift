import API
import Deliveries
import Domain
import Feed
import Postgres

/// The delivery of a link, held, so that no step comes between. One whose recipient is forgotten takes no words any more: nobody would
/// forget those again.
private let meant = """
    meant AS MATERIALIZED (
        SELECT d.* FROM (SELECT delivery_id FROM trackings WHERE token_hash = $1 AND NOT ended) t, LATERAL (
            SELECT id, store_id, courier_id, version, status, delivered_at FROM deliveries d
            WHERE d.id = t.delivery_id AND d.recipient_first_name <> '' AND NOT \(SeeingSQL.isPast)
            FOR NO KEY UPDATE) d)
    """

/// Keeps what a recipient wishes, while it is carried, three at most; says whether it did.
struct KeepWish: Statement {
    static let sql = """
        WITH \(meant),
        wished AS (
            INSERT INTO delivery_extras AS x (delivery_id, wishes)
            SELECT id, jsonb_build_array(jsonb_build_object('text', $2::text, 'at', clock_timestamp()))
            FROM meant WHERE status = 'in_progress'
            ON CONFLICT (delivery_id) DO UPDATE SET wishes = coalesce(x.wishes, '[]') || EXCLUDED.wishes
            WHERE coalesce(jsonb_array_length(x.wishes), 0) < \(Bounds.wishes)
            RETURNING delivery_id),
        published AS (
            \(Publish.ofDeliveries("""
                SELECT ARRAY[store_id, courier_id], array_fill('\(EventType.wish.rawValue)'::text, '{2}'), id, version,
                    clock_timestamp()
                FROM meant WHERE id IN (SELECT delivery_id FROM wished)
                """)))
        SELECT EXISTS (SELECT FROM wished)
        """
    let hash: [UInt8]
    let text: String

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(hash))
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Keeps what a recipient thought of a delivery, once, and counts it for its courier; says whether it did.
struct KeepRating: Statement {
    static let sql = """
        WITH \(meant),
        rated AS (
            INSERT INTO delivery_extras AS x (delivery_id, stars, rating, rated_at)
            SELECT id, $2::integer::smallint, $3, clock_timestamp() FROM meant
            WHERE status = 'delivered' AND delivered_at > now() - interval '48 hours'
            ON CONFLICT (delivery_id) DO UPDATE SET stars = EXCLUDED.stars, rating = EXCLUDED.rating, rated_at = EXCLUDED.rated_at
            WHERE x.stars IS NULL
            RETURNING delivery_id),
        counted AS (
            UPDATE couriers k SET ratings = k.ratings + 1, stars = k.stars + $2::integer,
                mean_stars = CASE WHEN (k.ratings + 1) % \(Self.block) = 0
                    THEN (k.stars + $2::integer)::double precision / (k.ratings + 1) ELSE k.mean_stars END
            FROM (SELECT courier_id FROM meant WHERE id IN (SELECT delivery_id FROM rated) OFFSET 0) c
            WHERE k.id = c.courier_id),
        published AS (
            \(Publish.ofDeliveries("""
                SELECT ARRAY[store_id], ARRAY['\(EventType.rated.rawValue)'], id, version, clock_timestamp()
                FROM meant WHERE id IN (SELECT delivery_id FROM rated)
                """)))
        SELECT EXISTS (SELECT FROM rated)
        """
    /// After how many further ratings a courier's mean is told anew.
    private static let block = 10
    let hash: [UInt8]
    let stars: Int32
    let text: String?

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(hash))
        parameters.add(stars)
        parameters.add(text)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
