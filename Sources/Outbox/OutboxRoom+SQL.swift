import API
import Domain
import HTTP
import Postgres

/// A message as a gateway gets it.
struct ClaimedMessage: Sendable {
    let id: ID
    let lease: ID
    let texts: MessageTexts
    let attempt: Int32
    let createdAt: Timestamp

    static let list = Shape.object("Claim", [.init("messages", .array(shape, most: 500))])
    private static let shape = Shape.object(
        "ClaimedMessage",
        [.init("id", .id), .init("lease", .id)] + MessageTexts.members + [
            .init("attempt", .integer(1...Int(Int32.max))), .init("created_at", .time),
        ])

    static func response(_ messages: [ClaimedMessage]) -> Response {
        var json = JSONWriter(capacity: 512 * (messages.count + 1))
        json.object { json in
            json.array("messages", messages) { json, message in json.object(message.write) }
        }
        return .json(json.bytes)
    }

    private func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("lease", lease)
        texts.write(&json)
        json.field("attempt", Int(attempt))
        json.field("created_at", createdAt)
    }
}

/// The texts of a message, and its address.
struct MessageTexts: Sendable {
    let kind, channel, address: String
    let platform: String?
    let language, title, body: String
    let data: JSONB

    static let members: [Shape.Member] = [
        .init("kind", .oneOf(NotificationKind.allCases.map(\.rawValue), named: "MessageKind")),
        .init("channel", .oneOf(GatewayKey.allChannels, named: "Channel")), .init("address", .string()),
        .init("platform", Shape.string().orNull), .init("language", .string()), .init("title", .string()),
        .init("body", .string()), .init("data", .anyObject),
    ]

    init(_ row: inout RowReader) throws {
        (kind, channel, address) = (try row.read(), try row.read(), try row.read())
        platform = try row.read()
        (language, title, body) = (try row.read(), try row.read(), try row.read())
        data = try row.read()
    }

    func write(_ json: inout JSONWriter) {
        json.field("kind", kind)
        json.field("channel", channel)
        json.field("address", address)
        json.field("platform", platform)
        json.field("language", language)
        json.field("title", title)
        json.field("body", body)
        json.raw("data", data.utf8)
    }
}

/// Takes messages under a lease; takes none for a key that ended while it waited.
struct ClaimMessages: Statement {
    static let sql = """
        WITH taken AS MATERIALIZED (SELECT * FROM outbox_claim($1, $2, $3)),
        allowed AS MATERIALIZED (SELECT key_is_good($4) FROM (SELECT FROM taken LIMIT 1) one)
        SELECT id, lease, kind, channel, address, platform, language, title, body, data, attempt, created_at
        FROM allowed, taken
        """
    let key: ID
    let channel: String
    let most: Int32
    let seconds: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(channel)
        parameters.add(most)
        parameters.add(seconds)
        parameters.add(key)
    }

    static func decode(_ row: inout RowReader) throws -> ClaimedMessage {
        let (id, lease): (ID, ID) = (try row.read(), try row.read())
        return ClaimedMessage(
            id: id, lease: lease, texts: try MessageTexts(&row), attempt: try row.read(), createdAt: try row.read())
    }
}

/// What became of a message that a gateway reported on.
struct ReportedOutcome: Sendable {
    let id: ID
    let result: String

    static let list = Shape.object(
        "Outcomes",
        [
            .init(
                "results",
                .array(
                    .object(
                        "Outcome",
                        [
                            .init("id", .id),
                            .init(
                                "result", .oneOf(["done", "retry", "dead", "extended", "lost"], named: "OutcomeResult")),
                        ]), most: 500))
        ])

    init(_ row: inout RowReader) throws {
        id = try row.read()
        result = try row.read()
    }

    static func response(_ outcomes: [ReportedOutcome]) -> Response {
        var json = JSONWriter(capacity: 80 * (outcomes.count + 1))
        json.object { json in
            json.array("results", outcomes) { json, outcome in
                json.object { json in
                    json.field("id", outcome.id)
                    json.field("result", outcome.result)
                }
            }
        }
        return .json(json.bytes)
    }
}

/// Reports that messages have arrived.
struct AckMessages: Statement {
    static let sql = "SELECT id, result FROM outbox_ack($1, $2, $3)"
    let messages: [HeldMessage]
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(messages.map(\.id))
        parameters.add(messages.map(\.lease))
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> ReportedOutcome { try ReportedOutcome(&row) }
}

/// Reports that messages have not arrived.
struct NackMessages: Statement {
    static let sql = "SELECT id, result FROM outbox_nack($1, $2)"
    let messages: [FailedMessage]
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(JSONB(utf8: JSON.array(messages.map(\.json)).bytes))
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> ReportedOutcome { try ReportedOutcome(&row) }
}

/// Prolongs the leases of messages.
struct ExtendMessages: Statement {
    static let sql = "SELECT id, result FROM outbox_extend($1, $2, $3, $4)"
    let messages: [HeldMessage]
    let seconds: Int32
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(messages.map(\.id))
        parameters.add(messages.map(\.lease))
        parameters.add(seconds)
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> ReportedOutcome { try ReportedOutcome(&row) }
}

/// The state of a channel.
struct ChannelStats: Sendable {
    let channel: String
    let waiting, leased, dead, delivered: Int64
    /// The age of the oldest message that waits.
    let age: Double?

    static let list = Shape.object(
        "OutboxStats",
        [
            .init(
                "channels",
                .array(
                    .object(
                        "ChannelStats",
                        [.init("channel", .oneOf(GatewayKey.allChannels, named: "Channel"))]
                            + ["waiting", "leased", "dead", "delivered_last_hour"].map { .init($0, .count) }
                            + [.init("oldest_age_seconds", Shape.number.orNull)])))
        ])

    static func response(_ stats: [ChannelStats]) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.array("channels", stats) { json, stats in
                json.object { json in
                    json.field("channel", stats.channel)
                    json.field("waiting", Int(stats.waiting))
                    json.field("leased", Int(stats.leased))
                    json.field("dead", Int(stats.dead))
                    json.field("oldest_age_seconds", stats.age)
                    json.field("delivered_last_hour", Int(stats.delivered))
                }
            }
        }
        return .json(json.bytes)
    }
}

/// Reads the state of channels.
struct ReadOutboxStats: Statement {
    static let sql = """
        SELECT c.channel,
            (SELECT count(*) FROM message_queue q WHERE q.channel = ANY (c.lanes) AND lease IS NULL),
            (SELECT count(*) FROM message_queue q WHERE q.channel = ANY (c.lanes) AND lease IS NOT NULL),
            (SELECT count(*) FROM messages_dead d WHERE d.channel = ANY (c.lanes)),
            (SELECT coalesce(sum(count), 0)::bigint FROM message_counts n
                WHERE n.channel = ANY (c.lanes) AND what = 'delivered' AND minute > now() - interval '1 hour'),
            (SELECT extract(epoch FROM clock_timestamp() - min(created_at))::float8 FROM message_queue q
                WHERE q.channel = ANY (c.lanes) AND lease IS NULL)
        FROM (
            SELECT channel, lanes_of(ARRAY[channel])::message_channel[] AS lanes FROM unnest($1::text[]) AS channel) c
        """
    static let isReadOnly = true
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> ChannelStats {
        ChannelStats(
            channel: try row.read(), waiting: try row.read(), leased: try row.read(), dead: try row.read(),
            delivered: try row.read(), age: try row.read())
    }
}

/// A message that was given up.
struct DeadMessage: Sendable {
    let id: ID
    let texts: MessageTexts
    let attempt: Int32
    let createdAt, diedAt: Timestamp
    let reason: String

    static let shape = Shape.object(
        "DeadMessage",
        [.init("id", .id)] + MessageTexts.members + [
            .init("attempt", .count), .init("created_at", .time), .init("died_at", .time), .init("reason", .string()),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        texts.write(&json)
        json.field("attempt", Int(attempt))
        json.field("created_at", createdAt)
        json.field("died_at", diedAt)
        json.field("reason", reason)
    }
}

/// A page of the messages that were given up, newest first.
struct ListDead: Statement {
    static let sql = """
        SELECT m.id, m.kind, m.channel::text, m.address, m.platform, m.language, m.title, m.body, m.data, d.attempt,
            m.created_at, d.died_at, d.reason
        FROM messages_dead d JOIN messages m ON m.id = d.id AND m.created_at = d.created_at
        WHERE d.channel::text = ANY (lanes_of($1)) AND (d.died_at, d.id) < (
            coalesce($2::timestamptz, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
        ORDER BY d.died_at DESC, d.id DESC LIMIT $4
        """
    static let isReadOnly = true
    private let channels: [String]
    private let after: (diedAt: String, id: ID)?
    private let limit: Int32

    init(channels: [String], page: Page) throws {
        self.channels = channels
        limit = page.fetched
        after = try page.after.map { key in
            let time = /[0-9-]{10}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z/
            guard key.count == 2, key[0].wholeMatch(of: time) != nil, Day(String(key[0].prefix(10))) != nil,
                let id = ID(key[1])
            else {
                throw Page.wrongCursor
            }
            return (key[0], id)
        }
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(channels)
        parameters.add(after?.diedAt)
        parameters.add(after?.id)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> DeadMessage {
        let id: ID = try row.read()
        return DeadMessage(
            id: id, texts: try MessageTexts(&row), attempt: try row.read(), createdAt: try row.read(),
            diedAt: try row.read(), reason: try row.read())
    }
}

/// Puts a message that was given up back at the end of its queue, unless what it says is no longer true or its number wants
/// none, and says whether it did. There is no row if there is no such message.
struct RetryDead: Statement {
    static let sql = "SELECT is_raised FROM retry_message($1, $2) AS is_raised WHERE is_raised IS NOT NULL"
    let id: ID
    let channels: [String]

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(channels)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Makes partitions for the messages of the coming weeks, and drops weeks that nobody needs any more.
package struct RenewMessagePartitions: Statement {
    package static let sql = "SELECT message_partitions($1)"
    let days: Int32

    package init(days: Int32) {
        self.days = days
    }

    package func bind(into parameters: inout Parameters) {
        parameters.add(days)
    }
}

/// Gives up some messages that have expired or waited for longer than messages are kept, and says how many.
package struct BuryOutdated: Statement {
    package static let sql = "SELECT bury_outdated($1)"
    let days: Int32

    package init(days: Int32) {
        self.days = days
    }

    package func bind(into parameters: inout Parameters) {
        parameters.add(days)
    }

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}

/// Adds up old counts by the minute, which nobody asks for any more, so that the totals keep them.
package struct FoldMessageCounts: Statement {
    package init() {}

    package static let sql = """
        WITH old AS (
            DELETE FROM message_counts WHERE minute < now() - interval '2 hours' AND minute > '-infinity' RETURNING *)
        INSERT INTO message_counts AS c (channel, what, minute, slot, count)
            SELECT channel, what, '-infinity', 0, sum(count) FROM old GROUP BY channel, what ORDER BY channel, what
            ON CONFLICT (channel, what, minute, slot) DO UPDATE SET count = c.count + EXCLUDED.count
        """
}

/// Takes codes that are void out of some messages that were given up, and says of how many.
package struct ForgetVoidCodes: Statement {
    package init() {}

    package static let sql = "SELECT forget_void_codes()"

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
