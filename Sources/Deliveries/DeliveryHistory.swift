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
    let askedAgain: [ID]
    let receivedBy: String?
    let collected: Money?
    let location: Location?
    let isPinRight: Bool?
    let pictures: [HungPicture]
    /// Whether some of its pictures are still on their way to the store of pictures. They are given all the same.
    let isPending: Bool

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
            .init("removed", .array(.id), optional: true), .init("asked_again", .array(.id), optional: true),
            // What a step at the recipient's showed, for the store and whoever took it.
            .init("received_by", .string(), optional: true), .init("cash_collected", Money.shape, optional: true),
            .init("at_location", Location.written, optional: true), .init("pin_matched", .boolean, optional: true),
            .init("photo_ids", .array(.id), optional: true), .init("signature_id", .id, optional: true),
            // Only while some of its pictures are on their way to where they are kept.
            .init("pending", .boolean, optional: true),
        ])

    /// Couriers learn nothing of each other or of other candidates, and read only the notes that they wrote. What was said at the door of
    /// a recipient who is forgotten, nobody learns.
    func write(_ json: inout JSONWriter, to account: ID, _ kind: AccountKind, isForgotten: Bool) {
        let isStore = kind == .store
        let isToldAll = isStore || actor == account
        json.field("seq", Int(seq))
        json.field("action", action)
        json.field("status", status.rawValue)
        json.object("actor") { json in
            json.field("kind", actorKind)
            guard isStore || actorKind == "store" || actor == account else { return }
            json.field("id", actor)
            if isToldAll { json.field("name", actorName) }
        }
        if let courier, isStore || courier == account { json.field("courier_id", courier) }
        json.field("at", at)
        json.field("reason", isToldAll ? reason : nil)
        json.field("note", isToldAll && !isForgotten ? note : nil)
        if isToldAll {
            if let receivedBy, !isForgotten { json.field("received_by", receivedBy) }
            if let collected { json.field("cash_collected", collected) }
            if let location, !isForgotten { json.field("at_location", location) }
            if let isPinRight { json.field("pin_matched", isPinRight) }
            let photos = pictures.filter { !$0.isSignature }
            if !photos.isEmpty { json.array("photo_ids", photos) { $0.item($1.id.description) } }
            if let signature = pictures.first(where: \.isSignature) { json.field("signature_id", signature.id) }
            if isPending { json.field("pending", true) }
        }
        guard isStore else { return }
        json.array("added", added) { $0.item($1.description) }
        json.array("removed", removed) { $0.item($1.description) }
        if !askedAgain.isEmpty { json.array("asked_again", askedAgain) { $0.item($1.description) } }
    }
}

/// A page of a delivery's steps, oldest first.
struct ListHistory: Statement {
    static let sql = """
        SELECT \(HistoryStep.columns(isPending: isPending))
        WHERE h.delivery_id = $1 AND h.seq > $2 ORDER BY h.seq LIMIT $3
        """
    static let isReadOnly = true
    private static let isPending = """
        $4 AND h.pictures IS NOT NULL AND EXISTS (
            SELECT FROM files f WHERE f.delivery_id = h.delivery_id AND f.seq = h.seq AND f.place <> 'there' OFFSET 0)
        """
    private let delivery: ID
    private let after: Int32
    private let limit: Int32
    /// Whether pictures are kept elsewhere than in the database.
    private let hasStore: Bool

    init(delivery: ID, page: Page, hasStore: Bool) throws {
        (self.delivery, self.hasStore) = (delivery, hasStore)
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
        parameters.add(hasStore)
    }

    static func decode(_ row: inout RowReader) throws -> HistoryStep { try HistoryStep(&row) }
}

extension HistoryStep {
    /// What ``init(_:)`` reads of steps `h`, and their tables. Who is erased has no name.
    static func columns(isPending: String = "false") -> String {
        """
        h.seq, h.action, h.status, h.actor_kind, h.actor_id,
            coalesce(s.name, trim(c.first_name || ' ' || c.last_name), '') AS actor_name, h.courier_id, h.at, h.reason, h.note,
            h.added, h.removed, coalesce(h.asked_again, '{}'), h.received_by, h.cash_amount, h.cash_currency, h.lat, h.lon,
            h.pin_matched, h.pictures, \(isPending) AS is_pending
        FROM delivery_history h LEFT JOIN stores s ON s.id = h.actor_id LEFT JOIN couriers c ON c.id = h.actor_id
        """
    }

    init(_ row: inout RowReader) throws {
        (seq, action) = (try row.read(), try row.read())
        (status, actorKind) = (try row.read(), try row.read())
        (actor, actorName) = (try row.read(), try row.read())
        (courier, at) = (try row.read(), try row.read())
        (reason, note) = (try row.read(), try row.read())
        (added, removed, askedAgain) = (try row.read(), try row.read(), try row.read())
        receivedBy = try row.read()
        let (amount, currency): (Int64?, String?) = (try row.read(), try row.read())
        collected = if let amount, let currency { try? Money(amount, currency) } else { nil }
        location = try Location.read(&row)
        isPinRight = try row.read()
        pictures = try HungPicture.list(try (row.read() as JSONB?).flatMap { JSON($0.utf8) })
        isPending = try row.read()
    }
}
