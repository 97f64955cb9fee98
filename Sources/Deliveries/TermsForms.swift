import API
import Domain
import HTTP

extension Fields {
    /// Where it is fetched, and from when on.
    mutating func pickup() -> Pickup? {
        optionalObject("pickup") { (fields: inout Fields) -> Pickup? in
            Pickup(
                readyAt: fields.optional("ready_at"), address: fields.optionalLine("address", upTo: Bounds.address),
                location: fields.optional("location"),
                instructions: fields.optionalLine("instructions", upTo: Bounds.text, by: Texts.paragraph))
        }
    }

    /// What there is to carry.
    mutating func parcel() -> Parcel? {
        optionalObject("parcel") { (fields: inout Fields) -> Parcel? in
            let parcel = Parcel(
                pieces: fields.number("pieces", 1...Parcel.mostPieces),
                grams: fields.optionalNumber("weight_g", 1...Parcel.mostGrams),
                size: fields.optional("size"), isFragile: fields.optional("fragile") ?? false,
                isCold: fields.optional("cold") ?? false, value: fields.optional("value"))
            return fields.refused("pieces") ? nil : parcel
        }
    }
}

extension Money: FieldValue {
    package static let shape = Shape.object(
        "Money",
        [
            .init("amount", .integer(0...Int(Money.most))),
            .init("currency", .string(pattern: "^[A-Z]{3}$", example: "EUR")),
        ])
    package static var example: Money { try! Money(1000, "EUR") }

    package init(field json: JSON) throws(InvalidValue) {
        guard case .object(let members) = json, case .integer(let amount) = members["amount"],
            case .string(let currency) = members["currency"]
        else { throw InvalidValue("wrong_type") }
        try self.init(Int64(amount), currency)
        // What is kept may be of a time when there were others.
        guard Currencies.have(currency) else { throw InvalidValue("invalid_currency") }
    }
}

extension Parcel.Size: TextFieldValue {
    package static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "ParcelSize")
    package static var example: Parcel.Size { .small }
    package init(_ text: String) throws(InvalidValue) {
        guard let size = Parcel.Size(rawValue: text) else { throw InvalidValue("invalid_value") }
        self = size
    }
}
