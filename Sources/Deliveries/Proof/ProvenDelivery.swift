import API
import Domain
import HTTP
import People
import Postgres

extension StoredDelivery {
    /// What is signed of the change that made it what it is now; nil if that did not hand it over.
    ///
    /// The change is committed only if the delivery has made no other step since these were read, and a step is never
    /// rewritten. So what is signed is the whole history, whatever happens meanwhile.
    func bundle(of change: Change) -> ProofBundle? {
        guard let steps, let courier else { return nil }
        return ProofBundle(change, at: times.updated, after: steps, of: store.name, by: courier.name)
    }
}

extension ProofBundle {
    /// What is signed of a change that happens then, after those steps; nil if it hands nothing over.
    package init?(_ change: Change, at: Timestamp, after steps: [Step], of storeName: String, by courierName: String) {
        let (delivery, content) = (change.after, change.after.content)
        guard change.command.action == .deliver, let courier = delivery.courier else { return nil }
        self.init(
            delivery: delivery.id, store: delivery.store, courier: courier, storeName: storeName,
            courierName: courierName, recipient: content.recipient, description: content.description,
            reference: content.reference, steps: steps + [Step(change, at: at)])
    }
}

extension ProofBundle.Step {
    /// The step that a change at that time is.
    package init(_ change: Change, at: Timestamp) {
        let (command, shown) = (change.command, change.command.shown)
        self.init(
            seq: change.after.version, action: command.action.rawValue, status: change.after.status,
            actorKind: command.actorKind.rawValue, actor: command.actor, at: at, reason: command.reason,
            note: command.note, place: shown.location, isPinRight: shown.isPinRight, receivedBy: shown.receivedBy,
            collected: shown.collected, pictures: shown.pictures)
    }

    /// The steps of a delivery as one value, which is an array of arrays. Names would be most of it.
    fileprivate static func all(of delivery: String) -> String {
        """
        (SELECT json_agg(step)::text FROM (
            SELECT json_build_array(seq, action, status, actor_kind, actor_id, (extract(epoch FROM at) * 1000000)::bigint, reason,
                note, lat, lon, pin_matched, received_by, cash_amount, cash_currency, pictures) AS step
            FROM delivery_history WHERE delivery_id = \(delivery) ORDER BY seq) steps)
        """
    }

    fileprivate init(_ json: JSON) throws {
        guard case .array(let row) = json, row.count == 15, let seq = row[0].number, let action = row[1].text,
            let status = row[2].text.flatMap(DeliveryStatus.init), let actorKind = row[3].text,
            let actor = row[4].text.flatMap(ID.init), let at = row[5].number
        else { throw PostgresError.unexpected("a step that is none") }
        self.init(
            seq: Int32(seq), action: action, status: status, actorKind: actorKind, actor: actor,
            at: Timestamp(microseconds: Int64(at)), reason: row[6].text, note: row[7].text, receivedBy: row[11].text)
        if let lat = row[8].degrees, let lon = row[9].degrees { place = Location(lat: lat, lon: lon) }
        if case .bool(let isPinRight) = row[10] { self.isPinRight = isPinRight }
        if let amount = row[12].number, let currency = row[13].text { collected = try? Money(Int64(amount), currency) }
        pictures = try HungPicture.list(row[14])
    }
}

extension JSON {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var number: Int? { if case .integer(let number) = self { number } else { nil } }
    fileprivate var degrees: Double? { if case .number(let number) = self { number } else { number.map(Double.init) } }
}

/// Finds deliveries that are about to be handed over, with all their steps for whoever carries them: nobody else can.
struct FindWithSteps: Statement {
    static let sql = """
        SELECT \(AskedDelivery.columns),
            CASE WHEN d.status = 'in_progress' AND d.courier_id = asked.account THEN \(ProofBundle.Step.all(of: "d.id")) END
        FROM \(AskedDelivery.tables)
        """
    static let isReadOnly = true
    let asked: [AskedDelivery]

    func bind(into parameters: inout Parameters) { AskedDelivery.bind(asked, into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> (asked: AskedDelivery, found: StoredDelivery) {
        var (asked, found) = try FindForAnybody.decode(&row)
        guard let text: String = try row.read() else { return (asked, found) }
        guard case .array(let steps)? = JSON(Array(text.utf8)) else {
            throw PostgresError.unexpected("steps that are none")
        }
        found.steps = try steps.map(ProofBundle.Step.init)
        return (asked, found)
    }
}
