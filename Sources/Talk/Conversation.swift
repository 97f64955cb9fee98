import API
import Domain
import HTTP
import Postgres

/// A conversation as one of its two sides has it.
struct Conversation: Sendable {
    let id: ID
    private let side: AccountKind
    private let other: (id: ID, name: String, picture: ID?)
    private let standing: ConversationStanding
    private let unread, readByOther: Int32
    private let createdAt: Timestamp
    /// Where it stands in the list.
    let latestAt: Timestamp
    private let last: SaidMessage?

    var rights: ConversationRights { standing.rights(of: side) }

    static let shape = Shape.object(
        "Conversation",
        [
            .init("id", .id),
            .init(
                "with",
                .object([
                    .init("id", .id), .init("kind", .oneOf(AccountKind.allCases.map(\.rawValue))),
                    .init("name", .string()), .init("picture", Shape.id.orNull),
                ])),
            .init("last_message", SaidMessage.shape.orNull), .init("unread", .count), .init("read_up_to", .count),
            .init("hidden", .boolean), .init("muted", .boolean), .init("blocked", .boolean),
            .init("can_write", .boolean), .init("created_at", .time),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.object("with") { json in
            json.field("id", other.id)
            json.field("kind", (side == .store ? AccountKind.courier : .store).rawValue)
            json.field("name", other.name)
            json.field("picture", other.picture)
        }
        if let last { json.object("last_message", last.write) } else { json.field("last_message", String?.none) }
        json.field("unread", Int(unread))
        json.field("read_up_to", Int(readByOther))
        let (states, rights) = (standing.states(of: side), rights)
        json.field("hidden", !rights.isListed)
        json.field("muted", states.contains(.muted))
        json.field("blocked", states.contains(.blocked))
        json.field("can_write", rights.writes)
        json.field("created_at", createdAt)
    }

    func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: status)
    }

    /// What is read of a conversation `c` for the account `$1`.
    static let columns = """
        c.id, c.store_id = $1, CASE WHEN c.store_id = $1 THEN c.courier_id ELSE c.store_id END,
        CASE WHEN c.store_id = $1 THEN trim(k.first_name || ' ' || k.last_name) ELSE s.name END,
        CASE WHEN c.is_open THEN a.picture END, \(ConversationStanding.columns),
        CASE WHEN c.store_id = $1 THEN c.store_unread ELSE c.courier_unread END,
        CASE WHEN c.store_id = $1 THEN c.courier_read ELSE c.store_read END, c.created_at, c.latest_at, \(SaidMessage.columns)
        """

    /// What belongs to a conversation `c`: who is in it, and its last message, if that is kept.
    static let tables = """
        JOIN stores s ON s.id = c.store_id JOIN couriers k ON k.id = c.courier_id
        JOIN accounts a ON a.id = CASE WHEN c.store_id = $1 THEN c.courier_id ELSE c.store_id END
        LEFT JOIN LATERAL (
            SELECT * FROM conversation_messages m
            WHERE m.conversation_id = c.id AND m.at = c.latest_at AND m.seq = c.last_seq OFFSET 0) m ON true
        """

    init(_ row: inout RowReader) throws {
        id = try row.read()
        side = try row.read() ? .store : .courier
        other = (try row.read(), try row.read(), try row.read())
        standing = try ConversationStanding(&row)
        (unread, readByOther) = (try row.read(), try row.read())
        (createdAt, latestAt) = (try row.read(), try row.read())
        last = try SaidMessage.read(&row)
    }
}
