import API
import Domain
import People
import Postgres

/// The parameters of all figures, and the deliveries that they count: `$1` is the store, `$2` to `$4` are the first
/// days of the period before, this one and the time after it, `$5` is the time zone, `$6` and `$7` bound the ids.
private enum StatsSQL {
    static let deliveries = """
        WITH made AS (
            SELECT status, courier_id, created_at, accepted_at, delivered_at, due_at, picked_up_at, x.attempts, x.ready_at, x.offer_at,
                (created_at AT TIME ZONE $5)::date AS day, (created_at AT TIME ZONE $5)::date >= $3::date AS is_now
            FROM deliveries LEFT JOIN delivery_extras x ON x.delivery_id = id
            WHERE store_id = $1 AND status IN \(DeliveryStatus.sql { _ in true })
                AND id BETWEEN $6 AND $7
                AND created_at >= $2::date::timestamp AT TIME ZONE $5
                AND created_at < $4::date::timestamp AT TIME ZONE $5),
        given_back AS (
            SELECT courier_id, (at AT TIME ZONE $5)::date >= $3::date AS is_now FROM cancellations
            WHERE store_id = $1 AND at >= $2::date::timestamp AT TIME ZONE $5
                AND at < $4::date::timestamp AT TIME ZONE $5)
        """
    static let toAccept = median("accepted_at - greatest(created_at, offer_at)", "accepted_at IS NOT NULL")
    static let toDeliver = median("delivered_at - accepted_at", "status = 'delivered'")
    /// How long couriers waited for what they had accepted, once it was ready.
    static let atStore = median("picked_up_at - greatest(accepted_at, ready_at)", "picked_up_at IS NOT NULL")

    private static func median(_ interval: String, _ condition: String) -> String {
        """
        (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM \(interval))::float8)
            FILTER (WHERE \(condition)))
        """
    }

    static func bind(_ store: ID, _ period: StatsPeriod, into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(period.before.description)
        parameters.add(period.first.description)
        parameters.add(Day(number: period.last.number + 1).description)
        parameters.add(period.zone)
        parameters.add(period.ids.least)
        parameters.add(period.ids.most)
    }
}

/// What became of the deliveries that were created: first those of this period, then those of the one before.
struct StatsSums: Statement {
    static let sql = """
        \(StatsSQL.deliveries)
        SELECT count(made.status), count(*) FILTER (WHERE status = 'delivered'), count(*) FILTER (WHERE status = 'cancelled'),
            count(*) FILTER (WHERE status IN \(DeliveryStatus.sql(\.isOpen))),
            (SELECT count(*) FROM given_back WHERE given_back.is_now = period.is_now),
            count(*) FILTER (WHERE status = 'delivered' AND due_at IS NOT NULL),
            count(*) FILTER (WHERE delivered_at <= due_at), coalesce(sum(attempts), 0),
            \(StatsSQL.toAccept), \(StatsSQL.atStore), \(StatsSQL.toDeliver)
        FROM (VALUES (true), (false)) AS period(is_now) LEFT JOIN made USING (is_now)
        GROUP BY period.is_now ORDER BY period.is_now DESC
        """
    static let isReadOnly = true
    let store: ID
    let period: StatsPeriod

    func bind(into parameters: inout Parameters) { StatsSQL.bind(store, period, into: &parameters) }

    struct Row: Sendable {
        let created, delivered, cancelled, open, returned: Int64
        /// How many of those that were delivered were due, and in time; and how often something was brought in vain.
        let due, onTime, attempts: Int64
        let toAccept, atStore, toDeliver: Double?
    }

    static func decode(_ row: inout RowReader) throws -> Row {
        Row(
            created: try row.read(), delivered: try row.read(), cancelled: try row.read(), open: try row.read(),
            returned: try row.read(), due: try row.read(), onTime: try row.read(), attempts: try row.read(),
            toAccept: try row.read(), atStore: try row.read(), toDeliver: try row.read())
    }
}

/// The same by day; days without any are left out.
struct StatsDays: Statement {
    static let sql = """
        \(StatsSQL.deliveries)
        SELECT day::text, count(*), count(*) FILTER (WHERE status = 'delivered'),
            count(*) FILTER (WHERE status = 'cancelled'), count(*) FILTER (WHERE status IN \(DeliveryStatus.sql(\.isOpen))),
            \(StatsSQL.toAccept), \(StatsSQL.toDeliver)
        FROM made WHERE is_now GROUP BY day ORDER BY day
        """
    static let isReadOnly = true
    let store: ID
    let period: StatsPeriod

    func bind(into parameters: inout Parameters) { StatsSQL.bind(store, period, into: &parameters) }

    struct Row: Sendable {
        let day: String
        let created, delivered, cancelled, open: Int64
        let toAccept, toDeliver: Double?

        /// A day without any deliveries.
        static func empty(_ day: String) -> Row {
            Row(day: day, created: 0, delivered: 0, cancelled: 0, open: 0, toAccept: nil, toDeliver: nil)
        }
    }

    static func decode(_ row: inout RowReader) throws -> Row {
        Row(
            day: try row.read(), created: try row.read(), delivered: try row.read(), cancelled: try row.read(),
            open: try row.read(), toAccept: try row.read(), toDeliver: try row.read())
    }
}

/// The same by courier: who carried the deliveries, and how often each gave one back; the busiest first.
struct StatsCouriers: Statement {
    static let sql = """
        \(StatsSQL.deliveries),
        carried AS (
            SELECT courier_id, count(*) FILTER (WHERE status = 'delivered') AS delivered,
                count(*) FILTER (WHERE status IN \(DeliveryStatus.sql(\.isCarried))) AS in_progress, \(StatsSQL.toDeliver) AS to_deliver
            FROM made WHERE is_now AND courier_id IS NOT NULL GROUP BY courier_id),
        returned AS (SELECT courier_id, count(*) AS number FROM given_back WHERE is_now GROUP BY courier_id)
        SELECT k.id, k.first_name, k.last_name, coalesce(c.delivered, 0), coalesce(c.in_progress, 0), coalesce(r.number, 0),
            c.to_deliver
        FROM carried c FULL JOIN returned r USING (courier_id) JOIN couriers k ON k.id = courier_id
        ORDER BY 4 DESC, 5 DESC, k.id LIMIT 100
        """
    static let isReadOnly = true
    let store: ID
    let period: StatsPeriod

    func bind(into parameters: inout Parameters) { StatsSQL.bind(store, period, into: &parameters) }

    struct Row: Sendable {
        let id: ID
        let firstName, lastName: String
        let delivered, inProgress, returned: Int64
        let toDeliver: Double?
    }

    static func decode(_ row: inout RowReader) throws -> Row {
        Row(
            id: try row.read(), firstName: try row.read(), lastName: try row.read(), delivered: try row.read(),
            inProgress: try row.read(), returned: try row.read(), toDeliver: try row.read())
    }
}
