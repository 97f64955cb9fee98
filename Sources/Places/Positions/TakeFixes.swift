import Domain
import Feed
import Postgres

/// Fixes that a courier sent together, oldest first.
struct SentFixes: Sendable {
    let courier: ID
    let fixes: [Fix]
}

/// What became of them.
struct TakenFixes: Sendable {
    let courier: ID
    /// Whether it is on duty or carries something; otherwise nothing was kept.
    let isAdmitted: Bool
    /// From when its fixes count: what is older was not taken.
    let oldest: Moment?
    let carries: Bool
}

/// Takes the fixes of several couriers, with all that follows from them: where each is now, its trail while it carries something,
/// and that it is nearly there, once a carry. Whoever watches is told that they have moved. Where it was before it carried anything,
/// or between a delivery and its reopening, as a phone may say late, is no part of a trail.
///
/// Where it was off duty with nothing to carry is not taken, however late its phone says it: it counts from when it is on duty, as far
/// as that is known, or carries something, whichever was first.
///
/// Nobody waits for the log: what a crash takes along is said again within seconds.
struct TakeFixes: Statement {
    static let sql = """
        WITH fixes AS MATERIALIZED (
            SELECT * FROM unnest($2::uuid[], $3::timestamptz[], $4::double precision[], $5::double precision[],
                    $6::double precision[], $7::double precision[], $8::double precision[])
                WITH ORDINALITY AS f(courier_id, at, lat, lon, accuracy_m, speed_mps, heading, nth)),
        senders AS MATERIALIZED (
            SELECT s.id, carried.since, carried.since IS NOT NULL AS carries, duty.is_on OR carried.since IS NOT NULL AS is_admitted,
                greatest(known.at, CASE WHEN NOT duty.is_on THEN date_trunc('second', carried.since)
                    WHEN duty.since IS NOT NULL THEN date_trunc('second', least(duty.since, carried.since)) END) AS oldest
            FROM (SELECT id FROM unnest($1::uuid[]) AS s(id) ORDER BY id) s
                CROSS JOIN LATERAL (
                    SELECT NOT k.off AND duty_now(k.on_duty, k.duty_until) AS is_on,
                        on_duty_since(k.on_duty, k.duty_until, k.duty_since) AS since
                    FROM couriers k WHERE k.id = s.id OFFSET 0) duty
                CROSS JOIN LATERAL (
                    SELECT date_trunc('milliseconds', min(since)) AS since
                    FROM (SELECT since FROM jobs WHERE courier_id = s.id AND status = 'in_progress' OFFSET 0) j) carried
                LEFT JOIN LATERAL (SELECT at FROM positions p WHERE p.courier_id = s.id OFFSET 0) known ON true),
        taken AS MATERIALIZED (
            SELECT f.*, s.since FROM senders s JOIN fixes f ON f.courier_id = s.id
            WHERE s.is_admitted AND (f.at >= s.oldest) IS NOT FALSE),
        newest AS (
            INSERT INTO positions AS p (courier_id, at, lat, lon, accuracy_m, speed_mps, heading)
            SELECT DISTINCT ON (courier_id) courier_id, at, lat, lon, accuracy_m, speed_mps, heading
            FROM taken ORDER BY courier_id, nth DESC
            ON CONFLICT (courier_id) DO UPDATE SET at = EXCLUDED.at, lat = EXCLUDED.lat, lon = EXCLUDED.lon,
                accuracy_m = EXCLUDED.accuracy_m, speed_mps = EXCLUDED.speed_mps, heading = EXCLUDED.heading
            WHERE p.at <= EXCLUDED.at
            RETURNING p.courier_id),
        trailed AS (
            INSERT INTO trails (courier_id, at, lat, lon, accuracy_m)
            SELECT courier_id, at, lat, lon, accuracy_m FROM taken WHERE at >= since
            ON CONFLICT DO NOTHING),
        \(Nearby.parts),
        announced AS MATERIALIZED (
            SELECT pg_notify('\(PositionTail.channel)', string_agg(courier_id::text, '')) FROM newest HAVING count(*) > 0),
        unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        SELECT id, is_admitted, oldest, carries FROM senders
        WHERE (SELECT count(*) FROM announced) + (SELECT count(*) FROM unhurried) > 0
        """
    let sent: [SentFixes]

    func bind(into parameters: inout Parameters) {
        let all = sent.flatMap { sent in sent.fixes.map { (courier: sent.courier, fix: $0) } }
        parameters.add(sent.map(\.courier))
        parameters.add(all.map(\.courier))
        parameters.add(all.map { Timestamp(microseconds: $0.fix.at.milliseconds * 1000) })
        parameters.add(all.map(\.fix.location.lat))
        parameters.add(all.map(\.fix.location.lon))
        parameters.add(all.map(\.fix.accuracy))
        parameters.add(all.map(\.fix.speed))
        parameters.add(all.map(\.fix.heading))
    }

    static func decode(_ row: inout RowReader) throws -> TakenFixes {
        TakenFixes(
            courier: try row.read(), isAdmitted: try row.read(),
            oldest: (try row.read() as Timestamp?).map { Moment(milliseconds: $0.microseconds / 1000) },
            carries: try row.read())
    }
}

/// Tells stores that what a courier carries is nearly there.
private enum Nearby {
    /// A carry is named by when it was accepted. Most fixes are far from everywhere: what costs more is looked at last.
    static let parts = """
        near AS MATERIALIZED (
            SELECT d.* FROM senders s,
                LATERAL (SELECT delivery_id, since FROM jobs j WHERE j.courier_id = s.id AND j.status = 'in_progress' OFFSET 0) j,
                LATERAL (
                    SELECT d.id, d.store_id, d.version, d.accepted_at, d.recipient_lat AS lat, d.recipient_lon AS lon
                    FROM deliveries d
                    WHERE d.id = j.delivery_id AND d.status = 'in_progress' AND d.courier_id = s.id AND d.recipient_lat IS NOT NULL
                    OFFSET 0) d
            WHERE s.carries AND EXISTS (
                    SELECT FROM taken f WHERE f.courier_id = s.id AND f.at >= date_trunc('milliseconds', j.since)
                        AND abs(f.lat - d.lat) < \(northernmost)
                        AND distance_m(f.lat, f.lon, d.lat, d.lon) <= \(Fix.nearby))
                AND NOT EXISTS (SELECT FROM nearby_told n WHERE n.delivery_id = d.id AND n.carry = d.accepted_at)),
        told AS (
            INSERT INTO nearby_told AS n (delivery_id, carry) SELECT id, accepted_at FROM near ORDER BY id
            ON CONFLICT (delivery_id) DO UPDATE SET carry = EXCLUDED.carry, told_at = EXCLUDED.told_at
            WHERE n.carry <> EXCLUDED.carry
            RETURNING n.delivery_id),
        published AS (
            \(Publish.ofDeliveries("""
                SELECT ARRAY[store_id], '{\(EventType.nearby.rawValue)}'::text[], id, version, clock_timestamp()
                FROM near WHERE id IN (SELECT delivery_id FROM told)
                """)))
        """

    /// So many degrees are a little more than that.
    private static let northernmost = Fix.nearby / 111_000
}
