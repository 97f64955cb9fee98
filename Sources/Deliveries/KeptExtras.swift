import API
import Domain
import HTTP
import Postgres

/// What few deliveries have, as the row that keeps it: its members are the columns.
struct KeptExtras: Sendable {
    private var members: [String: JSON] = [:]

    /// The row after a change; nil when that leaves it as it is.
    static func json(_ change: Change, _ times: StoredDelivery.Times) -> JSONB? {
        let (after, before) = (change.after, change.before)
        guard
            after.content.terms != before?.content.terms ?? DeliveryTerms()
                || after.course != before?.course ?? DeliveryCourse()
        else { return nil }
        var row = KeptExtras()
        row.members["delivery_id"] = .string(after.id.description)
        row.write(after.content.terms)
        row.write(after.course, times)
        return JSONB(utf8: JSON.object(row.members).bytes)
    }

    private mutating func write(_ terms: DeliveryTerms) {
        self["ready_at"] = terms.pickup?.readyAt.map { Timestamp($0) }
        members["pickup_address"] = terms.pickup?.address.map(JSON.string)
        members["pickup_lat"] = (terms.pickup?.location?.lat).map(JSON.number)
        members["pickup_lon"] = (terms.pickup?.location?.lon).map(JSON.number)
        members["pickup_instructions"] = terms.pickup?.instructions.map(JSON.string)
        members["pieces"] = (terms.parcel?.pieces).map(JSON.integer)
        members["weight_g"] = terms.parcel?.grams.map(JSON.integer)
        members["size"] = (terms.parcel?.size?.rawValue).map(JSON.string)
        members["fragile"] = (terms.parcel?.isFragile).map(JSON.bool)
        members["cold"] = (terms.parcel?.isCold).map(JSON.bool)
        write(terms.parcel?.value, "value")
        write(terms.cash, "cash")
        write(terms.pay, "pay")
        members["pin"] = terms.proof.pin.map(JSON.string)
        members["wants_photo"] = .bool(terms.proof.wantsPhoto)
        members["wants_signature"] = .bool(terms.proof.wantsSignature)
        self["offer_at"] = terms.offerAt.map { Timestamp($0) }
        members["turn_order"] = (terms.turns?.order.rawValue).map(JSON.string)
        members["turn_seconds"] = (terms.turns?.seconds).map(JSON.integer)
    }

    private mutating func write(_ course: DeliveryCourse, _ times: StoredDelivery.Times) {
        members["attempts"] = .integer(Int(course.attempts))
        self["attempted_at"] = times.attempted
        members["attempt_reason"] = (course.lastFailure?.rawValue).map(JSON.string)
        members["cancel_is_free"] = .bool(course.isFree)
        members["former_id"] = (course.former?.description).map(JSON.string)
        self["former_at"] = course.former == nil ? nil : times.takenBack
        members["is_held"] = .bool(course.isHeld)
        members["turn_id"] = (course.turn?.description).map(JSON.string)
        self["turn_at"] = times.turn
        members["waiting"] = Self.list(course.waiting)
        members["uncounted"] = Self.list(course.uncounted)
        members["counted"] = Self.list(course.counted)
    }

    private mutating func write(_ money: Money?, _ name: String) {
        members[name + "_amount"] = (money?.amount).map { .integer(Int($0)) }
        members[name + "_currency"] = (money?.currency).map(JSON.string)
    }

    private static func list(_ ids: [ID]) -> JSON { .array(ids.map { .string($0.description) }) }
}

extension KeptExtras {
    /// The row as the database tells it.
    init(_ row: JSONB) throws {
        guard case .object(let members) = JSON(row.utf8) else { throw PostgresError.unexpected("extras that are none") }
        self.members = members
    }

    /// The terms that it keeps.
    var terms: DeliveryTerms {
        var terms = DeliveryTerms()
        terms.pickup = Pickup(
            readyAt: self["ready_at"].map { Moment($0) }, address: text("pickup_address"), location: place("pickup"),
            instructions: text("pickup_instructions"))
        terms.parcel = number("pieces").map { pieces in
            Parcel(
                pieces: pieces, grams: number("weight_g"), size: text("size").flatMap(Parcel.Size.init),
                isFragile: flag("fragile"), isCold: flag("cold"), value: money("value"))
        }
        (terms.cash, terms.pay) = (money("cash"), money("pay"))
        terms.proof = Proof(
            pin: text("pin"), wantsPhoto: flag("wants_photo"), wantsSignature: flag("wants_signature"))
        terms.offerAt = self["offer_at"].map { Moment($0) }
        terms.turns = text("turn_order").flatMap(OfferTurns.Order.init).map {
            OfferTurns(order: $0, seconds: number("turn_seconds") ?? OfferTurns.usual)
        }
        return terms
    }

    /// What the delivery went through.
    var course: DeliveryCourse {
        var course = DeliveryCourse()
        course.attempts = Int32(number("attempts") ?? 0)
        course.lastFailure = text("attempt_reason").flatMap(FailReason.init)
        course.isFree = flag("cancel_is_free")
        course.former = text("former_id").flatMap(ID.init)
        (course.isHeld, course.turn) = (flag("is_held"), text("turn_id").flatMap(ID.init))
        (course.waiting, course.uncounted, course.counted) = (ids("waiting"), ids("uncounted"), ids("counted"))
        return course
    }

    /// When it was brought in vain, when the store took it back, and when a turn is over.
    var times: (attempted: Timestamp?, takenBack: Timestamp?, turn: Timestamp?) {
        (self["attempted_at"], self["former_at"], self["turn_at"])
    }

    /// What its recipient said, which steps leave alone.
    var words: RecipientWords {
        var words = RecipientWords()
        if case .array(let wishes) = members["wishes"] {
            words.wishes = wishes.compactMap { wish in
                guard case .object(let members) = wish else { return nil }
                let kept = KeptExtras(members: members)
                guard let text = kept.text("text"), let at = kept["at"] else { return nil }
                return (text: text, at: at)
            }
        }
        if let stars = number("stars"), let at = self["rated_at"] { words.rating = (stars, text("rating"), at) }
        return words
    }

    private subscript(_ name: String) -> Timestamp? {
        get { text(name).flatMap { try? Moment($0) }.map { Timestamp($0) } }
        set { members[name] = newValue.map { .string($0.text) } }
    }

    private func text(_ name: String) -> String? {
        guard case .string(let text) = members[name] else { return nil }
        return text
    }

    private func number(_ name: String) -> Int? {
        guard case .integer(let number) = members[name] else { return nil }
        return number
    }

    private func flag(_ name: String) -> Bool { members[name] == .bool(true) }

    private func money(_ name: String) -> Money? {
        guard let amount = number(name + "_amount"), let currency = text(name + "_currency") else { return nil }
        return try? Money(Int64(amount), currency)
    }

    private func place(_ name: String) -> Location? {
        func degrees(_ name: String) -> Double? {
            switch members[name] {
            case .number(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        }
        guard let lat = degrees(name + "_lat"), let lon = degrees(name + "_lon") else { return nil }
        return Location(lat: lat, lon: lon)
    }

    private func ids(_ name: String) -> [ID] {
        guard case .array(let items) = members[name] else { return [] }
        return items.compactMap { if case .string(let text) = $0 { ID(text) } else { nil } }
    }
}
