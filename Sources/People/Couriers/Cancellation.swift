import API
import Domain
import HTTP
import Outbox
import Postgres

/// A delivery that a courier gave back. Only the courier and that store learn which it was, and what was said of it.
struct Cancellation: Sendable {
    let id: ID
    let at: Timestamp
    let reason: ReturnReason
    let note: String?
    let state: State
    let contest: (at: Timestamp, note: String?)?
    let delivery: (id: ID, reference: String?)
    let store: (id: ID, name: String)
    let courier: (id: ID, name: String)

    /// Whether it counts against the courier.
    enum State: String, CaseIterable, Sendable {
        case counted
        /// The courier has said why it should not; it counts until the store agrees.
        case contested
        case excused
    }

    static let shape = Shape.object(
        "Cancellation",
        [
            .init("id", .id), .init("at", .time),
            .init("reason", .oneOf(ReturnReason.allCases.map(\.rawValue), named: "ReturnReason")),
            .init("state", .oneOf(State.allCases.map(\.rawValue), named: "CancellationState")),
            .init("note", Shape.string().orNull, optional: true),
            .init(
                "contest", Shape.object([.init("at", .time), .init("note", Shape.string().orNull)]).orNull,
                optional: true),
            .init("delivery_id", .id, optional: true),
            .init("store", .object([.init("id", .id), .init("name", .string())]), optional: true),
        ])

    func write(_ json: inout JSONWriter, for account: ID) {
        json.field("id", id)
        json.field("at", at)
        json.field("reason", reason.rawValue)
        json.field("state", state.rawValue)
        guard account == store.id || account == courier.id else { return }
        json.field("note", note)
        if let contest {
            json.object("contest") { json in
                json.field("at", contest.at)
                json.field("note", contest.note)
            }
        } else {
            json.field("contest", String?.none)
        }
        json.field("delivery_id", delivery.id)
        json.object("store") { json in
            json.field("id", store.id)
            json.field("name", store.name)
        }
    }

    /// What the other side is told of it.
    func message(_ kind: NotificationKind) -> Message {
        var arguments = ["store": store.name, "courier": courier.name]
        arguments["reference"] = delivery.reference
        return Message(
            kind, arguments,
            data: [
                "cancellation_id": .string(id.description), "delivery_id": .string(delivery.id.description),
                "store_id": .string(store.id.description), "store_name": .string(store.name),
                "courier_id": .string(courier.id.description), "courier_name": .string(courier.name),
            ])
    }
}

extension Cancellation {
    /// The columns and tables of a cancellation `c`.
    fileprivate static let sql = """
        SELECT c.id, c.at, c.reason, c.note, r.contested_at, r.note, r.excused_at IS NOT NULL, c.delivery_id, d.reference,
            s.id, s.name, k.id, k.first_name || ' ' || k.last_name
        FROM cancellations c JOIN stores s ON s.id = c.store_id JOIN couriers k ON k.id = c.courier_id
            LEFT JOIN cancellation_reviews r ON r.cancellation_id = c.id LEFT JOIN deliveries d ON d.id = c.delivery_id
        """

    fileprivate init(_ row: inout RowReader) throws {
        (id, at) = (try row.read(), try row.read())
        let (reason, note): (String?, String?) = (try row.read(), try row.read())
        // Those of before have a text in the reason's place.
        (self.reason, self.note) = ReturnReason.read(reason, note: note)
        let (contestedAt, contestNote): (Timestamp?, String?) = (try row.read(), try row.read())
        contest = contestedAt.map { ($0, contestNote) }
        state = try row.read() ? .excused : contestedAt == nil ? .counted : .contested
        delivery = (try row.read(), try row.read())
        store = (try row.read(), try row.read())
        courier = (try row.read(), try row.read())
    }
}

/// A page of a courier's cancellations, newest first.
struct ListCancellations: Statement {
    static let sql = """
        \(Cancellation.sql)
        WHERE c.courier_id = $1 AND c.id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY c.id DESC LIMIT $3
        """
    static let isReadOnly = true
    private let courier: ID
    private let after: ID?
    private let limit: Int32

    init(courier: ID, page: Page) throws {
        self.courier = courier
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> Cancellation { try Cancellation(&row) }
}

/// A cancellation that concerns an account.
struct FindCancellation: Statement {
    static let sql = "\(Cancellation.sql) WHERE c.id = $1 AND $2 IN (c.courier_id, c.store_id)"
    static let isReadOnly = true
    let id: ID
    let account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> Cancellation { try Cancellation(&row) }
}

/// Whether there is such a courier.
struct CourierExists: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM couriers WHERE id = $1)"
    static let isReadOnly = true
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
