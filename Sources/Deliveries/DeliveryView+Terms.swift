import API
import Domain
import HTTP
import People
import Postgres

/// What few deliveries have is left out where there is nothing.
extension StoredDelivery {
    static let termsMembers: [Shape.Member] = [
        .init(
            "pickup",
            .object(
                "DeliveryPickup",
                [
                    .init("ready_at", Shape.time.orNull), .init("address", Shape.string().orNull),
                    .init("location", Location.written.orNull), .init("instructions", Shape.string().orNull),
                ]), optional: true),
        .init(
            "parcel",
            .object(
                "DeliveryParcel",
                [
                    .init("pieces", .integer(1...Parcel.mostPieces)),
                    .init("weight_g", Shape.integer(1...Parcel.mostGrams).orNull),
                    .init("size", Parcel.Size.shape.orNull), .init("fragile", .boolean), .init("cold", .boolean),
                    .init("value", Money.shape.orNull),
                ]), optional: true),
        .init("cash", Money.shape, optional: true), .init("pay", Money.shape, optional: true),
        .init("proof", WantedProof.shape, optional: true),
        // For its store.
        .init("offer", OfferTurns.shape, optional: true), .init("offer_at", .time, optional: true),
        .init("offered", .boolean, optional: true),
        // For its store, and in the answer that is this delivery alone.
        .init("pin", .string(pattern: "^[0-9]{4}$"), optional: true),
    ]

    static let courseMembers: [Shape.Member] = [
        .init("attempts", .integer(1...Int(Int32.max)), optional: true),
        .init(
            "last_attempt",
            .object("LastAttempt", [.init("at", Shape.time.orNull), .init("reason", FailReason.shape.orNull)]),
            optional: true),
        // For its holder.
        .init("cancel_is_free", .boolean, optional: true),
    ]

    /// Writes where it is fetched, what there is to carry, what is paid and what is to be shown.
    func writeTerms(_ json: inout JSONWriter, knowsValue: Bool) {
        let terms = delivery.content.terms
        if let pickup = terms.pickup {
            json.object("pickup") { json in
                json.field("ready_at", pickup.readyAt.map { Timestamp($0) })
                json.field("address", pickup.address)
                json.field("location", pickup.location)
                json.field("instructions", pickup.instructions)
            }
        }
        if let parcel = terms.parcel {
            json.object("parcel") { json in
                json.field("pieces", parcel.pieces)
                if let grams = parcel.grams {
                    json.field("weight_g", grams)
                } else {
                    json.field("weight_g", String?.none)
                }
                json.field("size", parcel.size?.rawValue)
                json.field("fragile", parcel.isFragile)
                json.field("cold", parcel.isCold)
                json.field("value", knowsValue ? parcel.value : nil)
            }
        }
        if let cash = terms.cash { json.field("cash", cash) }
        if let pay = terms.pay { json.field("pay", pay) }
        let proof = terms.proof
        guard proof != Proof() else { return }
        json.object("proof") { json in
            json.field("pin", proof.pin != nil)
            json.field("photo", proof.wantsPhoto)
            json.field("signature", proof.wantsSignature)
        }
    }

    /// Writes how and when couriers are offered it.
    func writeOffer(_ json: inout JSONWriter) {
        let terms = delivery.content.terms
        if let turns = terms.turns { json.object("offer") { OfferTurns.write(turns, &$0) } }
        guard let offerAt = terms.offerAt else { return }
        json.field("offer_at", Timestamp(offerAt))
        json.field("offered", !delivery.course.isHeld)
    }

    /// Writes how often it was brought in vain.
    func writeCourse(_ json: inout JSONWriter) {
        let course = delivery.course
        guard course.attempts > 0 else { return }
        json.field("attempts", Int(course.attempts))
        json.object("last_attempt") { json in
            json.field("at", times.attempted)
            json.field("reason", course.lastFailure?.rawValue)
        }
    }
}

extension FailReason {
    static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "FailReason")
}

extension JSONWriter {
    /// A field that holds an amount of money, or null.
    mutating func field(_ name: StaticString, _ money: Money?) {
        guard let money else { return field(name, String?.none) }
        object(name) { json in
            json.field("amount", Int(money.amount))
            json.field("currency", money.currency)
        }
    }
}
