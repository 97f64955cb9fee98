import API
import Domain
import Postgres

/// Which day it is in a time zone.
struct FindDay: Statement {
    static let sql = "SELECT (now() AT TIME ZONE $1)::date::text"
    static let isReadOnly = true
    let zone: String

    func bind(into parameters: inout Parameters) { parameters.add(zone) }

    static func decode(_ row: inout RowReader) throws -> Day { try Day.read(&row) }
}

/// What a courier did in a period, by day and store, latest first. What it has delivered stands in its list by when that was; ways are
/// straight ones from where it is fetched, so much longer as streets are. Of recipients who are forgotten it is known by a kilometre where they were.
struct ReadOwnStats: Statement {
    static let sql = """
        WITH delivered AS MATERIALIZED (
            SELECT (d.delivered_at AT TIME ZONE $2)::date AS day, j.store_id, e.amount, e.currency, h.cash_amount, h.cash_currency,
                distance_m(coalesce(x.pickup_lat, s.lat), coalesce(x.pickup_lon, s.lon), d.recipient_lat, d.recipient_lon) AS meters
            FROM (
                SELECT delivery_id, store_id FROM jobs WHERE coalesce(courier_id) = $1 AND status = 'delivered'
                    AND place >= place_in_list('delivered', NULL, $3::text::date::timestamp AT TIME ZONE $2, NULL)
                    AND place < place_in_list('delivered', NULL, ($4::text::date + 1)::timestamp AT TIME ZONE $2, NULL)) j,
                LATERAL (SELECT * FROM deliveries WHERE id = j.delivery_id OFFSET 0) d
                CROSS JOIN LATERAL (SELECT lat, lon FROM stores WHERE id = j.store_id OFFSET 0) s
                LEFT JOIN LATERAL (SELECT * FROM delivery_extras WHERE delivery_id = j.delivery_id OFFSET 0) x ON true
                LEFT JOIN LATERAL (SELECT * FROM earnings WHERE delivery_id = j.delivery_id OFFSET 0) e ON true
                LEFT JOIN LATERAL (
                    SELECT cash_amount, cash_currency FROM delivery_history
                    WHERE delivery_id = j.delivery_id AND action = 'deliver' ORDER BY seq DESC LIMIT 1) h ON true),
        carried AS MATERIALIZED (
            SELECT day, store_id, count(*) AS carried, coalesce(sum(round(meters * \(StraightWay.detour))), 0)::bigint AS meters,
                count(*) FILTER (WHERE meters IS NULL) AS placeless
            FROM delivered GROUP BY 1, 2),
        earned AS MATERIALIZED (
            SELECT day, store_id, array_agg(amount ORDER BY currency) AS amounts, array_agg(currency ORDER BY currency) AS currencies
            FROM (
                SELECT day, store_id, currency, sum(amount)::bigint AS amount FROM delivered WHERE currency IS NOT NULL
                GROUP BY 1, 2, 3) sums
            GROUP BY 1, 2),
        collected AS MATERIALIZED (
            SELECT day, store_id, array_agg(amount ORDER BY cash_currency) AS cash, array_agg(cash_currency ORDER BY cash_currency) AS cash_in
            FROM (
                SELECT day, store_id, cash_currency, sum(cash_amount)::bigint AS amount FROM delivered WHERE cash_currency IS NOT NULL
                GROUP BY 1, 2, 3) sums
            GROUP BY 1, 2),
        returned AS MATERIALIZED (
            SELECT (at AT TIME ZONE $2)::date AS day, store_id, count(*) AS number FROM cancellations
            WHERE courier_id = $1 AND id >= first_uuid($3::text::date::timestamp AT TIME ZONE $2 - interval '1 day')
                AND (at AT TIME ZONE $2)::date BETWEEN $3::text::date AND $4::text::date
            GROUP BY 1, 2)
        SELECT day::text, store_id, s.name, coalesce(carried, 0), coalesce(number, 0), coalesce(meters, 0), coalesce(placeless, 0),
            coalesce(amounts, '{}'), coalesce(currencies, '{}'), coalesce(cash, '{}'), coalesce(cash_in, '{}')
        FROM carried LEFT JOIN earned USING (day, store_id) LEFT JOIN collected USING (day, store_id) FULL JOIN returned USING (day, store_id),
            LATERAL (SELECT name FROM stores WHERE id = store_id OFFSET 0) s
        ORDER BY day DESC, s.name, store_id
        """
    static let isReadOnly = true
    let courier: ID
    let zone: String
    let period: AreaRoom.Period

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(zone)
        parameters.add(period.first.description)
        parameters.add(period.last.description)
    }

    struct Row: Sendable {
        let day: String
        let store: ID
        let storeName: String
        let sums: OwnSums
    }

    static func decode(_ row: inout RowReader) throws -> Row {
        let (day, store, name): (String, ID, String) = (try row.read(), try row.read(), try row.read())
        var sums = OwnSums()
        (sums.carried, sums.givenBack) = (try row.read(), try row.read())
        (sums.meters, sums.placeless) = (try row.read(), try row.read())
        (sums.earnings, sums.cash) = (try money(&row), try money(&row))
        return Row(day: day, store: store, storeName: name, sums: sums)
    }

    /// Amounts by their currencies.
    private static func money(_ row: inout RowReader) throws -> [String: Int64] {
        let (amounts, currencies): ([Int64], [String]) = (try row.read(), try row.read())
        return Dictionary(uniqueKeysWithValues: zip(currencies, amounts))
    }
}
