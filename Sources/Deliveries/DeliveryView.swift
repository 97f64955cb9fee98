import API
import People
import Domain
import HTTP
import Postgres

extension StoredDelivery {
    static let shape = Shape.object(
        "Delivery",
        [
            .init("id", .id), .init("status", statusShape), .init("version", .integer(1...Int(Int32.max))),
            .init("store", .object("DeliveryStore", PartnerStore.members)),
            .init("allowed_actions", .array(.oneOf(Lifecycle.Action.asked.map(\.rawValue), named: "DeliveryAction"))),
            // Left out if the account may not, or may no longer, see the delivery. The recipient is null when the delivery has
            // been over for so long that it is forgotten.
            .init("recipient", recipientShape.orNull, optional: true), .init("description", .string(), optional: true),
            .init("instructions", Shape.string().orNull, optional: true),
            .init("reference", Shape.string().orNull, optional: true),
            .init(
                "window", Shape.object("Window", ["from", "until"].map { .init($0, Shape.time.orNull) }).orNull,
                optional: true),
            .init("due_at", Shape.time.orNull, optional: true),
            .init("courier", NamedCourier.shape.orNull, optional: true),
            // For its store. Only a single delivery tells who they are; lists and feeds do not.
            .init("candidate_count", .integer(0...Bounds.candidates), optional: true),
            .init("offered_count", .integer(0...Bounds.candidates), optional: true),
            .init("candidates", .array(candidateShape), optional: true),
            // How many had accepted it and gave it back; left out where nobody has.
            .init("given_back_count", .integer(1...Bounds.candidates), optional: true),
            // In the answer to a step that offers it, where none of those who are offered it is on duty.
            .init("nobody_on_duty", .boolean, optional: true),
            // Where its courier has said in which order it goes.
            .init("stop", stopShape, optional: true),
            // For its store and its holder, while its courier says where it is.
            .init("eta", Arrival.shape, optional: true),
        ] + termsMembers + courseMembers + RecipientWords.members + [
            .init("created_at", .time), .init("updated_at", .time), .init("accepted_at", Shape.time.orNull),
            .init("picked_up_at", Shape.time.orNull), .init("delivered_at", Shape.time.orNull),
            .init("cancelled_at", Shape.time.orNull),
        ])
    static let statusShape = Shape.oneOf(DeliveryStatus.allCases.map(\.rawValue), named: "DeliveryStatus")
    private static let candidateShape = Shape.object(
        "Candidate",
        [
            .init("courier_id", .id),
            .init("state", .oneOf(Delivery.CandidateState.allCases.map(\.rawValue), named: "CandidateState")),
        ])
    private static let stopShape = Shape.object(
        "DeliveryStop", ["number", "of"].map { .init($0, .integer(1...Bounds.stops)) })
    private static let recipientShape = Shape.object(
        "DeliveryRecipient",
        ["first_name", "address"].map { .init($0, .string()) } + [
            .init("last_name", Shape.string().orNull), .init("phone", Shape.string().orNull),
            .init("location", Location.written.orNull),
        ])

    /// Writes the delivery as that account may see it. An account that it no longer concerns learns only what became of
    /// it. A list tells how many candidates there are; a delivery written `alone` tells who.
    func write(_ json: inout JSONWriter, for account: ID, alone: Bool = false) {
        let standing = standing(of: account)
        json.field("id", delivery.id)
        json.field("status", delivery.status.rawValue)
        json.field("version", Int(delivery.version))
        json.object("store", store.write)
        json.array("allowed_actions", allowedActions(for: account)) { $0.item($1.rawValue) }
        if isVisible(to: account) {
            writeContent(&json, for: standing)
            writeTerms(&json, knowsValue: standing.knowsRecipient)
            if standing.knowsRecipient {
                writeCourse(&json)
                if let arrival { json.object("eta", arrival.write) }
            }
            if let stop {
                json.object("stop") { json in
                    json.field("number", stop.number)
                    json.field("of", stop.of)
                }
            }
            if !isForgotten, standing.knowsRecipient {
                words.write(&json, forStore: standing == .store)
            }
            if standing == .holder { json.field("cancel_is_free", delivery.course.isFree) }
            if let courier, standing != .formerHolder {
                json.object("courier") { courier.write(&$0, knowsPhone: standing != .store || isCourierReachable) }
            } else {
                json.field("courier", String?.none)
            }
            if standing == .store {
                writeOffer(&json)
                json.field("candidate_count", delivery.candidates.count)
                json.field("offered_count", delivery.offered.count)
                if !delivery.forfeited.isEmpty { json.field("given_back_count", delivery.forfeited.count) }
                if alone { writeCandidates(&json) }
                if alone, let pin = delivery.content.terms.proof.pin { json.field("pin", pin) }
                if alone, isOfferedToNobodyOnDuty, !delivery.offered.isEmpty { json.field("nobody_on_duty", true) }
            }
        }
        json.field("created_at", times.created)
        json.field("updated_at", times.updated)
        json.field("accepted_at", times.accepted)
        json.field("picked_up_at", times.pickedUp)
        json.field("delivered_at", times.delivered)
        json.field("cancelled_at", times.cancelled)
    }

    /// A courier who might accept it learns where it goes, but not to whom; and one who does not carry it any more, neither.
    private func writeContent(_ json: inout JSONWriter, for standing: Lifecycle.Standing) {
        let content = delivery.content
        if isForgotten || standing == .formerHolder {
            json.field("recipient", String?.none)
        } else {
            write(content.recipient, &json, isKnown: standing.knowsRecipient)
        }
        json.field("description", content.description)
        json.field("instructions", standing == .formerHolder ? nil : content.instructions)
        json.field("reference", content.reference)
        if let window = content.window {
            json.object("window") { json in
                json.field("from", window.from.map { Timestamp($0) })
                json.field("until", window.until.map { Timestamp($0) })
            }
        } else {
            json.field("window", String?.none)
        }
        json.field("due_at", content.window?.until.map { Timestamp($0) })
    }

    private func write(_ recipient: Recipient, _ json: inout JSONWriter, isKnown: Bool) {
        json.object("recipient") { json in
            json.field("first_name", recipient.firstName)
            json.field("last_name", isKnown ? recipient.lastName : nil)
            json.field("address", recipient.address)
            json.field("phone", isKnown ? recipient.phone?.e164 : nil)
            json.field("location", recipient.location)
        }
    }

    private func writeCandidates(_ json: inout JSONWriter) {
        json.array("candidates", delivery.candidates) { json, candidate in
            json.object { json in
                json.field("courier_id", candidate)
                json.field("state", delivery.state(of: candidate).rawValue)
            }
        }
    }

    /// The answer that is this delivery alone, amid what is around it.
    func response(
        for account: ID, _ status: Status = .ok, amid surroundings: [(name: StaticString, json: [UInt8])] = []
    ) -> Response {
        var json = JSONWriter()
        json.object { json in
            write(&json, for: account, alone: true)
            for one in surroundings { json.raw(one.name, one.json) }
        }
        return .json(json.bytes, status: status, headers: [Response.Header("ETag", "\"\(delivery.version)\"")])
    }
}
