import API
import Domain
import HTTP
import Postgres

/// A step of a delivery's history.
struct HistoryStep: Sendable {
    let seq: Int32
    let action: String
    let status: DeliveryStatus
    let actorKind: String
    let actor: ID
    let actorName: String
    let courier: ID?
    let at: Timestamp
    let reason: String?
    let note: String?
    let added: [ID]
    let removed: [ID]

    static let shape = Shape.object(
        "HistoryStep",
        [
            .init("seq", .integer(1...Int(Int32.max))),
            .init("action", .oneOf(Lifecycle.Action.allCases.map(\.rawValue), named: "HistoryAction")),
            .init("status", StoredDelivery.statusShape),
            .init(
                "actor",
                .object(
                    "HistoryActor",
                    [
                        .init("kind", .oneOf(["store", "courier"], named: "AccountKind")),
                        .init("id", .id, optional: true), .init("name", .string(), optional: true),
                    ])),
            .init("courier_id", .id, optional: true), .init("at", .time), .init("reason", Shape.string().orNull),
            .init("note", Shape.string().orNull), .init("added", .array(.id), optional: true),
            .init("removed", .array(.id), optional: true),
        ])

    /// Couriers learn nothing of each other or of other candidates, and read only the notes that they wrote.
    func write(_ json: inout JSONWriter, for caller: Caller) {
        let isStore = caller.kind == .store
        let isToldAll = isStore || actor == caller.account
        json.field("seq", Int(seq))
        json.field("action", action)
        json.field("status", status.rawValue)
        json.object("actor") { json in
            json.field("kind", actorKind)
            guard isStore || actorKind == "store" || actor == caller.account else { return }
            json.field("id", actor)
            if isToldAll { json.field("name", actorName) }
        }
        if let courier, isStore || courier == caller.account { json.field("courier_id", courier) }
        json.field("at", at)
        json.field("reason", isToldAll ? reason : nil)
        json.field("note", isToldAll ? note : nil)
        guard isStore else { return }
        json.array("added", added) { $0.item($1.description) }
        json.array("removed", removed) { $0.item($1.description) }
    }
}

/// A page of a delivery's steps, oldest first.
struct ListHistory: Statement {
    static let sql = """
        SELECT h.seq, h.action, h.status, h.actor_kind, h.actor_id,
            coalesce(s.name, c.first_name || ' ' || c.last_name, ''), h.courier_id, h.at, h.reason, h.note, h.added,
            h.removed
        FROM delivery_history h LEFT JOIN stores s ON s.id = h.actor_id LEFT JOIN couriers c ON c.id = h.actor_id
        WHERE h.delivery_id = $1 AND h.seq > $2 ORDER BY h.seq LIMIT $3
        """
    static let isReadOnly = true
    private let delivery: ID
    private let after: Int32
    private let limit: Int32

    init(delivery: ID, page: Page) throws {
        self.delivery = delivery
        limit = page.fetched
        after =
            try page.after.map { key in
                guard key.count == 1, let seq = Int32(key[0]) else { throw Page.wrongCursor }
                return seq
            } ?? 0
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> HistoryStep {
        let (seq, action): (Int32, String) = (try row.read(), try row.read())
        let (status, kind): (DeliveryStatus, String) = (try row.read(), try row.read())
        let (actor, name): (ID, String) = (try row.read(), try row.read())
        return HistoryStep(
            seq: seq, action: action, status: status, actorKind: kind, actor: actor, actorName: name,
            courier: try row.read(), at: try row.read(), reason: try row.read(), note: try row.read(),
            added: try row.read(), removed: try row.read())
    }
}
