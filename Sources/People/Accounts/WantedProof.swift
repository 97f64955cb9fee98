import API
import Domain
import HTTP
import Postgres

/// What handing over must show, as far as somebody says it.
package struct WantedProof: Sendable {
    package let pin, photo, signature: Bool?

    package static let shape = Shape.object(
        "DeliveryProof", ["pin", "photo", "signature"].map { .init($0, .boolean) })

    /// What a store usually wants, from three columns.
    package init(_ row: inout RowReader) throws {
        (pin, photo, signature) = (try row.read(), try row.read(), try row.read())
    }

    init(_ fields: inout Fields) {
        (pin, photo, signature) = (fields.optional("pin"), fields.optional("photo"), fields.optional("signature"))
    }

    /// Says it of a delivery. A PIN that there is stays.
    package func apply(to proof: inout Proof, unless usual: WantedProof? = nil) {
        if let pin = pin ?? usual?.pin { proof.pin = pin ? proof.pin ?? Proof.newPIN() : nil }
        if let photo = photo ?? usual?.photo { proof.wantsPhoto = photo }
        if let signature = signature ?? usual?.signature { proof.wantsSignature = signature }
    }

    package func write(_ json: inout JSONWriter) {
        json.field("pin", pin ?? false)
        json.field("photo", photo ?? false)
        json.field("signature", signature ?? false)
    }
}

extension Fields {
    /// What handing over must show.
    package mutating func proof() -> WantedProof {
        optionalObject("proof") { WantedProof(&$0) }
    }
}
