import API
import Domain
import Feed
import HTTP
import Outbox
import Postgres

/// What an account `$1` may read: what no store wrote, and what was written by itself or its stores.
private enum Readable {
    static let sources = """
        sources AS MATERIALIZED (
            SELECT $1::uuid AS id UNION ALL SELECT store_id FROM partners WHERE courier_id = $1 AND NOT store_off)
        """
}

/// A page of the bulletin, each row with how many an account may read: a range of an index for each source. Its first column is
/// named in the order, since the planner does not know that what is NULL is one.
struct ListBulletins: Statement {
    private static let before = """
        (published_at, id) < (coalesce($2, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY store_id DESC, published_at DESC, id DESC LIMIT $4
        """
    static let sql = """
        WITH \(Readable.sources),
        found AS MATERIALIZED (
            SELECT * FROM (SELECT * FROM bulletins WHERE store_id IS NULL AND \(before)) everybodys
            UNION ALL
            SELECT b.* FROM sources s, LATERAL (SELECT * FROM bulletins WHERE store_id = s.id AND \(before)) b)
        SELECT coalesce((SELECT count FROM bulletin_counts WHERE store_id IS NULL), 0) + coalesce((
                SELECT sum(c.count) FROM sources s, LATERAL (
                    SELECT count FROM bulletin_counts WHERE store_id = s.id OFFSET 0) c), 0)::bigint,
            page.*
        FROM (SELECT) one LEFT JOIN (
            SELECT \(Published.columns) FROM (SELECT * FROM found ORDER BY published_at DESC, id DESC LIMIT $4) b) page ON true
        ORDER BY page.published_at DESC, page.id DESC
        """
    static let isReadOnly = true
    private let account: ID
    private let after: (at: Timestamp, id: ID)?
    private let limit: Int32

    init(account: ID, page: Page) throws {
        (self.account, limit) = (account, page.fetched)
        after = try page.after.map { key in
            guard key.count == 2, let id = ID(key[1]) else { throw Page.wrongCursor }
            return (try Page.time(key[0]), id)
        }
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after?.at)
        parameters.add(after?.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<Int64, Published> {
        try Remarked(try row.read(), &row) { try Published(&$0) }
    }
}

/// One that an account may read.
struct FindBulletin: Statement {
    static let sql = """
        SELECT \(Published.columns) FROM bulletins b
        WHERE b.id = $2 AND (b.store_id IS NULL OR b.store_id = $1 OR EXISTS (
            SELECT FROM partners p WHERE p.store_id = b.store_id AND p.courier_id = $1 AND NOT p.store_off))
        """
    static let isReadOnly = true
    let account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Published { try Published(&row) }
}

/// Has whatever else a store tells wait until the transaction ends; gives its name. There is no row if it is being erased.
struct HoldAuthor: Statement {
    static let sql = "SELECT name FROM stores WHERE id = $1 AND NOT off FOR NO KEY UPDATE"
    let store: ID

    func bind(into parameters: inout Parameters) { parameters.add(store) }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// Publishes what a store tells, unless it stands there already, or the store has told enough for its day. Only the first of a
/// day that is urgent is so. Whoever runs it holds the author, so that nothing changes meanwhile.
struct PostBulletin: Statement {
    static let sql = """
        WITH today AS MATERIALIZED (
            SELECT zone, (now() AT TIME ZONE zone)::date AS day
            FROM stores s, LATERAL (SELECT zone_of(s.country, s.lat, s.lon) AS zone OFFSET 0) z WHERE s.id = $1),
        same AS MATERIALIZED (
            SELECT b.id FROM today t, LATERAL (
                SELECT id FROM bulletins WHERE store_id = $1 AND source = '' AND link = $6
                UNION ALL
                SELECT id FROM bulletins WHERE store_id = $1 AND source = '' AND day = t.day AND title = $4) b LIMIT 1),
        before AS MATERIALIZED (SELECT d.urgent FROM today t JOIN bulletin_days d ON d.store_id = $1 AND d.day = t.day),
        counted AS (
            INSERT INTO bulletin_days AS d (store_id, day, posts, urgent)
            SELECT $1, day, 1, $7 FROM today WHERE NOT EXISTS (SELECT FROM same)
            ON CONFLICT (store_id, day) DO UPDATE SET posts = d.posts + 1, urgent = d.urgent OR EXCLUDED.urgent
            WHERE d.posts < \(Bounds.bulletinsADay) RETURNING day),
        added AS (
            INSERT INTO bulletins (id, store_id, source, category, title, text, link, published_at, day, urgent)
            SELECT $3, $1, '', 'store', $4, $5, $6, now(), day, $7 AND NOT coalesce((SELECT urgent FROM before), false) FROM counted
            RETURNING *),
        readers AS MATERIALIZED (
            SELECT array_agg(courier_id ORDER BY courier_id) AS couriers FROM partners WHERE store_id = $1 AND NOT courier_off),
        published AS (
            \(Publish.sql("""
                SELECT couriers, array_fill(('{bulletin.published}'::text[])[1], ARRAY[cardinality(couriers)]), jsonb_build_object(
                    'bulletin_id', id, 'store_id', store_id, 'category', category, 'urgent', urgent)
                FROM added, readers WHERE couriers IS NOT NULL
                """))),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($8 || jsonb_build_object(
                    'accounts', couriers, 'subject', id, 'expires_at', now() + interval '1 day')) AS notices
                FROM added, readers WHERE urgent AND couriers IS NOT NULL
                """)))
        SELECT (SELECT id FROM same),
            ceil(extract(epoch FROM (t.day + 1)::timestamp AT TIME ZONE t.zone - now()))::bigint,
            b.id, b.store_id, $2::text, b.category, b.title, b.text, b.link, b.published_at, b.urgent
        FROM today t LEFT JOIN added b ON true
        """
    let store: ID
    let name: String
    let id: ID
    let form: NewBulletin

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(name)
        parameters.add(id)
        parameters.add(form.title)
        parameters.add(form.text)
        parameters.add(form.link)
        parameters.add(form.isUrgent)
        parameters.add(
            Message(
                .bulletinPublished, ["store": name, "title": form.title],
                data: ["bulletin_id": .string(id.description), "store_id": .string(store.description)]
            ).parameter)
    }

    static func decode(_ row: inout RowReader) throws -> Remarked<(same: ID?, secondsLeft: Int), Published> {
        let remark = (same: try row.read() as ID?, secondsLeft: Int(try row.read() as Int64))
        return try Remarked(remark, &row) { try Published(&$0) }
    }
}

/// Takes back what a store has told, and the pushes of it that wait.
struct RemoveBulletin: Statement {
    static let sql = """
        WITH removed AS (DELETE FROM bulletins WHERE id = $2 AND store_id = $1 RETURNING id),
        untrue AS MATERIALIZED (SELECT withdraw('bulletin_published', ARRAY[id]) FROM removed)
        SELECT true FROM removed, untrue
        """
    let store, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Removes some of what was published more than a year ago, or came here then; gives how many.
package struct DropOldBulletins: Statement {
    package init() {}

    package static let sql = """
        WITH dropped AS (
            DELETE FROM bulletins WHERE id IN (
                SELECT id FROM bulletins WHERE id < first_uuid(now() - interval '400 days') ORDER BY id LIMIT 500
                FOR UPDATE SKIP LOCKED) RETURNING 1),
        days AS (
            DELETE FROM bulletin_days WHERE (store_id, day) IN (
                SELECT store_id, day FROM bulletin_days WHERE day < now() - interval '7 days' LIMIT 500) RETURNING 1)
        SELECT greatest((SELECT count(*) FROM dropped), (SELECT count(*) FROM days))
        """

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
