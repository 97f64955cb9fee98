import API
import Domain
import HTTP

/// What a courier says when it fetches a parcel.
struct PickUpForm: Form {
    let note: String?
    let files: ShownFiles

    static let mayBeLeftOut = true

    init(_ fields: inout Fields) {
        note = fields.optionalLine("note", upTo: Bounds.reason, by: Texts.paragraph)
        files = fields.files()
    }
}

/// Why a parcel could not be handed over.
struct FailForm: Form {
    let reason: FailReason
    let note: String?
    let files: ShownFiles
    let location: Location?

    init(_ fields: inout Fields) {
        let reasons = FailReason.allCases.map(\.rawValue)
        reason = FailReason(rawValue: fields.choice("reason", reasons, named: "FailReason")) ?? .other
        note = fields.optionalLine("note", upTo: Bounds.reason, by: Texts.paragraph)
        files = fields.files()
        location = fields.optional("at_location")
    }
}

/// What handing a parcel over showed.
struct DeliverForm: Form {
    let pin: String?
    let files: ShownFiles
    let receivedBy: String?
    let collected: Money?
    let note: String?
    let location: Location?

    static let mayBeLeftOut = true

    init(_ fields: inout Fields) {
        pin = fields.optionalLine("pin", upTo: Bounds.pin)
        files = fields.files(withSignature: true)
        receivedBy = fields.optionalLine("received_by", upTo: Bounds.storeName)
        collected = fields.optional("cash_collected")
        note = fields.optionalLine("note", upTo: Bounds.reason, by: Texts.paragraph)
        location = fields.optional("at_location")
    }

    /// What the history keeps of it.
    func shown(_ pictures: [HungPicture], isPinRight: Bool?) -> StepCommand.Shown {
        var shown = StepCommand.Shown()
        (shown.receivedBy, shown.collected, shown.location) = (receivedBy, collected, location)
        (shown.pictures, shown.isPinRight) = (pictures, isPinRight)
        return shown
    }

    /// Refuses it if it lacks what the delivery wants.
    func check(_ terms: DeliveryTerms) throws {
        var missing: [String] = []
        if terms.proof.pin != nil, pin == nil { missing.append("pin") }
        if terms.proof.wantsPhoto, files.photos.isEmpty { missing.append("photo_ids") }
        if terms.proof.wantsSignature, files.signature == nil { missing.append("signature_id") }
        if let cash = terms.cash {
            if collected == nil { missing.append("cash_collected") }
            // Another amount than was to be collected must be explained.
            if let collected, collected != cash, note == nil { missing.append("note") }
        }
        guard missing.isEmpty else {
            var problem = Problem.proofMissing
            problem.fields = missing.map { Problem.WrongField($0, "required") }
            throw problem
        }
    }
}

/// To whom else a store offers what it takes back.
struct ReassignForm: Form {
    let couriers: [ID]?
    let note: String?

    static let mayBeLeftOut = true

    init(_ fields: inout Fields) {
        couriers = fields.optionalIDs("courier_ids", 1...Bounds.candidates)
        note = fields.optionalLine("note", upTo: Bounds.reason, by: Texts.paragraph)
    }
}

/// Why something is not delivered after all.
struct ReopenForm: Form {
    let note: String

    init(_ fields: inout Fields) {
        note = fields.line("note", upTo: Bounds.reason, by: Texts.paragraph)
    }
}

/// The pictures that a step names.
struct ShownFiles: Sendable {
    let photos: [ID]
    let signature: ID?

    /// How many photos a step can have.
    static let most = 10

    /// All of them.
    var all: [ID] { photos + (signature.map { [$0] } ?? []) }
}

extension Fields {
    /// The pictures of a step.
    fileprivate mutating func files(withSignature: Bool = false) -> ShownFiles {
        ShownFiles(
            photos: optionalIDs("photo_ids", 0...ShownFiles.most) ?? [],
            signature: withSignature ? optional("signature_id") : nil)
    }
}
