import Feed
import Outbox
import Domain
import Postgres

/// What the statements that write deliveries have in common.
///
/// Locks are taken in one order everywhere: partners, then deliveries, then couriers, then keys, each by id. They are
/// taken in LATERAL queries, so that each row is looked up by its key whatever the planner believes of the tables. Each
/// change has its own outcome. The statement is refused as a whole only if two clients use the same new reference at
/// the same moment, one of them with a key.
enum CommitSQL {
    /// The changes, numbered from one in the order in which they were given.
    static func given(_ columns: [CommitColumns.Column]) -> String {
        let placeholders = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
        let names = columns.map(\.name).joined(separator: ", ")
        return """
            changes AS MATERIALIZED (SELECT * FROM unnest(\(placeholders)) WITH ORDINALITY AS c(\(names), no))
            """
    }

    /// Finds who of those that must be partners for a change are partners, and keeps them so until the commit.
    static func partnered(_ locks: any WhenLocked.Type, after columns: [CommitColumns.Column]) -> String {
        let asked = ["bigint", "uuid", "uuid", "boolean"].enumerated().map { "$\(columns.count + 1 + $0)::\($1)[]" }
        return """
            partnered AS MATERIALIZED (
                SELECT asked.no
                FROM (
                    SELECT * FROM unnest(\(asked.joined(separator: ", "))) AS a(no, store, courier, hidden)
                    ORDER BY store, courier) asked,
                    LATERAL (
                        SELECT FROM partners p WHERE p.store_id = asked.store AND p.courier_id = asked.courier
                            AND NOT p.courier_off AND p.store_off <= asked.hidden
                        FOR KEY SHARE \(locks.clause)) p)
            """
    }

    /// Those who are about to be counted, held from here on, so that what they carry is counted after whatever came before.
    static let counted = """
        held AS MATERIALIZED (
            SELECT k.id FROM (SELECT DISTINCT counted_id FROM locked WHERE counted_id IS NOT NULL ORDER BY 1) c,
                LATERAL (SELECT id FROM couriers k WHERE k.id = c.counted_id FOR NO KEY UPDATE) k),
        -- What is not done after all, and why.
        unfit AS MATERIALIZED (
            SELECT no, 'too_many_jobs' AS outcome FROM (
                SELECT no, actor_id, row_number() OVER (PARTITION BY actor_id ORDER BY no) AS nth
                FROM locked WHERE action = 'accept') a
                JOIN held ON held.id = a.actor_id
            WHERE carries(held.id, (SELECT max_jobs FROM trust) - nth + 1)
            UNION ALL
            -- Of what was read to be signed, something was erased meanwhile.
            SELECT no, 'not_made' FROM locked WHERE texts IS NOT NULL AND texts <> texts_of_steps(id))
        """

    /// Whether everybody who must be a partner for a change is one.
    static let hasItsPartners =
        "(asked = 0 OR (no, asked) IN (SELECT no, count(*)::integer FROM partnered GROUP BY no))"

    /// Keeps the answers of these changes. Of several with one key only the first is entitled to it.
    static func keyed(_ changes: String) -> String {
        let columns = "actor_id, key, fingerprint, answer_status, answer_headers, answer_body"
        return """
            keyed AS MATERIALIZED (
                SELECT DISTINCT ON (actor_id, key) no, \(columns) FROM (SELECT * FROM \(changes)) c
                WHERE key IS NOT NULL ORDER BY actor_id, key, no),
            keys AS (
                INSERT INTO idempotency_keys (account_id, key, fingerprint, status, headers, body)
                SELECT actor_id, key, fingerprint, answer_status, string_to_array(answer_headers, E'\\n'), answer_body
                FROM keyed ORDER BY actor_id, key
                ON CONFLICT (account_id, key) DO NOTHING RETURNING account_id, key),
            entitled AS MATERIALIZED (
                SELECT r.no FROM keyed r JOIN keys k ON k.account_id = r.actor_id AND k.key = r.key)
            """
    }

    /// The changes whose key somebody else has used.
    static func keysTaken(_ changes: String) -> String {
        """
        SELECT no, 'key_taken' FROM (SELECT no, key FROM \(changes)) c
        WHERE key IS NOT NULL AND no NOT IN (SELECT no FROM entitled)
        """
    }

    /// When a store is told that nobody accepts what is offered from then on. Nobody is told of a demo's past.
    static func alertAt(_ store: String, _ time: String) -> String {
        """
        (SELECT CASE WHEN alert > now() THEN alert END FROM (
            SELECT \(time) + make_interval(mins => alert_after_minutes) AS alert FROM stores WHERE id = \(store)) a)
        """
    }

    /// Writes what follows from the changes that were made: events, messages. `notices` is a query of what is told. Whoever has no
    /// device may be told of offers by SMS.
    static func consequences(telling notices: String = "SELECT notices FROM done") -> String {
        """
        published AS (
            \(Publish.ofDeliveries("SELECT readers::uuid[], event_types::text[], id, version, at FROM done"))),
        told AS (
            \(Tell.sql(notices))),
        texted AS MATERIALIZED (
            SELECT text_offers(array_agg(courier), array_agg(c.store_id)) FROM done c, unnest(c.opened::uuid[]) AS courier
            WHERE c.status = 'pending' AND (SELECT offers_by_sms FROM trust) HAVING count(*) > 0)
        """
    }

    /// Has these parts be done, which only call functions: what nobody asks for is left out.
    static func asking(for parts: String...) -> String {
        parts.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + ") + " >= 0"
    }

    static func bind(_ commits: [Commit], _ columns: [CommitColumns.Column], into parameters: inout Parameters) {
        for column in columns { column.bind(commits, &parameters) }
        let asked = commits.enumerated().flatMap { place, commit in
            commit.change.mustBePartners.map {
                (place: Int64(place + 1), store: commit.change.after.store, courier: $0, isHidden: commit.isHidden)
            }
        }
        parameters.add(asked.map(\.place))
        parameters.add(asked.map(\.store))
        parameters.add(asked.map(\.courier))
        parameters.add(asked.map(\.isHidden))
    }
}
