import API
import Domain
import Feed
import Outbox
import Postgres

/// Contests a cancellation and tells the store. There is no row if something has been said of it before, or if it is too
/// long ago.
///
/// Whatever is said of a cancellation is one row, so that contesting and excusing follow on each other.
struct ContestCancellation: Statement {
    static let days = 30

    static let sql = """
        WITH made AS (
            INSERT INTO cancellation_reviews (cancellation_id, contested_at, note)
            SELECT id, now(), $2 FROM cancellations WHERE id = $1 AND at > now() - interval '\(days) days'
            ON CONFLICT DO NOTHING RETURNING cancellation_id),
        contested AS (SELECT c.* FROM made JOIN cancellations c ON c.id = made.cancellation_id),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[store_id, courier_id], '{cancellation.contested,cancellation.contested}'::text[],
                    ($3->'data') - 'type' FROM contested
                """))),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($3 || jsonb_build_object('accounts', ARRAY[store_id], 'subject', id)) AS notices
                FROM contested
                """)))
        SELECT id FROM contested
        """
    let cancellation: Cancellation
    let note: String

    func bind(into parameters: inout Parameters) {
        parameters.add(cancellation.id)
        parameters.add(note)
        parameters.add(cancellation.message(.cancellationContested).parameter)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Excuses a cancellation, unless it is already: it counts no more, and the courier is told.
struct ExcuseCancellation: Statement {
    static let sql = """
        WITH made AS (
            INSERT INTO cancellation_reviews AS r (cancellation_id, excused_at) VALUES ($1, now())
            ON CONFLICT (cancellation_id) DO UPDATE SET excused_at = EXCLUDED.excused_at WHERE r.excused_at IS NULL
            RETURNING cancellation_id),
        excused AS (SELECT c.* FROM made JOIN cancellations c ON c.id = made.cancellation_id),
        counted AS (
            UPDATE couriers k SET cancelled = k.cancelled - 1, excused = k.excused + 1
            FROM excused e WHERE k.id = e.courier_id),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[courier_id, store_id], '{cancellation.excused,cancellation.excused}'::text[],
                    ($2->'data') - 'type' FROM excused
                """))),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($2 || jsonb_build_object('accounts', ARRAY[courier_id], 'subject', id)) AS notices
                FROM excused
                """))),
        untrue AS MATERIALIZED (SELECT withdraw('cancellation_contested', ARRAY[id]) FROM excused)
        SELECT id FROM excused, untrue
        """
    let cancellation: Cancellation

    func bind(into parameters: inout Parameters) {
        parameters.add(cancellation.id)
        parameters.add(cancellation.message(.cancellationExcused).parameter)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
