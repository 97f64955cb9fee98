import API
import People
import Domain
import HTTP
import Postgres

/// A delivery as it is kept, with the people concerned, as one account sees it.
package struct StoredDelivery: Sendable {
    var delivery: Delivery
    var times: Times
    let store: PartnerStore
    /// The courier who carries or carried it.
    var courier: NamedCourier?
    /// The courier who asks; nil for a store.
    let reader: NamedCourier?
    /// Whether the courier who asks still works for the store.
    let isPartner: Bool
    /// Whether the courier who delivered it no longer does. Only of what its store may still open again is that known.
    var hasCourierLeft = false
    /// Whether it is offered, and nobody whom it is offered to is on duty. Only one that is read alone knows.
    var isOfferedToNobodyOnDuty = false
    /// Its steps so far. Only one that is about to be handed over knows.
    var steps: [ProofBundle.Step]?
    /// Whether the store is off, so that what it offers is hidden.
    var isHidden = false
    /// Whether its recipient is told to nobody any more.
    var isForgotten = false
    /// The number of the link by which its recipient is told of what comes; nil where its store does not want that.
    var recipientLink: Int32?
    /// What its recipient said.
    var words = RecipientWords()
    /// Which stop of how many it is, where its courier has said so.
    var stop: (number: Int, of: Int)?
    /// When it will arrive, where anybody can tell.
    var arrival: Arrival?

    /// The times of its steps.
    package struct Times: Sendable {
        var created: Timestamp
        var updated: Timestamp
        var accepted: Timestamp?
        var pickedUp: Timestamp?
        /// When it was brought in vain the last time.
        var attempted: Timestamp?
        /// When the store took it back from its former holder.
        var takenBack: Timestamp?
        /// When the turn is over, or it is offered at all.
        var turn: Timestamp?
        var delivered: Timestamp?
        var cancelled: Timestamp?
    }

    /// How an account stands to it.
    func standing(of account: ID) -> Lifecycle.Standing {
        Lifecycle.standing(of: account, to: delivery, isPartner: isPartner)
    }

    /// Whether that account sees it. A former holder does for a day, while nobody else has had it.
    func isVisible(to account: ID) -> Bool {
        let standing = standing(of: account)
        guard Lifecycle.isVisible(delivery.status, to: standing) else { return false }
        guard standing == .formerHolder else { return true }
        let isOthers = delivery.courier != nil && delivery.courier != account
        let lost = delivery.courier == account ? times.cancelled : times.takenBack
        return !isOthers && lost.map { Self.isRecent($0) } ?? false
    }

    /// Whether that was less than a day ago.
    static func isRecent(_ time: Timestamp, at now: Timestamp = .now) -> Bool {
        now.microseconds - time.microseconds < 86_400_000_000
    }

    /// Whether its store may call its courier: as long as it is under way, and for a day after, unless they are no partners any more.
    var isCourierReachable: Bool {
        guard let over = times.delivered ?? times.cancelled else { return true }
        return !hasCourierLeft && Self.isRecent(over)
    }

    /// What that account can do with it now.
    func allowedActions(for account: ID) -> [Lifecycle.Action] {
        let actions = Lifecycle.allowedActions(on: delivery, for: standing(of: account))
        guard let delivered = times.delivered, hasCourierLeft || !Self.isRecent(delivered) else { return actions }
        return actions.filter { $0 != .reopen }
    }

    /// The same after a change at that time.
    func after(_ change: Change, at time: Timestamp) -> StoredDelivery {
        var next = self
        next.delivery = change.after
        next.times.note(change, at: time)
        if change.after.courier != delivery.courier { next.courier = change.after.courier == nil ? nil : reader }
        if !change.after.status.isCarried { (next.stop, next.arrival) = (nil, nil) }
        return next
    }

    /// The time for a step that happens then. It is never before the last one, since the clocks of nodes differ a little.
    func nextStep(at moment: Timestamp) -> Timestamp { max(moment, times.updated) }
}

extension StoredDelivery.Times {
    /// The times of a new delivery.
    package init(created: Timestamp) {
        self.init(created: created, updated: created)
    }

    /// The times of a delivery that is made by this.
    package init(_ creation: Change, at time: Timestamp) {
        self.init(created: time)
        turn = turn(after: creation, at: time)
    }

    package mutating func note(_ change: Change, at time: Timestamp) {
        updated = time
        let (before, after) = (change.before, change.after)
        switch after.status {
        case .pending: accepted = nil
        case .inProgress: (accepted, delivered) = (accepted ?? time, nil)
        case .delivered: delivered = delivered ?? time
        case .cancelled: cancelled = cancelled ?? time
        }
        pickedUp = after.isPickedUp ? pickedUp ?? time : nil
        if after.course.attempts != before?.course.attempts ?? 0 { attempted = time }
        if after.course.former != before?.course.former { takenBack = time }
        turn = turn(after: change, at: time)
    }

    private func turn(after change: Change, at time: Timestamp) -> Timestamp? {
        let (before, after) = (change.before, change.after)
        if after.course.isHeld { return after.content.terms.offerAt.map { Timestamp($0) } }
        guard let whose = after.course.turn, let turns = after.content.terms.turns else { return nil }
        guard before?.course.turn != whose || turn == nil else { return turn }
        return Timestamp(microseconds: time.microseconds + Int64(turns.seconds) * 1_000_000)
    }

    /// Its place among others of its status in a list, which is read backwards, as `place_in_list` has it.
    func place(of delivery: Delivery) -> Int64 {
        guard delivery.status.isOpen else {
            return (delivered ?? cancelled ?? updated).microseconds - Self.year2000
        }
        return delivery.content.window?.until.map { Self.year2200 - Timestamp($0).microseconds } ?? 0
    }

    private static let (year2000, year2200): (Int64, Int64) = (946_684_800_000_000, 7_258_118_400_000_000)

    /// Until when whoever held it sees it.
    func keptUntil(after change: Change) -> Timestamp? {
        guard !change.keptJobs.isEmpty else { return nil }
        let lost = change.after.courier == nil ? takenBack : cancelled
        return lost.map { Timestamp(microseconds: $0.microseconds + 86_400_000_000) }
    }
}

/// A courier as people see it who are concerned with one of its deliveries.
struct NamedCourier: Sendable {
    let id: ID
    let firstName: String
    let lastName: String
    let phone: String?

    var name: String { "\(firstName) \(lastName)" }

    static let shape = Shape.object(
        "NamedCourier",
        [
            .init("id", .id), .init("first_name", .string()), .init("last_name", .string()),
            .init("phone", Shape.string().orNull),
        ])

    func write(_ json: inout JSONWriter, knowsPhone: Bool) {
        json.field("id", id)
        json.field("first_name", firstName)
        json.field("last_name", lastName)
        json.field("phone", knowsPhone ? phone : nil)
    }

    /// Reads four columns, of which the first is NULL when there is no courier.
    static func read(_ row: inout RowReader) throws -> NamedCourier? {
        let id: ID? = try row.read()
        let (first, last, phone): (String?, String?, String?) = (try row.read(), try row.read(), try row.read())
        guard let id, let first, let last else { return nil }
        return NamedCourier(id: id, firstName: first, lastName: last, phone: phone)
    }
}

extension StoredDelivery {
    /// For whom a statement reads.
    enum Reader {
        /// A courier by its name, which its steps tell, or a store.
        case anybody
        /// A courier whose name nobody needs.
        case someCourier
        /// Its store.
        case store

        fileprivate func name(_ account: String) -> String {
            switch self {
            case .anybody: "r.id, r.first_name, r.last_name, r.phone"
            case .someCourier: "\(account), '', '', NULL"
            case .store: "NULL::uuid, NULL, NULL, NULL"
            }
        }

        /// Somebody has to look only where its store may still open it again, or call.
        fileprivate func hasCourierLeft(_ account: String) -> String {
            let condition: String
            switch self {
            case .anybody: condition = "d.store_id = \(account)"
            case .someCourier: return "false"
            case .store: condition = "true"
            }
            return """
                CASE WHEN d.courier_id IS NOT NULL AND \(condition) AND coalesce(d.delivered_at, d.cancelled_at) > now() - interval '1 day'
                    THEN courier_has_left(d.store_id, d.courier_id) ELSE false END
                """
        }
    }

    /// The columns that ``init(_:)`` reads. ``tables`` joins their tables; `account` is the account that asks, and `isPartner`
    /// says whether it works for the store: lists know that of all that is in them. `link` is for those who take steps. What few
    /// have is looked for by functions, whose plans nothing else sets up.
    static func columns(
        for account: String = "$1", isPartner: String? = nil, link: String = link, reader: Reader = .anybody
    ) -> String {
        """
        d.id, d.store_id, d.status, d.version, d.courier_id, d.candidates, d.declined, d.forfeited,
        d.recipient_first_name, d.recipient_last_name, d.recipient_address, d.recipient_phone, d.recipient_lat,
        d.recipient_lon, d.description, d.instructions, d.reference, d.window_from, d.due_at,
        d.picked_up_at, to_jsonb(x), d.created_at, d.updated_at, d.accepted_at, d.delivered_at, d.cancelled_at,
        s.id, s.name, s.address, s.phone, c.id, c.first_name, c.last_name, c.phone,
        \(reader.name(account)), \(isPartner ?? works(account)), s.off, \(link), \(reader.hasCourierLeft(account)),
        d.recipient_first_name = '' OR \(SeeingSQL.isPast),
        CASE WHEN d.status = 'in_progress' THEN (
            SELECT j.stop FROM jobs j WHERE j.courier_id = d.courier_id AND j.status = d.status AND j.delivery_id = d.id
            OFFSET 0) END,
        \(Arrival.column)
        """
    }

    private static func works(_ account: String) -> String {
        """
        d.store_id <> \(account) AND EXISTS (SELECT FROM partners p
            WHERE p.store_id = d.store_id AND p.courier_id = \(account) AND \(SeeingSQL.shows("d.status")))
        """
    }

    private static let link = "CASE WHEN s.tell_recipients THEN recipient_link(d.id) END"

    /// The joins behind `deliveries d`.
    static let tables = """
        LEFT JOIN delivery_extras x ON x.delivery_id = d.id
        JOIN stores s ON s.id = d.store_id LEFT JOIN couriers c ON c.id = d.courier_id
        """
    /// The join of ``Reader/anybody`` besides.
    static func reader(_ account: String = "$1") -> String { "LEFT JOIN couriers r ON r.id = \(account)" }

    package init(_ row: inout RowReader) throws {
        delivery = try Delivery(&row)
        let pickedUp: Timestamp? = try row.read()
        delivery.isPickedUp = pickedUp != nil
        let extras = try (try row.read() as JSONB?).map(KeptExtras.init)
        if let extras { (delivery.content.terms, delivery.course, words) = (extras.terms, extras.course, extras.words) }
        times = Times(
            created: try row.read(), updated: try row.read(), accepted: try row.read(), pickedUp: pickedUp,
            attempted: extras?.times.attempted, takenBack: extras?.times.takenBack, turn: extras?.times.turn,
            delivered: try row.read(), cancelled: try row.read())
        store = try PartnerStore(&row)
        courier = try NamedCourier.read(&row)
        reader = try NamedCourier.read(&row)
        (isPartner, isHidden, recipientLink) = (try row.read(), try row.read(), try row.read())
        hasCourierLeft = try row.read()
        isForgotten = try row.read()
        stop = (try row.read() as [Int32]?).map { (Int($0[0]), Int($0[1])) }
        arrival = try Arrival.read(&row)
    }
}

extension Delivery {
    fileprivate init(_ row: inout RowReader) throws {
        let (id, store): (ID, ID) = (try row.read(), try row.read())
        let (status, version): (DeliveryStatus, Int32) = (try row.read(), try row.read())
        let (courier, candidates): (ID?, [ID]) = (try row.read(), try row.read())
        let (declined, forfeited): ([ID], [ID]) = (try row.read(), try row.read())
        self.init(
            id: id, store: store, status: status, version: version, courier: courier, candidates: candidates,
            declined: declined, forfeited: forfeited, content: try DeliveryContent(&row))
    }
}

extension DeliveryContent {
    fileprivate init(_ row: inout RowReader) throws {
        let (first, last, address): (String, String, String) = (try row.read(), try row.read(), try row.read())
        let phone: String? = try row.read()
        let location = try Location.read(&row)
        self.init(
            recipient: Recipient(
                firstName: first, lastName: last, address: address, phone: phone.map(PhoneNumber.init(e164:)),
                location: location),
            description: try row.read(), instructions: try row.read(), reference: try row.read())
        let (from, until): (Timestamp?, Timestamp?) = (try row.read(), try row.read())
        window = DeliveryWindow(from: from.map(Moment.init), until: until.map(Moment.init))
    }
}

extension DeliveryStatus: PostgresValue {
    /// Our own type has another number in each database, so it is written as text, and cast.
    public static var postgresType: PostgresType { .text }
    /// Enums are read by their names.
    public static func canRead(oid: UInt32) -> Bool { String.canRead(oid: oid) }
    /// Appends the name.
    public func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
    /// Reads the name.
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        guard let status = Self.allCases.first(where: { bytes.elementsEqual($0.rawValue.utf8) }) else {
            throw PostgresError.unexpected("a status that is none")
        }
        self = status
    }
}

/// Finds a delivery, without asking who may see it.
package struct FindDelivery: Statement {
    package static let sql = """
        SELECT \(StoredDelivery.columns()) FROM deliveries d \(StoredDelivery.tables) \(StoredDelivery.reader())
        WHERE d.id = $2
        """
    package static let isReadOnly = true
    let account: ID
    let id: ID

    package func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    package static func decode(_ row: inout RowReader) throws -> StoredDelivery { try StoredDelivery(&row) }
}

extension Call {
    /// Whether a store and a courier both see a delivery.
    package func isSeen(_ delivery: ID, by store: ID, and courier: ID) async throws -> Bool {
        guard let found = try await run(FindDelivery(account: courier, id: delivery)).first else { return false }
        return found.store.id == store && found.isVisible(to: courier)
    }
}
