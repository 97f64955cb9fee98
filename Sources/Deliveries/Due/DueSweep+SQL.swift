import Domain
import Feed
import HTTP
import Outbox
import People
import Postgres

/// Whether anything is due: a look at the beginning of four indexes.
struct IsAnythingDue: Statement {
    static let sql = """
        SELECT EXISTS (SELECT FROM deliveries WHERE \(TakeUnaccepted.isDue))
            OR EXISTS (SELECT FROM deliveries WHERE \(TakeLate.isDue))
            OR EXISTS (SELECT FROM offer_texts WHERE due_at <= now())
            OR EXISTS (SELECT FROM delivery_extras WHERE turn_at <= now())
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// A node that freezes in the middle of its sweep keeps others from telling for no longer than this.
struct BeBrief: Statement {
    static let sql = "SELECT set_config('idle_in_transaction_session_timeout', '3000', true)"

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// What both kinds of overdue deliveries have in common. Rows that somebody holds are taken the next time.
private enum OverdueSQL {
    static func taking(_ column: String, _ condition: String) -> String {
        """
        WITH due AS MATERIALIZED (
            SELECT id FROM deliveries WHERE \(condition) ORDER BY \(column) LIMIT 200 FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE deliveries d SET \(column) = NULL FROM due, LATERAL (SELECT name FROM stores s WHERE s.id = (
            SELECT store_id FROM deliveries o WHERE o.id = due.id) OFFSET 0) s
        WHERE d.id = due.id
        RETURNING d.id, d.version, d.store_id, s.name, d.courier_id, d.recipient_address, d.description, d.reference,
            NOT d.candidates <@ (d.declined || d.forfeited)
        """
    }

    static func decode(_ row: inout RowReader) throws -> Overdue {
        Overdue(
            id: try row.read(), version: try row.read(), store: (try row.read(), try row.read()),
            courier: try row.read(),
            address: try row.read(), description: try row.read(), reference: try row.read(), isOffered: try row.read())
    }
}

/// Takes some deliveries that nobody has accepted for long enough.
struct TakeUnaccepted: Statement {
    static let isDue = "status = 'pending' AND alert_at <= now()"
    static let sql = OverdueSQL.taking("alert_at", isDue)

    static func decode(_ row: inout RowReader) throws -> Overdue { try OverdueSQL.decode(&row) }
}

/// Takes some deliveries that should have arrived.
struct TakeLate: Statement {
    static let isDue = "status IN \(DeliveryStatus.sql(\.isOpen)) AND late_at <= now()"
    static let sql = OverdueSQL.taking("late_at", isDue)

    static func decode(_ row: inout RowReader) throws -> Overdue { try OverdueSQL.decode(&row) }
}

/// Takes some couriers to whom an SMS about offers is due, with how many wait.
struct TakeOfferTexts: Statement {
    static let sql = """
        WITH due AS MATERIALIZED (
            SELECT courier_id FROM offer_texts WHERE due_at <= now() ORDER BY due_at LIMIT 200 FOR UPDATE SKIP LOCKED),
        told AS MATERIALIZED (
            SELECT due.courier_id, waiting.count, waiting.count > 0 AND lane_is_live('sms') AND EXISTS (
                    SELECT FROM couriers k JOIN accounts a ON a.id = k.id
                    WHERE k.id = due.courier_id AND k.phone_verified AND duty_now(k.on_duty, k.duty_until)
                        AND a.notifications_enabled
                        AND NOT EXISTS (SELECT FROM devices d WHERE d.account_id = k.id)) AS may_be_sent
            FROM due, LATERAL (
                SELECT count(*) FROM (
                    SELECT FROM jobs j WHERE j.courier_id = due.courier_id AND j.status = 'pending' AND j.until IS NULL
                        -- What a blocked store offers is hidden.
                        AND EXISTS (
                            SELECT FROM partners p
                            WHERE p.store_id = j.store_id AND p.courier_id = j.courier_id AND NOT p.store_off)
                    LIMIT 1000) j) waiting)
        UPDATE offer_texts t SET due_at = NULL, sent_at = CASE WHEN told.may_be_sent THEN now() ELSE t.sent_at END
        FROM told WHERE t.courier_id = told.courier_id
        RETURNING t.courier_id, t.store_id, told.count, told.may_be_sent
        """

    static func decode(_ row: inout RowReader) throws -> DueOfferText {
        DueOfferText(
            courier: try row.read(), store: try row.read(), count: try row.read(), mayBeSent: try row.read())
    }
}

/// Writes the events and messages of what was taken.
struct TellOverdue: Statement {
    static let sql = """
        WITH published AS (
            \(Publish.ofDeliveries("""
                SELECT readers::uuid[], array_fill(type, ARRAY[cardinality(readers::uuid[])]), id, version, clock_timestamp()
                FROM unnest($1::uuid[], $2::text[], $3::text[], $4::integer[]) AS d(id, readers, type, version)
                """)))
        \(Tell.sql("SELECT $5::jsonb AS notices"))
        """
    let events: [Overdue.Event]
    let notices: [JSON]

    func bind(into parameters: inout Parameters) {
        parameters.add(events.map(\.overdue.id))
        parameters.add(events.map { "{" + $0.readers.map(\.description).joined(separator: ",") + "}" })
        parameters.add(events.map(\.type.rawValue))
        parameters.add(events.map(\.overdue.version))
        parameters.add(JSONB(utf8: JSON.array(notices).bytes))
    }
}
