import API
import Domain
import HTTP

/// A place that is to be kept.
struct NewPlace: Form {
    let name, address: String
    let location: Location?
    let phone: PhoneNumber?
    let note: String?

    init(_ fields: inout Fields) {
        name = fields.line("name", upTo: Bounds.placeName)
        address = fields.line("address", upTo: Bounds.address)
        location = fields.optional("location")
        phone = fields.optional("phone")
        note = fields.optionalLine("note", upTo: Bounds.placeNote, by: Texts.paragraph)
    }
}

/// A changed place. Fields that are left out stay as they are.
struct ChangedPlace: Form {
    let name, address: String?
    let location: Location??
    let phone: PhoneNumber??
    let note: String??

    init(_ fields: inout Fields) {
        name = fields.changedLine("name", upTo: Bounds.placeName)
        address = fields.changedLine("address", upTo: Bounds.address)
        location = fields.erasable("location") { $0.optional("location") }
        phone = fields.erasable("phone") { $0.optional("phone") }
        note = fields.erasable("note") { $0.optionalLine("note", upTo: Bounds.placeNote, by: Texts.paragraph) }
    }
}

/// All places in their new order.
struct PlaceOrder: Form {
    let ids: [ID]

    init(_ fields: inout Fields) { ids = (fields.required("ids") as Each).ids }

    /// Ids, each named once.
    private struct Each: FieldValue {
        let ids: [ID]
        static let shape = Shape.array(.id, most: Bounds.places)
        static let example = Each(ids: [])

        init(ids: [ID]) { self.ids = ids }

        init(field json: JSON) throws(InvalidValue) {
            guard case .array(let items) = json else { throw InvalidValue("wrong_type") }
            guard items.count <= Bounds.places else { throw InvalidValue("too_many", ["max": "\(Bounds.places)"]) }
            var ids: [ID] = []
            for item in items { ids.append(try ID(field: item)) }
            guard Set(ids).count == ids.count else { throw .notEachOnce }
            self.ids = ids
        }
    }
}

extension InvalidValue {
    static let notEachOnce = InvalidValue("not_each_once")
}

/// The place that is chosen; null for where one is.
struct SelectedPlace: Form {
    let id: ID?

    init(_ fields: inout Fields) { id = fields.nullable("id") }
}
