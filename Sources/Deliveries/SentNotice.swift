import API
import Domain
import HTTP
import Postgres

/// A message about a delivery: who was told what, by which channel, and how that stands.
struct SentNotice: Sendable {
    let id: ID
    let kind, channel: String
    let to: (kind: String, name: String)
    let state: String
    let attempts: Int32
    let at: Timestamp
    let reason: String?

    static let shape = Shape.object(
        "Notice",
        [
            .init("kind", .oneOf(NotificationKind.allCases.map(\.rawValue), named: "MessageKind")),
            .init(
                "to",
                .object(
                    "NoticeRecipient",
                    [
                        .init("kind", .oneOf(["store", "courier", "recipient"], named: "NoticeRecipientKind")),
                        .init("name", .string()),
                    ])),
            .init("channel", .oneOf(GatewayKey.allChannels, named: "Channel")),
            .init(
                "state",
                .oneOf(["waiting", "with_gateway", "arrived", "withdrawn", "given_up"], named: "NoticeState")),
            .init("attempts", .count), .init("at", .time), .init("reason", .string(), optional: true),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("kind", kind)
        json.object("to") { json in
            json.field("kind", to.kind)
            json.field("name", to.name)
        }
        json.field("channel", channel)
        json.field("state", state)
        json.field("attempts", Int(attempts))
        json.field("at", at)
        if let reason { json.field("reason", reason) }
    }
}

/// A page of the messages about a delivery, latest first. One that another mail carries stands as that does.
struct ListNotices: Statement {
    static let sql = """
        SELECT m.id, m.kind, m.channel::text, coalesce(a.kind::text, 'recipient'),
            coalesce(s.name, c.first_name || ' ' || c.last_name, (
                SELECT recipient_first_name FROM deliveries WHERE id = $1 AND a.id IS NULL OFFSET 0), ''),
            CASE WHEN d.id IS NOT NULL THEN 'arrived' WHEN x.id IS NOT NULL THEN 'given_up' WHEN q.id IS NULL THEN 'withdrawn'
                WHEN q.lease IS NOT NULL AND q.ready_at > now() THEN 'with_gateway' ELSE 'waiting' END,
            coalesce(d.attempt, x.attempt, q.attempt, 0), coalesce(d.done_at, x.died_at, m.created_at), x.reason
        FROM (
            SELECT id, created_at, kind, channel, account_id, coalesce(carried_by, id) AS sent_as FROM messages
            WHERE subject = $1 AND (account_id IS NOT NULL OR kind = 'recipient_tracking') AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY id DESC LIMIT $3) m
            LEFT JOIN accounts a ON a.id = m.account_id LEFT JOIN stores s ON s.id = a.id LEFT JOIN couriers c ON c.id = a.id
            LEFT JOIN LATERAL (SELECT * FROM message_queue q WHERE q.id = m.sent_as OFFSET 0) q ON true
            LEFT JOIN LATERAL (SELECT * FROM messages_done d WHERE d.id = m.sent_as OFFSET 0) d ON true
            LEFT JOIN LATERAL (SELECT * FROM messages_dead x WHERE x.id = m.sent_as OFFSET 0) x ON true
        ORDER BY m.id DESC
        """
    static let isReadOnly = true
    private let delivery: ID
    private let after: ID?
    private let limit: Int32

    init(delivery: ID, page: Page) throws {
        self.delivery = delivery
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> SentNotice {
        let (id, kind, channel): (ID, String, String) = (try row.read(), try row.read(), try row.read())
        return SentNotice(
            id: id, kind: kind, channel: channel, to: (try row.read(), try row.read()), state: try row.read(),
            attempts: try row.read(), at: try row.read(), reason: try row.read())
    }
}
