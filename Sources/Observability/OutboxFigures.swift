import Postgres

/// The state of a channel of the outbox, for alarms.
struct OutboxFigures: Sendable {
    let channel: String
    let waiting, leased, dead: Int64
    /// The age of the oldest message that waits.
    let age: Double
    /// How long the message has waited that a gateway could have taken first. One that is tried later, or waits for another to
    /// the same address, waits for no gateway.
    let ready: Double
    let delivered, died, redelivered, leasesLost: Int64

    /// Writes the figures of all channels.
    static func write(_ channels: [OutboxFigures], _ text: inout MetricsText) {
        func metric(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (OutboxFigures) -> Double) {
            text.metric(name, kind, help)
            for channel in channels { text.sample(name, [("channel", channel.channel)], value(channel)) }
        }
        metric("kurir_outbox_waiting", .gauge, "Messages that wait for a gateway.") { Double($0.waiting) }
        metric("kurir_outbox_oldest_age_seconds", .gauge, "Age of the oldest of them.") { $0.age }
        metric("kurir_outbox_ready_seconds", .gauge, "How long a gateway could have taken one of them.") { $0.ready }
        metric("kurir_outbox_leased", .gauge, "Messages that gateways have.") { Double($0.leased) }
        metric("kurir_outbox_dead", .gauge, "Messages that were given up and are kept.") { Double($0.dead) }
        metric("kurir_outbox_delivered_total", .counter, "Messages that have arrived.") { Double($0.delivered) }
        metric("kurir_outbox_given_up_total", .counter, "Messages that were given up.") { Double($0.died) }
        metric("kurir_outbox_redelivered_total", .counter, "Messages that were given out once more.") {
            Double($0.redelivered)
        }
        metric("kurir_outbox_leases_lost_total", .counter, "Leases that ran out before the gateway said anything.") {
            Double($0.leasesLost)
        }
    }
}

/// The state of all channels, which is the same on every node.
struct ReadOutboxFigures: Statement {
    static let sql = """
        SELECT c.channel::text, coalesce(q.waiting, 0), coalesce(q.leased, 0),
            (SELECT count(*) FROM messages_dead d WHERE d.channel = c.channel), coalesce(q.age, 0),
            coalesce(first.ready, 0), n.delivered, n.dead, n.redelivered, n.lease_lost
        FROM unnest(enum_range(NULL::message_channel)) AS c(channel)
        LEFT JOIN (
            SELECT channel, count(*) FILTER (WHERE lease IS NULL) AS waiting,
                count(*) FILTER (WHERE lease IS NOT NULL) AS leased,
                extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE lease IS NULL))::float8 AS age
            FROM message_queue GROUP BY channel) q USING (channel)
        LEFT JOIN LATERAL (
            SELECT extract(epoch FROM clock_timestamp() - ready_at)::float8 AS ready FROM message_queue m
            WHERE m.channel = c.channel AND ready_at <= clock_timestamp() AND NOT EXISTS (
                SELECT FROM message_queue other WHERE other.way = m.way AND other.id <> m.id
                    AND (other.lease IS NOT NULL OR (m.lease IS NULL AND other.seq < m.seq)))
            ORDER BY ready_at LIMIT 1) first ON true
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(count) FILTER (WHERE what = 'delivered'), 0)::bigint AS delivered,
                coalesce(sum(count) FILTER (WHERE what = 'dead'), 0)::bigint AS dead,
                coalesce(sum(count) FILTER (WHERE what = 'redelivered'), 0)::bigint AS redelivered,
                coalesce(sum(count) FILTER (WHERE what = 'lease_lost'), 0)::bigint AS lease_lost
            FROM message_counts WHERE channel = c.channel) n
        ORDER BY c.channel
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> OutboxFigures {
        OutboxFigures(
            channel: try row.read(), waiting: try row.read(), leased: try row.read(), dead: try row.read(),
            age: try row.read(), ready: try row.read(), delivered: try row.read(), died: try row.read(),
            redelivered: try row.read(),
            leasesLost: try row.read())
    }
}
