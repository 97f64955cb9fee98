import API
import Domain
import HTTP
import People

/// A new delivery.
struct NewDelivery: Form {
    let content: DeliveryContent
    private let proof: WantedProof
    private let turns: OfferTurns??
    let couriers: [ID]

    init(_ fields: inout Fields) {
        let recipient = fields.object("recipient") { (fields: inout Fields) in
            Recipient(
                firstName: fields.line("first_name", upTo: Bounds.name),
                lastName: fields.line("last_name", upTo: Bounds.name),
                address: fields.line("address", upTo: Bounds.address), phone: fields.optional("phone"),
                location: fields.optional("location"))
        }
        var content = DeliveryContent(
            recipient: recipient, description: fields.line("description", upTo: Bounds.text, by: Texts.paragraph),
            instructions: fields.optionalLine("instructions", upTo: Bounds.text, by: Texts.paragraph),
            reference: fields.optionalLine("reference", upTo: Bounds.reference))
        content.window = fields.window()
        content.terms.pickup = fields.pickup()
        content.terms.parcel = fields.parcel()
        content.terms.cash = fields.optional("cash")
        content.terms.pay = fields.optional("pay")
        content.terms.offerAt = fields.offerAt()
        turns = fields.offer()
        proof = fields.proof()
        couriers = fields.ids("courier_ids", 1...Bounds.candidates)
        self.content = content
    }

    /// What is delivered, where the store wants that unless it says otherwise.
    func content(_ usual: (proof: WantedProof, turns: OfferTurns?)) -> DeliveryContent {
        var content = content
        proof.apply(to: &content.terms.proof, unless: usual.proof)
        content.terms.turns = turns ?? usual.turns
        return content
    }
}

/// A changed delivery. Fields that are left out stay as they are.
struct ChangedDelivery: Form {
    private let firstName, lastName, address, description: String?
    private let phone: PhoneNumber??
    private let location: Location??
    private let instructions, reference: String??
    private let window: DeliveryWindow??
    private let pickup: Pickup??
    private let parcel: Parcel??
    private let cash, pay: Money??
    private let offerAt: Moment??
    private let turns: OfferTurns??
    private let proof: WantedProof
    private let offersAgain: Bool
    /// The new candidates, if they change.
    let couriers: [ID]?

    init(_ fields: inout Fields) {
        var parts: (String?, String?, String?, PhoneNumber??, Location??)
        fields.object("recipient", isRequired: false) { fields in
            parts.0 = fields.changedLine("first_name", upTo: Bounds.name)
            parts.1 = fields.changedLine("last_name", upTo: Bounds.name)
            parts.2 = fields.changedLine("address", upTo: Bounds.address)
            parts.3 = fields.erasable("phone") { $0.optional("phone") }
            parts.4 = fields.erasable("location") { $0.optional("location") }
        }
        (firstName, lastName, address, phone, location) = parts
        description = fields.changedLine("description", upTo: Bounds.text, by: Texts.paragraph)
        instructions = fields.erasable("instructions") {
            $0.optionalLine("instructions", upTo: Bounds.text, by: Texts.paragraph)
        }
        reference = fields.erasable("reference") { $0.optionalLine("reference", upTo: Bounds.reference) }
        window = fields.erasable("window") { $0.window(mayBeOver: true) }
        pickup = fields.erasable("pickup") { $0.pickup() }
        parcel = fields.erasable("parcel") { $0.parcel() }
        cash = fields.erasable("cash") { $0.optional("cash") }
        pay = fields.erasable("pay") { $0.optional("pay") }
        offerAt = fields.erasable("offer_at") { $0.offerAt(mayBeOver: true) }
        turns = fields.changedOffer()
        proof = fields.proof()
        offersAgain = fields.optional("offer_again") ?? false
        couriers = fields.changedIDs("courier_ids", 1...Bounds.candidates)
    }

    /// The edit of a delivery that it asks for. While somebody carries it, others cannot be chosen, and pay only rises.
    func edit(of delivery: Delivery) throws -> StepCommand.Edit {
        if delivery.status.isCarried {
            if couriers != nil || offersAgain { throw Problem(.notPending) }
            if let pay, !delivery.content.terms.mayPay(pay) { throw Problem.payFixed }
        }
        try checkTimes(against: delivery.content)
        var content = delivery.content
        content.recipient.firstName = firstName ?? content.recipient.firstName
        content.recipient.lastName = lastName ?? content.recipient.lastName
        content.recipient.address = address ?? content.recipient.address
        content.recipient.phone = phone ?? content.recipient.phone
        content.recipient.location = location ?? content.recipient.location
        content.description = description ?? content.description
        content.instructions = instructions ?? content.instructions
        content.reference = reference ?? content.reference
        content.window = window ?? content.window
        content.terms.pickup = pickup ?? content.terms.pickup
        content.terms.parcel = parcel ?? content.terms.parcel
        content.terms.cash = cash ?? content.terms.cash
        content.terms.pay = pay ?? content.terms.pay
        content.terms.offerAt = offerAt ?? content.terms.offerAt
        content.terms.turns = turns ?? content.terms.turns
        proof.apply(to: &content.terms.proof)
        return StepCommand.Edit(
            content: content, candidates: couriers ?? delivery.candidates,
            askedAgain: offersAgain ? Set(delivery.declined) : [], named: Set(couriers ?? []))
    }
}

extension ChangedDelivery {
    /// What stays as it is may be over by now. What is chosen now may not.
    private func checkTimes(against kept: DeliveryContent) throws {
        if let window, window != kept.window, let fault = window?.fault(now: .now) {
            throw Problem(.unprocessable, "validation_failed", fields: [.init("window.\(fault.field)", fault.code)])
        }
        if let offerAt, offerAt != kept.terms.offerAt, let fault = offerAt?.fault(now: .now) {
            throw Problem(.unprocessable, "validation_failed", fields: [.init("offer_at", fault)])
        }
    }
}

/// Why a delivery is cancelled, in the store's words, or given back.
struct CancelForm: Form {
    private let reason: String?
    private let note: String?

    static let mayBeLeftOut = true

    init(_ fields: inout Fields) {
        reason = fields.optionalLine("reason", upTo: Bounds.reason, by: Texts.paragraph)
        note = fields.optionalLine("note", upTo: Bounds.reason, by: Texts.paragraph)
    }

    /// What an account of that kind says by it.
    func said(by kind: AccountKind) -> (reason: String?, note: String?) {
        guard kind == .courier else { return (reason, note) }
        let (reason, note) = ReturnReason.read(reason, note: note)
        return (reason.rawValue, note)
    }
}

extension Fields {
    /// When it is to arrive: a time that is still to come, unless it was said before.
    fileprivate mutating func window(mayBeOver: Bool = false) -> DeliveryWindow? {
        optionalObject("window") { (fields: inout Fields) -> DeliveryWindow? in
            let window = DeliveryWindow(from: fields.optional("from"), until: fields.optional("until"))
            if let fault = window?.fault(now: fields.now), !(mayBeOver && fault.code == Moment.isPast) {
                fields.refuse(fault.field, fault.code)
            }
            return window
        }
    }

    /// When couriers are offered it at the earliest: a time that is still to come, unless it was said before.
    fileprivate mutating func offerAt(mayBeOver: Bool = false) -> Moment? {
        let time: Moment? = optional("offer_at")
        if let fault = time?.fault(now: now), !(mayBeOver && fault == Moment.isPast) { refuse("offer_at", fault) }
        return time
    }
}
